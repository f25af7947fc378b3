# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role asks before a change with the same options with which it makes it; quotas and access entries by the same tasks."""

from __future__ import annotations

import typing as t
from pathlib import Path

import yaml

TASKS = Path(__file__).resolve().parents[3] / "roles/task_governance/tasks/cluster"
WHERE_AND_HOW_LONG = {"wait_timeout", "allow_oversubscription", "state"}
"""Options that say nothing of what is to be there, or that differ on purpose."""


def options(module: str, *files: str) -> list[dict[str, t.Any]]:
    """Of the module's tasks that remove nothing."""
    tasks = [task for name in files for task in yaml.safe_load((TASKS / name).read_text())]
    given = [task[f"mlfleet.hyperpod.{module}"] for task in tasks if f"mlfleet.hyperpod.{module}" in task]
    return [{name: each[name] for name in each.keys() - WHERE_AND_HOW_LONG} for each in given if each.get("state") != "absent"]


def test_each_call_names_all_that_is_declared() -> None:
    for module, files, calls in (
        ("eks_addon", ("foreseen.yml", "present.yml"), 2),
        ("cluster_scheduler_config", ("foreseen.yml", "present.yml"), 2),
        ("compute_quota", ("quotas.yml",), 2),
    ):
        first, *others = options(module, *files)
        assert len(others) == calls - 1 and all(each == first for each in others), module
    assert options("eks_addon", "present.yml")[0]["resolve_conflicts"] == "{{ task_governance_addon_conflicts }}"
