# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Registrations with the NVLink fabric that are neither good nor known to be bad, on known and unknown types."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import registration
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected, expected

from .judge.nodes import Node, lean, verdicts

H100, GB200, UNKNOWN_TYPE = "ml.p5.48xlarge", "ml.p6e-gb200.36xlarge", Expected(None, None, None, None, "nobody")
UNKNOWN = [
    ({"fabric/status": "N/A"}, "gpu-fabric", "state: Completed, status: N/A"),
    ({"fabric/state": "N/A", "fabric/status": "N/A"}, "gpu-fabric", "state: N/A, status: N/A"),
    ({"fabric": "N/A"}, "gpu-fabric", "state: N/A"),
    ({"fabric/state": "Unknown Error"}, "gpu-fabric", "state: Unknown Error"),
    ({"fabric/state": "Not Applicable", "fabric/status": "N/A"}, "gpu-fabric", "state: Not Applicable"),
    ({"fabric/state": "Suspended"}, "gpu-fabric", "state: Suspended"),
    ({"fabric/health/summary": "Perhaps"}, "gpu-fabric-health", "summary: Perhaps"),
    ({"fabric/health/bandwidth": "Unknown Error"}, "gpu-fabric-health", "bandwidth: Unknown Error"),
    ({"fabric/health/route_unhealthy": "ERR!"}, "gpu-fabric-health", "route_unhealthy: ERR!"),
    ({"fabric/health": "Unknown Error"}, "gpu-fabric-health", "summary: Unknown Error"),
    ({"fabric/health": "ERR!"}, "gpu-fabric-health", "summary: ERR!"),
    ({"fabric/health/incorrect_configuration": "Unknown Error"}, "gpu-fabric-health", "incorrect_configuration: Unknown Error"),
    ({"fabric/health/incorrect_configuration": "[ERR!]"}, "gpu-fabric-health", "incorrect_configuration: [ERR!]"),
]


@pytest.mark.parametrize(("values", "code", "evidence"), UNKNOWN)
def test_values_on_no_list_are_unknown(values: dict[str, str | None], code: str, evidence: str, tmp_path: Path) -> None:
    story = lean(H100, driver="595.91.07")
    story.gpus[6].elements.update(values)
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == ("unknown", [(code, "unknown")])
    assert evidence in health.problems[0].evidence and health.problems[0].part.startswith("GPU 6 ")


@pytest.mark.parametrize(("words", "verdict"), [("True", "unknown"), ("3", "unknown"), ("False", "fit"), ("None", "fit"), ("N/A", "fit")])
def test_a_flag_of_a_newer_driver_is_unknown_unless_it_is_off(words: str, verdict: str, tmp_path: Path) -> None:
    story = lean(H100, driver="595.91.07")
    story.gpus[2].elements = {"fabric/health/new_flag": words}
    health = Node(tmp_path).judge(story)
    assert health.verdict == verdict
    assert [each.evidence for each in health.problems] == ([f"new_flag: {words}"] if verdict == "unknown" else [])


@pytest.mark.parametrize(
    ("wanted", "verdict"), [(expected(GB200), "unfit-reboot"), (UNKNOWN_TYPE, "unknown")], ids=["known type", "unknown type"]
)
def test_an_unregistered_tray_is_judged_by_its_type(wanted: Expected, verdict: str, tmp_path: Path) -> None:
    story = lean(GB200)
    for gpu in story.gpus:
        gpu.elements = {"fabric/state": "Not Supported", "fabric/health": "Not Supported"}
    health = Node(tmp_path).judge(story, wanted=wanted)
    assert (health.verdict, verdicts(health)) == (verdict, [("gpu-fabric", verdict)] * 4)


def test_if_one_gpu_is_registered_the_others_must_be(tmp_path: Path) -> None:
    story = lean(GB200)
    story.gpus[1].elements = {"fabric/state": "N/A", "fabric/status": "N/A", "fabric/health": None}
    assert verdicts(Node(tmp_path).judge(story, wanted=UNKNOWN_TYPE)) == [("gpu-fabric", "unknown")]


def test_a_board_that_registers_no_gpu_is_judged_by_its_links(tmp_path: Path) -> None:
    story = lean("ml.p4d.24xlarge")
    assert Node(tmp_path / "known").judge(story).verdict == Node(tmp_path / "unknown").judge(story, wanted=UNKNOWN_TYPE).verdict == "fit"


def test_a_registration_that_cannot_be_judged_is_neither_good_nor_bad(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(H100)
    story.gpus[0].elements = {"fabric/state": "N/A"}
    story.gpus[1].elements = {"fabric/state": "In Progress"}
    node.judge(story)
    assert [registration.is_good(node.look, gpu) for gpu in node.look.gpus[:3]] == [None, False, True]


@pytest.mark.parametrize(
    ("flags", "verdict", "cause", "evidence"),
    [
        ({"summary": "Limited Capacity", "bandwidth": "Degraded"}, "unfit-reboot", "fabric", "bandwidth: Degraded"),
        ({"incorrect_configuration": "SomethingElse"}, "watch", "config", "incorrect_configuration: SomethingElse"),
        (
            {"incorrect_configuration": "SomethingElse", "summary": "Limited Capacity"},
            "watch",
            "fabric",
            "summary: Limited Capacity, incorrect_configuration: SomethingElse",
        ),
        ({"incorrect_configuration": "SomethingElse", "bandwidth": "Degraded"}, "unfit-reboot", "fabric", "bandwidth: Degraded"),
    ],
)
def test_the_worst_flags_are_the_evidence(
    flags: dict[str, str], verdict: str, cause: str, evidence: str, tmp_path: Path
) -> None:
    story = lean(H100, driver="595.91.07")
    story.gpus[3].elements = {f"fabric/health/{name}": words for name, words in flags.items()}
    (problem,) = Node(tmp_path).judge(story).problems
    assert (problem.verdict, problem.cause) == (verdict, cause)
    assert sorted(problem.evidence.split(", ")) == sorted(evidence.split(", "))
