# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role karpenter takes the cluster's lock before modules that cannot take it themselves."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml

TASKS = Path(__file__).resolve().parents[3] / "roles/karpenter/tasks/cluster"
WITHOUT = {"amazon.aws.iam_role", "amazon.aws.iam_policy", "kubernetes.core.k8s_drain", "mlfleet.hyperpod.kueue_topology_scheduling"}
CHANGING = {
    "force.yml": ["LOCK", "kubernetes.core.k8s_drain", "LOCK", "WAIT"],
    "gates_off.yml": ["LOCK", "mlfleet.hyperpod.kueue_topology_scheduling"],
    "no_role.yml": ["LOCK", "amazon.aws.iam_role"],
    "role.yml": ["LOCK", "amazon.aws.iam_role", "amazon.aws.iam_policy"],
}
Task = dict[str, t.Any]


def flat(tasks: t.Iterable[Task], *conditions: t.Any) -> t.Iterator[tuple[Task, tuple[t.Any, ...]]]:
    """Tasks in order, each with its own conditions and those of its blocks."""
    for task in tasks:
        own = task.get("when", [])
        whens = (*conditions, *(own if isinstance(own, list) else [own]))
        if "block" in task:
            yield from flat(task["block"], *whens)
            yield from flat(task.get("rescue", []), *whens)
        else:
            yield task, whens


def read(path: Path) -> list[tuple[Task, tuple[t.Any, ...]]]:
    return list(flat(yaml.safe_load(path.read_text())))


def locks(task: Task) -> bool:
    return task.get("ansible.builtin.include_role") == {"name": "mlfleet.hyperpod.run", "tasks_from": "cluster/lock"}


def kind_of(task: Task) -> str | None:
    if locks(task):
        return "LOCK"
    if "wait_for" in (task.get("mlfleet.hyperpod.karpenter_info") or {}):
        return "WAIT"
    return next((name for name in task if name in WITHOUT and not task.get("check_mode")), None)


def test_all_files_with_such_modules_are_listed() -> None:
    assert {path.name for path in TASKS.glob("*.yml") if any(kind_of(task) in WITHOUT for task, _when in read(path))} == set(CHANGING)


@pytest.mark.parametrize("name", sorted(CHANGING))
def test_the_lock_is_taken_before_each_change(name: str) -> None:
    assert [kind_of(task) for task, _when in read(TASKS / name) if kind_of(task)] == CHANGING[name]


@pytest.mark.parametrize("name", sorted(set(CHANGING) - {"force.yml"}))
def test_check_mode_takes_no_lock(name: str) -> None:
    """force.yml is left out: in check mode its view ``held`` has no nodes to drain."""
    for task, whens in read(TASKS / name):
        assert not locks(task) or "not ansible_check_mode" in whens, task["name"]


def test_the_lock_is_taken_only_if_the_role_changes() -> None:
    for task, whens in read(TASKS / "role.yml"):
        assert not locks(task) or "__karpenter_role_planned is changed or __karpenter_policy_planned is changed" in whens
