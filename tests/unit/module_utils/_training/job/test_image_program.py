# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on a program of the image: exit statuses, nodes, digests and the network. Its reports of steps prove nothing."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import NotRun, PodLog, Ran
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.result import ran

from ..logged import EFA, SOCKETS, trained
from .described import desired
from .test_result import planned

GIVEN: dict[str, t.Any] = {"program": None, "arguments": ["/opt/train.py"], "gpus": 8, "namespace": "mlfleet-training", "claim": None, "checkpoint": None}


def pods(*second: dict[str, t.Any], network: t.Sequence[str] = EFA, **of_second: t.Any) -> tuple[PodLog, ...]:
    text = "\n".join(network) + "\n"
    return PodLog("w-0", "a", text, 0), PodLog("w-1", **{"node": "b", "text": text, "status": 0, **of_second})


def result(*logs: PodLog, late: bool = False, **given: t.Any) -> dict[str, t.Any]:
    return ran(desired(**{**GIVEN, **given}), planned(**GIVEN), Ran(logs, late=late))


def test_a_program_that_ended_on_all_nodes_passes() -> None:
    made = result(*pods(), efa=True)
    text = "The image's program ended without an error in 16 processes on 2 nodes, and EFA carried its traffic. The loss is not assessed."
    assert (made["verdict"], made["text"], made["problems"]) == ("passed", text, [])
    assert (made["weights"], made["carried_by"], made["losses"], made["last_loss"]) == ("not_assessed", "EFA", [], None)
    assert made["evidence"] and made["manifest"]["kind"] == "Job"


def test_reports_of_steps_in_the_log_prove_nothing() -> None:
    logs = ["\n".join(lines) for lines in trained().pods]
    made = result(PodLog("w-0", "a", logs[0], 0), PodLog("w-1", "b", logs[1], 0))
    assert (made["verdict"], made["losses"], made["first_loss"], made["weights"]) == ("passed", [], None, "not_assessed")


@pytest.mark.parametrize(
    ("changes", "given", "verdict", "code"),
    [
        ({"status": 1, "trouble": "Error"}, {}, "failed", "pod-failed"),
        ({"status": 137, "reasons": ("OOMKilled",), "trouble": "OOMKilled"}, {}, "failed", "out-of-memory"),
        ({"status": None, "gone": True}, {}, "failed", "pod-gone"),
        ({"node": "a"}, {}, "failed", "rank-on-another-node"),
        ({"restarts": 1}, {}, "failed", "restarted"),
        ({"status": None}, {"late": True}, "failed", "deadline"),
        ({"status": None}, {}, "not_run", "exit-unproven"),
        ({"network": SOCKETS}, {"efa": True}, "failed", "carried-by-sockets"),
        ({"network": ()}, {"efa": True}, "not_run", "carrier-unproven"),
        ({"unread": "403"}, {"efa": True}, "not_run", "carrier-unproven"),
    ],
)
def test_each_missing_proof_is_reported(changes: dict[str, t.Any], given: dict[str, t.Any], verdict: str, code: str) -> None:
    made = result(*pods(**changes), **given)
    assert (made["verdict"], code in [each["code"] for each in made["problems"]]) == (verdict, True), made["problems"]


def test_different_images_fail() -> None:
    one, other = pods(image="x@sha256:" + "b" * 64)
    made = result(PodLog("w-0", "a", one.text, 0, image="x@sha256:" + "a" * 64), other)
    assert [each["code"] for each in made["problems"]] == ["images-differ"]


def test_a_program_that_did_not_run_is_not_assessed() -> None:
    made = ran(desired(**GIVEN), planned(**GIVEN), NotRun("image", "No."))
    assert (made["verdict"], made["failure"], made["text"]) == ("not_run", "image", "No.")
