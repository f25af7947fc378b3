# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role predicts changes with the same options with which it applies them."""

from __future__ import annotations

import typing as t
from pathlib import Path

import yaml

TASKS = Path(__file__).resolve().parents[3] / "roles/task_governance/tasks/cluster"
EXCLUDED = {"wait_timeout", "allow_oversubscription", "state"}
"""Options that do not describe the resource, or that differ on purpose."""


def options(module: str, *files: str) -> list[dict[str, t.Any]]:
    """Options of the module's tasks, without tasks that remove something."""
    tasks = [task for name in files for task in yaml.safe_load((TASKS / name).read_text())]
    arguments = [task[f"mlfleet.hyperpod.{module}"] for task in tasks if f"mlfleet.hyperpod.{module}" in task]
    return [{name: each[name] for name in each.keys() - EXCLUDED} for each in arguments if each.get("state") != "absent"]


def test_all_calls_of_a_module_have_the_same_options() -> None:
    for module, files, calls in (
        ("eks_addon", ("foreseen.yml", "present.yml"), 2),
        ("cluster_scheduler_config", ("foreseen.yml", "present.yml"), 2),
        ("compute_quota", ("quotas.yml",), 2),
    ):
        first, *others = options(module, *files)
        assert len(others) == calls - 1 and all(each == first for each in others), module
    assert options("eks_addon", "present.yml")[0]["resolve_conflicts"] == "{{ task_governance_addon_conflicts }}"
