# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The removal of everything that the role created."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import removal as of_removal
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import LOG_GROUP, Resource
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding

from .. import Variables, view
from .declared import FOUND, observed, values


@dataclass(frozen=True)
class Removed:
    """The resources to remove, by kind, and the lines that the run prints before the removal."""

    lines: list[str]
    needed: bool
    """Whether anything exists that the role created."""
    kinds: dict[str, list[Resource]]
    findings: Findings


@view
def removed(variables: Variables) -> Removed:
    given = values(variables)
    found = of_removal.removal(observed(variables), logs=boolean(given["remove_logs"], strict=False))
    skip = boolean(given["skip_final_backup"], strict=False)
    lines = [_line("remove", each, of_removal.note_of(each, skip_final_backup=skip)) for each in found.removed]
    lines += [_line("stays", each, "") for each in found.stays]
    kinds: dict[str, list[Resource]] = {kind: [] for kind in (*of_removal.ORDER, LOG_GROUP)}
    for each in found.removed:
        kinds[each["kind"]].append(each)
    return Removed(lines or ["No resource that this role created exists."], bool(found.removed), kinds, _blocked(variables))


def _blocked(variables: Variables) -> Findings:
    """Findings about resources of someone else that make AWS refuse the removal of ours."""
    found: Findings = []
    for each in plain(variables[FOUND])["blockers"]:
        found += finding("training-cluster-blocked", what=printable(each["text"]), next=printable(each["next_step"]))
    return found


def _line(action: str, resource: t.Mapping[str, t.Any], note: str) -> str:
    name = printable(resource["name"] or resource["id"])
    return f"{action}: {resource['kind']} {name}" + (f" ({note})" if note else "")
