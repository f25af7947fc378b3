# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a template of a job has come to may hold a token, and is not shown."""

from __future__ import annotations

from pathlib import Path

import yaml

TASKS = Path(__file__).resolve().parents[3] / "roles/topology_job/tasks"
FACT = "__topology_job_text"


def test_no_task_shows_what_a_template_has_come_to() -> None:
    tasks = [task for file in sorted(TASKS.rglob("*.yml")) for task in yaml.safe_load(file.read_text())]
    found = [task for task in tasks if FACT in (task.get("ansible.builtin.set_fact") or {})]
    assert len(found) == 2 and all(task["no_log"] is True for task in found)
