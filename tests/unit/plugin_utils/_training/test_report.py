# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks of a cluster, its verdict, and the document."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training import report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import Check
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.compared import measured_before
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import Cluster, document, of_cluster, verdict
from simulated.training_report import CREATED, cluster, job, unshared

NONE = {
    "losses": [], "checkpoints": [], "weights": "not_read", "carried_by": "",
    **dict.fromkeys(("first_loss", "last_loss", "tokens_per_second", "first_step")),
}  # fmt: skip
NOT_RUN = job(verdict="not_run", failure="busy", text="The nodes are busy.", **NONE)
TWO = (job(), job("resume", 40, 80))
THREE = (*TWO, job("survive", 80, 120))
FOUR = (*THREE, job("recover", 120, 160))
BAD = {"validation": 9.0}
"""A job without the loss before the checkpoint."""
FAILED = Check("nodes", "failed", "Bad.")


def verdicts(given: Cluster) -> dict[str, str]:
    return {each.name: each.verdict for each in report.checks(given)}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (cluster(*TWO), "passed"),
        (cluster(job(), resumes=False), "passed"),
        (cluster(job()), "not_run"),
        (cluster(why="No node."), "not_run"),
        (cluster(NOT_RUN), "not_run"),
        (cluster(job(), NOT_RUN), "not_run"),
        (cluster(job(verdict="failed"), resumes=False), "failed"),
        (cluster(job(), job("resume", 40, 80, verdict="failed")), "failed"),
        (cluster(job(), job("resume", 40, 80, **BAD)), "failed"),
        (cluster(job(), job("resume", 40, 80, validation=None)), "not_run"),
        (cluster(job(), job("resume", 20, 80)), "failed"),
        (cluster(*FOUR, survives=True), "passed"),
        (cluster(*THREE, survives=True), "not_run"),
        (cluster(*THREE, survives=True, nodes=1), "passed"),
        (cluster(*THREE, job("recover", 120, 160, verdict="failed"), survives=True), "failed"),
        (cluster(*THREE, job("recover", 80, 160), survives=True), "failed"),
        (cluster(*TWO, survives=True), "not_run"),
        (cluster(*TWO, NOT_RUN, survives=True), "not_run"),
        (cluster(*TWO, job("survive", 80, 120, verdict="failed"), survives=True), "failed"),
        (cluster(*TWO, job("survive", 80, 120, **BAD), survives=True), "failed"),
        (cluster(*TWO, job("survive", 40, 120), survives=True), "failed"),
        (cluster(*TWO, before=()), "not_run"),
        (cluster(before=(FAILED,)), "failed"),
        (cluster(*TWO, before=(Check("nodes", "good", "?"), *cluster().before[1:])), "not_run"),
        (cluster(*TWO, before=(cluster().before[0], Check("health", "skipped", ""), Check("nccl", "skipped", ""))), "passed"),
        (unshared(), "failed"),
    ],
)
def test_the_worst_of_all_checks_counts(given: Cluster, expected: str) -> None:
    assert of_cluster(given, created=CREATED)["verdict"] == verdict(report.checks(given)) == expected


@pytest.mark.parametrize("skipped", [0, 8])
def test_no_check_is_no_success(skipped: int) -> None:
    assert verdict([Check("nodes", "skipped", "")] * skipped) == "not_run"


def test_all_checks_are_in_the_order_of_the_article() -> None:
    for given in (cluster(*FOUR, survives=True), cluster(why="No node."), cluster(before=()), cluster(job(), resumes=False)):
        assert list(verdicts(given)) == ["nodes", "health", "nccl", "storage", "train", "resume", "survive", "recover"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (cluster(*FOUR, survives=True), ("passed",) * 5),
        (cluster(*THREE, survives=True), ("passed", "passed", "passed", "passed", "not_run")),
        (cluster(*THREE, survives=True, nodes=1), ("passed", "passed", "passed", "passed", "skipped")),
        (cluster(*TWO), ("passed", "passed", "passed", "skipped", "skipped")),
        (cluster(job(), resumes=False), ("skipped", "passed", "skipped", "skipped", "skipped")),
        (cluster(before=(FAILED,)), ("not_run", "not_run", "not_run", "skipped", "skipped")),
        (cluster(why="No node.", resumes=False), ("not_run",) * 5),
        (cluster(NOT_RUN), ("not_run", "not_run", "not_run", "skipped", "skipped")),
    ],
)
def test_checks_are_skipped_if_not_requested_and_not_run_if_not_reached(given: Cluster, expected: tuple[str, ...]) -> None:
    assert tuple(verdicts(given)[name] for name in ("storage", "train", "resume", "survive", "recover")) == expected


