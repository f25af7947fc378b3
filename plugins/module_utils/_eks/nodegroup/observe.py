# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a node group and the version of its cluster, and waits until operations of EKS have ended."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._aws.client import Api
from ..._core.failure import Failure
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits
from ..._kubernetes.eks import describe
from ..common import found
from .health import NOT_JOINED, Issue, next_steps
from .model import CREATING, NODEGROUP, Desired, Nodegroup, State, about

Explain = t.Callable[[Nodegroup, t.Sequence[str]], str]
"""Returns why nodes of a group do not join. The second argument has the IDs of instances."""


class Observer:
    """Reads one node group. Without ``waits``, it reads only once.

    :param explain: None to use the general next steps.
    """

    def __init__(self, eks: Api, desired: Desired, *, waits: Waits | None, explain: Explain | None = None) -> None:
        self.eks = eks
        self.desired = desired
        self.waits = waits
        self._explain = explain

    def __call__(self) -> State:
        """The current state. If the module waits, it first waits until operations of earlier runs and other callers have ended."""
        group = self.until(lambda group: group is None or not NODEGROUP.is_busy(group.status))
        if not self.desired.present:
            return State(group)
        if group is not None:
            group = dataclasses.replace(group, issues=self.explained(group, group.issues))
        return State(group, describe(self.eks, self.desired.cluster)["version"])

    def explained(self, group: Nodegroup, issues: t.Iterable[Issue]) -> tuple[Issue, ...]:
        """The issues with the causes that this module can find."""
        return tuple(
            dataclasses.replace(each, explanation=self._explain(group, each.resources))
            if self._explain and each.code == NOT_JOINED
            else each
            for each in issues
        )

    def next_steps(self, group: Nodegroup, issues: t.Iterable[Issue] | None = None) -> str:
        """
        :param issues: errors of an update; None for the issues of the group.
        """
        return next_steps(self.explained(group, group.issues if issues is None else issues))

    def look(self) -> Nodegroup | None:
        return look(self.eks, self.desired.cluster, self.desired.name)

    def until(
        self,
        done: t.Callable[[Nodegroup | None], bool],
        *,
        failed: t.Callable[[Nodegroup | None], str | None] = lambda group: None,
    ) -> Nodegroup | None:
        """The node group once ``done`` is true, or immediately if the module does not wait.

        :raises WaitFailed: with the reason from ``failed``.
        :raises Failure: after the timeout, with the next steps if EKS reports issues.
        """
        if self.waits is None:
            return self.look()
        last: list[Nodegroup | None] = [None]

        def looked() -> Nodegroup | None:
            last[0] = self.look()
            return last[0]

        try:
            return self.waits.until(looked, done=done, failed=failed, subject=self.desired.about, state=_described)
        except WaitTimeout as error:
            advice = self._advice(last[0])
            if not advice:
                raise
            raise Failure(f"{error}. Next step: {advice}.") from error

    def _advice(self, group: Nodegroup | None) -> str:
        """The next steps after a timeout; empty if nothing is known. EKS reports missing nodes only after a long time."""
        if group is None:
            return ""
        if group.issues:
            return self.next_steps(group)
        waiting = group.status == CREATING and (group.settings.get("scaling") or {}).get("desired")
        return self._explain(group, ()) if waiting and self._explain else ""


def look(eks: Api, cluster: str, name: str) -> Nodegroup | None:
    answer = found(eks, "DescribeNodegroup", about=about(cluster, name), clusterName=cluster, nodegroupName=name)
    return None if answer is None else Nodegroup.from_api(answer["nodegroup"])


def _described(group: Nodegroup | None) -> str:
    return group.described if group else "gone"
