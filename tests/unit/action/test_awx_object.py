# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A step in check mode. Steps that are taken are tested with the real modules in tests/awx."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.action.awx_object import ActionModule


def test_check_mode_reports_the_step_without_a_module(action: t.Any) -> None:
    step = {"action": "change", "kind": "job_template", "name": "reconcile", "before": {"forks": 50}, "after": {"forks": 10}}
    planned, node = action(ActionModule, {"step": step}, check=True)
    result = planned.run(task_vars={})
    assert (node.calls, result["changed"]) == ([], True)
    assert (result["diff"]["before"], result["diff"]["after"]) == ({"forks": 50}, {"forks": 10})
    assert result["diff"]["before_header"] == "job_template reconcile"