OTHER_NAMES = "verify_training_kind: the Pods of a Job may be created again under different names. Choose PyTorchJob."


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"survives": False}, ("skipped", "Not requested by verify_training_kill.")),
        ({"survives": False, "kind": "Job"}, ("skipped", "Not requested by verify_training_kill.")),
        ({}, ("not_run", "An earlier check did not pass.")),
        ({"kind": "PyTorchJob", "nodes": 2}, ("not_run", "An earlier check did not pass.")),
        ({"nodes": 1}, ("skipped", "The test requires several nodes, because with one node no launcher can lose the rendezvous.")),
        ({"kind": "Job", "results": ()}, ("skipped", OTHER_NAMES)),
        ({"results": (job(kind="Job"),)}, ("skipped", OTHER_NAMES)),
        ({"results": (job(kind=""), job("resume", 40, 80, kind="Job"))}, ("skipped", OTHER_NAMES)),
        ({"kind": "TrainJob", "results": ()}, ("skipped", OTHER_NAMES.replace("Job ", "TrainJob "))),
        ({"kind": "HyperPodPyTorchJob", "results": ()}, ("skipped", OTHER_NAMES.replace("Job ", "HyperPodPyTorchJob "))),
    ],
)
def test_the_reason_why_no_pod_is_deleted_is_given(given: dict[str, t.Any], expected: tuple[str, str]) -> None:
    results, of_cluster = given.get("results", THREE), {key: value for key, value in given.items() if key != "results"}
    found = report.checks(cluster(*results, **{"survives": True, **of_cluster}))[-1]
    assert (found.name, found.verdict, found.text) == ("recover", *expected)


OTHER = {"code": "weights-differ", "text": "Ranks differ."}
SHARED = {"code": "storage-not-shared", "text": "Not visible."}


@pytest.mark.parametrize(
    ("first", "verdict", "text"),
    [
        (job(), "passed", "All nodes saw the checkpoints. Written at 1834 MiB/s."),
        (job(write_mib_per_second=None), "passed", "All nodes saw the checkpoints."),
        (
            job(nodes=["a"]),
            "passed",
            "The node saved checkpoints. One node does not prove that storage is shared. Written at 1834 MiB/s.",
        ),
        (job(verdict="failed", problems=[OTHER]), "passed", "All nodes saw the checkpoints. Written at 1834 MiB/s."),
        (
            job(verdict="failed", problems=[OTHER], checkpoints=[]),
            "not_run",
            "No checkpoint was reported, so it is not known whether the nodes share the storage.",
        ),
        (job(verdict="failed", problems=[OTHER, SHARED]), "failed", "Not visible."),
        (
            job(verdict="not_run", failure="claim", text="The claim is ReadWriteOnce.", **NONE),
            "failed",
            "The claim is ReadWriteOnce.",
        ),
        (NOT_RUN, "not_run", "The first job did not run, so no checkpoint was written."),
    ],
)
def test_storage_is_checked_by_the_first_job(first: dict[str, t.Any], verdict: str, text: str) -> None:
    (found,) = (each for each in report.checks(cluster(first)) if each.name == "storage")
    assert (found.verdict, found.text) == (verdict, text)


def test_the_rates_of_storage_are_figures() -> None:
    (found,) = (each for each in report.checks(cluster(*TWO)) if each.name == "storage")
    assert found.figures == {"write_mib_per_second": 1834.2, "read_mib_per_second": 2210.7}


