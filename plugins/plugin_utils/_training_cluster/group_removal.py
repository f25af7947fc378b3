# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal of node groups that are no longer declared, with their launch templates. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import CREATE_FAILED, DELETING

from .observed import GROUP, TEMPLATE, Observed, Resource

OPTION = "training_cluster_remove_groups"
WITHOUT_DRAIN = {
    CREATE_FAILED: "its creation failed, so it is not drained",
    DELETING: "EKS is already deleting it",
}
"""Statuses of groups that are not drained, and notes for the plan."""


@dataclass(frozen=True)
class Leaving:
    """A node group to remove, as far as it and its launch template exist."""

    name: str
    group: Resource | None
    template: Resource | None

    @property
    def drained(self) -> bool:
        """Whether its nodes are drained first. An autoscaler may add nodes to a group without nodes at any time."""
        return self.group is not None and self.group["status"] not in WITHOUT_DRAIN

    @property
    def nodes(self) -> int:
        """The number of nodes to drain."""
        return int(self.group["details"]["desired"] or 0) if self.group is not None and self.drained else 0

    @property
    def note(self) -> str:
        """What happens to its nodes. Empty if the group does not exist any more."""
        if self.group is None:
            return ""
        return WITHOUT_DRAIN.get(self.group["status"], f"{self.nodes} nodes, drained first")


def leaving(listed: t.Iterable[str], observed: Observed, template_of: t.Callable[[str], str]) -> list[Leaving]:
    """The listed groups that exist or left a launch template, if the role created them.

    :param template_of: returns the name of a group's launch template.
    """
    found = [Leaving(each, _ours(observed, GROUP, each), _ours(observed, TEMPLATE, template_of(each))) for each in listed]
    return [each for each in found if each.group is not None or each.template is not None]


def refusals(listed: t.Iterable[str], observed: Observed) -> t.Iterator[str]:
    """Refusals of groups that the role did not create."""
    for place, name in enumerate(listed):
        there = observed.named(GROUP, name)
        if there is not None and not there["ours"]:
            yield not_allowed(f"{OPTION}[{place}]", name, "a node group that this role created", "someone else created this group")


def _ours(observed: Observed, kind: str, name: str) -> Resource | None:
    there = observed.named(kind, name)
    return there if there is not None and there["ours"] else None
