# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of a run."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told_findings import Findings, told

from .. import Variables


@dataclass(frozen=True)
class Selection:
    failures: Findings
    """For a run whose tags selected no task."""


def selection(variables: Variables) -> Selection:
    tags, skipped = (",".join(variables[name]) for name in ("ansible_run_tags", "ansible_skip_tags"))
    if skipped:
        return Selection(told("skipped-tags-select-nothing", tags=tags, skipped=skipped))
    return Selection(told("tags-select-nothing", tags=tags))


@dataclass(frozen=True)
class Verdict:
    """As the report callback gave it."""

    status: str
    pending: int
    artifact: dict[str, t.Any]


def verdict(variables: Variables) -> Verdict:
    found = variables.get("hyperpod_verdict", {"status": "", "pending": 0})
    return Verdict(found["status"], found["pending"], plain(variables.get("hyperpod_artifact", {})))


@dataclass(frozen=True)
class Inventory:
    failures: Findings
    """For an inventory of which not all could be read."""


def inventory(variables: Variables) -> Inventory:
    failures = variables.get("hyperpod_inventory_failures", [])
    return Inventory(told("inventory-not-read", failures="; ".join(failures)) if failures else [])
