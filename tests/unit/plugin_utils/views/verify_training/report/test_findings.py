# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings of a cluster, and its part of the report on all clusters."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import report as views

from ..given import BROKEN, BUSY, CLAIM, FOUR, KILL, PASSED, THREE, codes, iid, job, variables

UNKNOWN = {"name": "health", "verdict": "not_run", "text": "?", "problems": [{"code": "health-unknown", "text": "No Pod."}]}


@pytest.mark.parametrize(
    ("results", "claim", "expected"),
    [
        ([job(), job(20, 40)], CLAIM, ["training-passed", "training-passed"]),
        ([job()], {}, ["training-passed", "training-not-resumed"]),
        ([job(verdict="failed", problems=[{"code": "a", "text": "b"}, {"code": "c", "text": "d"}])], CLAIM, ["training-failed"] * 2),
        ([job(), job(20, 40, validation=2.5)], CLAIM, ["training-passed", "training-passed", "training-failed"]),
        ([*FOUR], KILL, ["training-passed"] * 4),
        ([*THREE], KILL, [*["training-passed"] * 3, "training-not-verified"]),
        ([*THREE[:2], job(40, 60, kind="Job")], KILL, ["training-passed"] * 3),
        ([*THREE[:2], job(40, 60, validation=2.5)], KILL, [*["training-passed"] * 3, "training-failed"]),
        ([*THREE[:2], BUSY], KILL, ["training-passed", "training-passed", "training-not-verified"]),
        ([BUSY], CLAIM, ["training-not-verified"]),
        ([job(), job(20, 40, validation=None)], CLAIM, ["training-passed", "training-passed", "training-not-verified"]),
        ([job(verdict="failed", problems=[{"code": "a", "text": "b"}, {"code": "log-not-read", "text": "d"}])], CLAIM,
         ["training-failed", "training-not-verified"]),
        ([job(verdict="not_run")], CLAIM, ["training-not-verified"]),
        ([job(verdict="not_run", failure="check-mode")], {}, ["training-planned"]),
        ([], {"__verify_training_checks": BROKEN}, ["training-failed"]),
        ([], {"__verify_training_checks": [{**BROKEN[0], "problems": [*BROKEN[0]["problems"], {"code": "slices-not-read", "text": "403"}]}]},
         ["training-failed", "training-not-verified"]),
        ([job()], {"__verify_training_checks": [PASSED[0], UNKNOWN, PASSED[2]]}, ["training-not-verified", "training-passed", "training-not-resumed"]),
    ],
)
def test_a_cluster_has_its_findings(results: t.Any, claim: dict[str, t.Any], expected: list[str]) -> None:
    assert codes(views.found(variables(results=results, **claim))) == expected


IDLE = {"name": "nodes", "verdict": "not_run", "text": "No node is idle.", "problems": [{"code": "none-idle", "text": "No node is idle."}]}


def test_a_scheduled_run_without_idle_nodes_verifies_nothing_and_does_not_fail() -> None:
    given = variables(__verify_training_checks=[IDLE], __verify_training_left_out=[f"hyperpod-{iid(number)}" for number in (1, 2)])
    found = views.found(given)
    assert [(each["kind"], each["code"]) for each in found] == [("pending", "training-none-idle")]
    assert found[0]["text"].startswith("Not verified: no node is idle") and views.outcome(given)["verdict"] == "not_run"


def test_other_missing_evidence_still_fails_a_run_without_idle_nodes() -> None:
    both = {**IDLE, "problems": [*IDLE["problems"], {"code": "slices-not-read", "text": "403"}]}
    found = views.found(variables(__verify_training_checks=[both]))
    assert {each["kind"] for each in found} == {"failure"} and codes(found) == ["training-not-verified"] * 2


