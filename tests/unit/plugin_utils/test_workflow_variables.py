# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.survey import survey
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.workflow_variables import foreign

IN_A_WORKFLOW: dict[str, t.Any] = {"awx_workflow_job_id": 7, "tower_workflow_job_id": 7, "awx_job_id": 8}
OURS: dict[str, t.Any] = {"hyperpod": {"status": "failed"}, "planned_repairs": ["ml:0a1b2c3d"]}


def test_a_job_of_a_workflow_may_have_our_artifacts_and_the_defaults_of_its_survey() -> None:
    defaults = {each["variable"]: each["default"] for each in survey(verbs()["remediate"])["spec"] if "default" in each}
    assert defaults and foreign({**IN_A_WORKFLOW, **OURS, **defaults}, verbs().values()) == []


def test_ansible_reads_the_texts_of_awx_as_yaml(tmp_path: Path) -> None:
    """AWX marks the answers of a survey as unsafe."""
    file = tmp_path / "extravars"
    file.write_text("accelerator_health_nccl: !unsafe 'false'\naccelerator_health_dcgm_level: !unsafe '1'\nhyperpod_only: !unsafe ''\n")
    assert foreign({**IN_A_WORKFLOW, **DataLoader().load_from_file(str(file))}, verbs().values()) == []


@pytest.mark.parametrize(
    "name", ["ansible_connection", "ansible_ssh_common_args", "remediation_approve", "hyperpod_only", "hyperpod_run", "unknown"]
)
def test_every_other_variable_may_be_from_a_node(name: str) -> None:
    assert foreign({**IN_A_WORKFLOW, **OURS, name: "all"}, verbs().values()) == [name]


@pytest.mark.parametrize("value", ["", None])
def test_an_empty_answer_selects_nothing(value: t.Any) -> None:
    assert foreign({**IN_A_WORKFLOW, "hyperpod_only": value}, verbs().values()) == []
    assert foreign({**IN_A_WORKFLOW, "drain_force": value}, verbs().values()) == ["drain_force"], "it has another default"


def test_a_node_cannot_hide_the_workflow_by_another_value() -> None:
    assert foreign({**IN_A_WORKFLOW, "awx_workflow_job_id": "", "ansible_host": "x"}, verbs().values()) == ["ansible_host"]


def test_outside_of_a_workflow_there_are_no_artifacts() -> None:
    assert foreign({"awx_job_id": 8, "remediation_approve": "all"}, verbs().values()) == []


def test_a_template_may_set_only_the_playbook_of_a_rollout_that_the_project_names() -> None:
    extra = {**IN_A_WORKFLOW, "rollout_verb": "rotate_host_keys"}
    assert foreign(extra, verbs().values(), rollout_verb="rotate_host_keys") == []
    for other in ("", "offboard"):
        assert foreign(extra, verbs().values(), rollout_verb=other) == ["rollout_verb"]
