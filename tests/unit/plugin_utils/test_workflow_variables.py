# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.survey import survey
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.workflow_variables import foreign

IN_A_WORKFLOW: dict[str, t.Any] = {"awx_workflow_job_id": 7, "tower_workflow_job_id": 7, "awx_job_id": 8}
OURS: dict[str, t.Any] = {"hyperpod": {"status": "failed"}, "planned_repairs": ["ml:0a1b2c3d"]}


def test_a_job_of_a_workflow_may_have_our_artifacts_and_the_defaults_of_its_survey() -> None:
    defaults = {each["variable"]: each["default"] for each in survey(verbs()["remediate"])["spec"] if each["default"] != ""}
    assert defaults and foreign({**IN_A_WORKFLOW, **OURS, **defaults}, verbs().values()) == []


@pytest.mark.parametrize(
    "name", ["ansible_connection", "ansible_ssh_common_args", "remediation_approve", "hyperpod_only", "hyperpod_run", "unknown"]
)
def test_every_other_variable_may_be_from_a_node(name: str) -> None:
    assert foreign({**IN_A_WORKFLOW, **OURS, name: "all"}, verbs().values()) == [name]


def test_a_node_cannot_hide_the_workflow_by_another_value() -> None:
    assert foreign({**IN_A_WORKFLOW, "awx_workflow_job_id": "", "ansible_host": "x"}, verbs().values()) == ["ansible_host"]


def test_outside_of_a_workflow_there_are_no_artifacts() -> None:
    assert foreign({"awx_job_id": 8, "remediation_approve": "all"}, verbs().values()) == []