def test_an_unpatched_image_is_reported() -> None:
    image = "public.ecr.aws/deep-learning-containers/pytorch-training:2.9.0-gpu-py312-cu130-ubuntu22.04-ec2"
    found = views.found(variables(results=[job()], verify_training_image=image))
    assert codes(found)[-1] == "training-image-unpatched" and "ended on 2026-10-15" in found[-1]["text"]
    model = {"verify_training_model": "a/b", "verify_training_model_image": image}
    (of_model,) = (each["text"] for each in views.found(variables(results=[job()], **model)) if each["code"] == "training-image-unpatched")
    assert of_model.endswith("Set verify_training_model_image to a newer image.")
    both = views.found(variables(results=[job()], verify_training_image=image, **model))
    assert [each["text"].split()[-5] for each in both if each["code"] == "training-image-unpatched"] == ["verify_training_image"]


@pytest.mark.parametrize(
    ("kill", "results", "expected"),
    [
        (True, FOUR, ("passed", "passed", "passed")),
        (True, THREE, ("not_run", "passed", "not_run")),
        (True, [*THREE[:2], job(40, 60, kind="Job")], ("passed", "passed", "skipped")),
        (True, THREE[:2], ("not_run", "not_run", "not_run")),
        (False, THREE[:2], ("passed", "skipped", "skipped")),
    ],
)
def test_jobs_that_are_interrupted_are_required_if_requested(kill: bool, results: t.Any, expected: tuple[str, ...]) -> None:
    found = views.outcome(variables(results=results, **{**KILL, "verify_training_kill": kill}))
    assert (found["verdict"], *(each["verdict"] for each in found["checks"][-2:])) == expected


def test_the_planned_jobs_are_announced_with_their_price() -> None:
    price = {"total_per_hour": 132.1, "told": "about 132.10 USD an hour (2 x ml.p5.48xlarge 132.10)"}
    first, second = list(views.announced(variables(__verify_training_price=price, **CLAIM)))
    assert first == "2 nodes of ml.p5.48xlarge, with 8 GPUs each: about 132.10 USD an hour (2 x ml.p5.48xlarge 132.10)."
    assert second == "Each of the 2 jobs has a deadline 27 minutes after its creation."
    assert "Each of the 4 jobs" in views.announced(variables(**KILL))[1]
    _nodes, own, last = list(views.announced(variables(verify_training_model="a/b", **CLAIM)))
    assert own == second and last == "The job that trains a/b has a deadline 137 minutes after its creation."
    assert "price is unknown" in views.announced(variables(__verify_training_price={"failed": True, "msg": "403"}))[0]
    assert "price is unknown" in views.announced(variables(__verify_training_price={"total_per_hour": None, "told": "unknown"}))[0]


def test_the_report_contains_the_selected_clusters() -> None:
    given = variables(results=[job(), job(20, 40)], **CLAIM)
    given["hostvars"]["ml"]["__verify_training_outcome"] = views.outcome(given)
    made = views.report(given)
    assert made.files[0]["path"] == "/state/verify_training.json" and '"passed"' in made.files[0]["content"]
    assert "ml: Training works" in str(made.lines) and "other" not in made.files[0]["content"]
    assert views.report({**given, "verify_training_json": ""}).files == []


def test_a_cluster_that_failed_early_is_in_the_report_of_the_others() -> None:
    given = variables(results=[job(), job(20, 40)], ansible_play_hosts=["other", "ml"], ansible_play_hosts_all=["ml", "other"], **CLAIM)
    given["hostvars"]["other"] = {"hyperpod_cluster_arn": "arn2"}
    given["hostvars"]["ml"]["__verify_training_outcome"] = views.outcome(given)
    made = views.report(given)
    assert "other: Training was not verified. The run failed for this cluster before its training jobs." in str(made.lines)
    assert "arn2" in made.files[0]["content"]
    assert views.reports(given) is True
    given["hostvars"]["other"]["__verify_training_outcome"] = views.outcome(given)
    assert views.reports(given) is False
