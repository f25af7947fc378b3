# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The role karpenter checks the ownership of all objects that it creates or deletes before the first change."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml

TASKS = Path(__file__).resolve().parents[3] / "roles/karpenter/tasks/cluster"
OBJECTS, INCLUDED = "mlfleet.hyperpod.kubernetes_objects", "ansible.builtin.include_tasks"
READING = ("mlfleet.hyperpod.finding", "_info")


def steps(name: str) -> list[dict[str, t.Any]]:
    """Tasks of a file and of the files that it includes, in order and without regard to conditions."""
    found: list[dict[str, t.Any]] = []
    for task in yaml.safe_load((TASKS / name).read_text()):
        found += steps(Path(task[INCLUDED]).name) if INCLUDED in task else [task]
    return found


def checked(task: dict[str, t.Any]) -> str | None:
    """Objects, state and adoption of a task that checks objects; None for other tasks."""
    options = task.get(OBJECTS)
    return f"{options['definitions']} {options.get('state', 'present')} {options['adopt']}" if options and task.get("check_mode") else None


def changes(task: dict[str, t.Any]) -> bool:
    return not (task.get("check_mode") or any(name.endswith(READING) for name in task))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("absent.yml", ["{{ __karpenter.removal.everything }} absent {{ karpenter_adopt }}"]),
        (
            "present.yml",
            [
                "{{ __karpenter.declared.everything }} present {{ karpenter_adopt }}",
                "{{ __karpenter.removal.everything }} absent {{ karpenter_adopt }}",
            ],
        ),
    ],
)
def test_foreign_objects_are_refused_before_any_change(name: str, expected: list[str]) -> None:
    tasks = steps(name)
    first = next(place for place, task in enumerate(tasks) if changes(task))
    assert [each for each in map(checked, tasks[:first]) if each] == expected
