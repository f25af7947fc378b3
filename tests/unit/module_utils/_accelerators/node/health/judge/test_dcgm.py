# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The effect of DCGM's test results on the verdict of a node."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.load import Asked
from lab.accelerators.story import HANGS, Story, healthy

from .nodes import Node, only, verdicts


def failing(text: str, *, severity: int | None = None, test: str = "software", gpu: int = 2, status: str = "Fail") -> Story:
    warning = {"warning": text, **({} if severity is None else {"error_severity": severity})}
    result = {"entity_group": "GPU", "entity_id": gpu, "status": status, "warnings": [warning]}
    root = {"test_categories": [{"category": "Deployment", "tests": [{"name": test, "results": [result]}]}]}
    return healthy("ml.p5.48xlarge", tools={"dcgmi": json.dumps({"DCGM Diagnostic": root})}, statuses={"dcgmi": 226})


@pytest.mark.parametrize(
    ("severity", "test", "verdict", "cause"),
    [
        (2, "software", "unfit-reboot", "hardware"),
        (6, "software", "unfit-reboot", "hardware"),
        (1, "software", "watch", "hardware"),
        (4, "software", "watch", "hardware"),
        (5, "software", "watch", "config"),
        (2, "Persistence Mode", "unfit-reboot", "hardware"),
        (None, "Persistence Mode", "watch", "config"),
        (None, "Page Retirement/Row Remap", "watch", "hardware"),
    ],
)
def test_a_failure_is_judged_by_its_severity(tmp_path: Path, severity: int | None, test: str, verdict: str, cause: str) -> None:
    problem = only(Node(tmp_path).judge(failing("It is bad.", severity=severity, test=test)))
    assert (problem.code, problem.verdict, problem.cause, problem.evidence) == ("gpu-dcgm", verdict, cause, "It is bad.")
    assert problem.text == f"GPU 2 (0000:73:00.0) fails DCGM test {test}."


@pytest.mark.parametrize(
    "more",
    [
        {"text": "Look at it.", "severity": 2, "status": "Warn"},
        {"text": "The profiling module is in use.", "severity": 2},
        {"text": "It is nothing.", "severity": 0},
    ],
)
def test_warnings_and_passed_tests_are_no_problem(tmp_path: Path, more: dict[str, t.Any]) -> None:
    assert Node(tmp_path).judge(failing(**more)).verdict == "fit"


def test_a_failure_of_an_unknown_gpu_is_a_problem_of_the_node(tmp_path: Path) -> None:
    problem = only(Node(tmp_path).judge(failing("Wrong.", gpu=9)))
    assert (problem.part, problem.text) == ("", "The node fails DCGM test software.")


@pytest.mark.parametrize("output", ["Error: unable to establish a connection to the specified host", HANGS])
def test_a_dcgm_that_does_not_answer_is_no_problem_of_the_gpus(tmp_path: Path, output: str) -> None:
    health = Node(tmp_path).judge(healthy("ml.p5.48xlarge", tools={"dcgmi": output}), seconds=0.5 if output == HANGS else 0)
    assert (health.verdict, verdicts(health)) == ("fit", [])
    assert any(each.what in ("DCGM", "dcgmi") for each in health.not_looked_at)


def test_a_level_that_loads_the_node_is_reported_as_checked(tmp_path: Path) -> None:
    story = failing("It is bad.", severity=1, test="memory")
    health = Node(tmp_path).judge(story, dcgm=Asked(3))
    assert "DCGM level 3" in health.looked_at and only(health).text.endswith("fails DCGM test memory.")
    assert not any("DCGM" in each for each in Node(tmp_path / "1").judge(story).looked_at)


def test_a_level_that_was_not_run_does_not_make_the_node_unknown(tmp_path: Path) -> None:
    story = failing("It is bad.", severity=1)
    health = Node(tmp_path).judge(story, dcgm=Asked(2, "there are jobs on it: 7 of alice"))
    assert (health.verdict, only(health).code) == ("watch", "gpu-dcgm"), "level 1 was run"
    assert [(each.what, each.why) for each in health.not_looked_at] == [("DCGM level 2", "there are jobs on it: 7 of alice")]
    assert not any("DCGM" in each for each in health.looked_at)


@pytest.mark.parametrize(("status", "evidence"), [("Error", "error"), ("", "no status"), ("Passed?", "passed?")])
def test_an_unknown_status_makes_the_node_unknown(tmp_path: Path, status: str, evidence: str) -> None:
    problem = only(Node(tmp_path).judge(failing("Words.", severity=6, status=status)))
    assert (problem.code, problem.verdict, problem.evidence) == ("gpu-dcgm", "unknown", evidence)