def test_a_job_that_did_not_continue_the_previous_one_is_described() -> None:
    found = {each.name: each for each in report.checks(cluster(job(), job("resume", 40, 80, **BAD)))}["resume"]
    assert found.text == found.problems[0].text and found.problems[0].code == "validation-differs"


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ([job()], {}),
        ([job(), NOT_RUN], {}),
        ([*TWO], {"resume": []}),
        ([job(), job("resume", 40, 80, **BAD)], {"resume": ["validation-differs"]}),
        ([*FOUR], {"resume": [], "survive": [], "recover": []}),
        ([*THREE, job("recover", 120, 160, **BAD)], {"resume": [], "survive": [], "recover": ["validation-differs"]}),
        ([*TWO, NOT_RUN], {"resume": []}),
        ([*TWO, job("survive", 80, 120, **BAD)], {"resume": [], "survive": ["validation-differs"]}),
        ([job(), job("resume", 40, 80, **BAD), THREE[2]], {"resume": ["validation-differs"], "survive": []}),
    ],
)
def test_the_continuation_of_each_job_is_described(results: t.Any, expected: dict[str, list[str]]) -> None:
    continued = report.continued(dict(zip(report.OWN, results)))
    assert {name: [each.code for each in found] for name, found in continued.items()} == expected


@pytest.mark.parametrize(
    ("resumes", "survives", "given", "names"),
    [
        (False, False, {}, ("train",)),
        (True, False, {}, ("train", "resume")),
        (True, True, {}, ("train", "resume", "survive", "recover")),
        (True, True, {"nodes": 1}, ("train", "resume", "survive")),
        (True, True, {"kind": "Job"}, ("train", "resume", "survive")),
        (True, True, {"kind": "Job", "results": TWO}, ("train", "resume", "survive", "recover")),
        (False, False, {"model": "a/b"}, ("train", "fine-tune")),
        (True, True, {"model": "a/b", "nodes": 1}, ("train", "resume", "survive", "fine-tune")),
    ],
)
def test_required_jobs_are_selected(resumes: bool, survives: bool, given: dict[str, t.Any], names: tuple[str, ...]) -> None:
    options = {"nodes": 2, **given}
    assert cluster(*options.pop("results", ()), resumes=resumes, survives=survives, **options).wanted == names


def test_the_document_is_json_without_manifests() -> None:
    made = document({"ml": of_cluster(cluster(*TWO), created=CREATED)}, created=CREATED, not_read=["x"])
    assert json.loads(json.dumps(made, allow_nan=False)) == made and (made["schema"], made["inventory_failures"]) == (2, ["x"])
    assert list(made["clusters"]["ml"]["jobs"]) == ["train", "resume"] and "manifest" not in made["clusters"]["ml"]["jobs"]["train"]
    assert made["measured"]["ml"]["created"] == CREATED and made["clusters"]["ml"]["price"].startswith("about 132.10 USD")


def test_earlier_measurements_are_kept_for_unmeasured_clusters() -> None:
    first = document(
        {name: of_cluster(cluster(job()), created=CREATED) for name in ("ml", "other", "third")}, created=CREATED, not_read=[]
    )
    known = measured_before(first)
    faster = of_cluster(cluster(job(tokens_per_second=300_000.0)), created="2026-11-30T00:00:00Z", before=known["ml"])
    made = document(
        {"ml": faster, "other": of_cluster(cluster(NOT_RUN), created="")}, created="2026-11-30T00:00:00Z", not_read=[], before=known
    )
    rates = {key: (row["created"], row["rates"]["tokens_per_second"]) for key, row in made["measured"].items()}
    assert rates == {"ml": ("2026-11-30T00:00:00Z", 300_000.0), "other": (CREATED, 283_900.0), "third": (CREATED, 283_900.0)}
    assert made["clusters"]["ml"]["compared"]["since"] == CREATED and made["clusters"]["other"]["compared"] is None


def test_jobs_are_in_the_order_in_which_they_ran() -> None:
    read = json.loads(json.dumps(of_cluster(cluster(*FOUR, survives=True), created=CREATED), sort_keys=True))
    assert [name for name, _job in report.jobs_of(read)] == ["train", "resume", "survive", "recover"]


def test_a_problem_of_several_checks_is_listed_once() -> None:
    found = report.problems(of_cluster(unshared(), created=CREATED))
    assert [each[:2] for each in found] == [("health", "health-unknown"), ("storage, train", "storage-not-shared")]


@pytest.mark.parametrize(
    ("given", "steps", "loss"),
    [
        (job(first_loss=6.416, last_loss=0.2748), "1 to 40", "6.42 to 0.275"),
        (job(last_loss=None), "1 to 40", ""),
        (NOT_RUN, "", ""),
    ],
)
def test_steps_and_loss_of_a_job_are_described(given: dict[str, t.Any], steps: str, loss: str) -> None:
    assert (report.steps_of(given), report.loss_of(given)) == (steps, loss)
