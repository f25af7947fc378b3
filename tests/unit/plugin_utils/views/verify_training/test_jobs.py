# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The jobs of a cluster, one after the other."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.verify_training import jobs as views

from .given import BROKEN, BUSY, CLAIM, FOUR, KILL, P5, PASSED, THREE, iid, job, variables


def test_the_first_job_is_built() -> None:
    made = views.coming(variables())
    nodes = [f"hyperpod-{iid(1)}", f"hyperpod-{iid(2)}"]
    given = {"steps": 40, "resume_from": 0, "checkpoint_every": 20, "kill": False, "replace_pod": False, "remove_checkpoints": False}
    assert made == views.Job(nodes, 8, True, "mlfleet-training", None, **given)


def test_the_second_job_resumes_the_first_one() -> None:
    made = views.coming(variables(results=[job()], **CLAIM))
    assert made is not None and (made.steps, made.resume_from, made.checkpoint, made.namespace) == (80, 40, "abc-1", "ml")
    assert (made.kill, made.remove_checkpoints) == (False, True)


def test_check_mode_plans_all_jobs() -> None:
    planned = job(verdict="not_run", failure="check-mode", kind="PyTorchJob")
    given = {**KILL, "verify_training_model": "a/b", "ansible_check_mode": True}
    jobs = [made for number in range(5) if (made := views.coming(variables(results=[planned] * number, **given)))]
    assert [made.steps for made in jobs] == [40, 80, 120, 160]
    assert views.fine_tuning(variables(results=[planned] * 4, **given)) is not None
    assert views.coming(variables(results=[job(verdict="not_run", failure="busy")], **given)) is None


@pytest.mark.parametrize("kill", [True, "true"])
def test_a_process_of_the_third_job_is_killed_and_a_pod_of_the_fourth_one_deleted(kill: t.Any) -> None:
    given = {**CLAIM, "verify_training_kill": kill}
    jobs = [made for number in range(4) if (made := views.coming(variables(results=THREE[:number], **given)))]
    assert [(made.steps, made.resume_from) for made in jobs] == [(40, 0), (80, 40), (120, 80), (160, 120)]
    assert [(made.kill, made.replace_pod) for made in jobs] == [(False, False), (False, False), (True, False), (False, True)]
    assert [made.remove_checkpoints for made in jobs] == [False, False, False, True]


@pytest.mark.parametrize(
    ("results", "nodes", "given", "survives", "recovers"),
    [
        (THREE[:2], 2, {}, True, True),
        (THREE[:2], 1, {}, True, False),
        ([job(), job(20, 40, kind="PyTorchJob")], 2, {}, True, True),
        ([job(), job(20, 40, kind="Job")], 2, {}, True, False),
        (THREE[:2], 2, {"verify_training_kind": "PyTorchJob"}, True, True),
        (THREE[:2], 2, {"verify_training_kind": "Job"}, True, False),
        (THREE[:2], 2, {"verify_training_kill": False}, False, False),
    ],
)
def test_only_pods_of_a_pytorchjob_on_several_nodes_are_deleted(
    results: t.Any, nodes: int, given: dict[str, t.Any], survives: bool, recovers: bool
) -> None:
    own = {**KILL, **given}
    hosts = [("gpu", P5["name"])] * nodes
    third = views.coming(variables(*hosts, results=results, **own))
    assert (third is not None, third is not None and third.remove_checkpoints) == (survives, survives and not recovers)
    fourth = views.coming(variables(*hosts, results=[*results, job(40, 60)], **own))
    assert (fourth is not None and fourth.replace_pod) is recovers


@pytest.mark.parametrize(
    ("results", "claim"),
    [
        ([job()], {}), ([job(), job(20, 40)], CLAIM), ([job(verdict="failed")], CLAIM), ([BUSY], CLAIM),
        ([job(), job(20, 40)], {**CLAIM, "verify_training_kill": "false"}),
        ([job(), job(20, 40, verdict="failed")], KILL),
        ([*FOUR], KILL),
        ([*THREE[:2], job(40, 60, verdict="failed")], KILL),
        ([], {"__verify_training_checks": BROKEN}),
        ([], {"__verify_training_left_out": [f"hyperpod-{iid(number)}" for number in (1, 2)]}),
        ([], {"__verify_training_checks": [PASSED[0], {**PASSED[1], "verdict": "failed"}]}),
    ],
)
def test_no_further_job_runs_after_a_failure(results: t.Any, claim: dict[str, t.Any]) -> None:
    assert views.coming(variables(results=results, **claim)) is None


@pytest.mark.parametrize(
    "checks",
    [
        [*PASSED[:2], {**PASSED[2], "verdict": "failed"}],
        [PASSED[0], {**PASSED[1], "verdict": "not_run"}, PASSED[2]],
        [PASSED[0], {**PASSED[1], "verdict": "skipped"}],
    ],
)
def test_neither_a_slow_network_nor_missing_evidence_prevents_training(checks: t.Any) -> None:
    assert views.coming(variables(__verify_training_checks=checks)) is not None


def test_results_of_jobs_are_collected() -> None:
    assert views.results(variables(results=[job()], __verify_training_job={"training_job": job(20, 40)})) == [job(), job(20, 40)]
    (failed,) = views.results(variables(__verify_training_job={"msg": "GET /x was answered with 403: no\x1b\nTraceback"}))
    assert (failed["verdict"], failed["failure"], failed["text"]) == ("not_run", "module-failed", "GET /x was answered with 403: no?")


MODEL = {"verify_training_model": "meta-llama/Llama-2-7b-hf"}
ACCESS = {"name": "access", "verdict": "passed", "text": "Good.", "problems": []}


def test_the_program_of_the_user_runs_after_all_other_jobs() -> None:
    first = variables(**MODEL)
    assert views.coming(first) is not None and views.fine_tuning(first) is None
    last = variables(results=[job()], **MODEL)
    made = views.fine_tuning(last)
    assert views.coming(last) is None and made is not None
    assert (made.image, made.namespace, made.checkpoint, made.gpus, made.efa) == ("pytorch:2", "mlfleet-training", None, 8, True)
    assert made.environment == {"HF_ENDPOINT": "https://hub.example.com", "NCCL_DEBUG": "WARN"}
    claimed = views.fine_tuning(variables(results=THREE[:2], verify_training_model_image="own:1", **MODEL, **CLAIM))
    assert claimed is not None and (claimed.image, claimed.namespace, claimed.checkpoint) == ("own:1", "ml", "abc-1")


def test_checkpoints_are_removed_before_the_program_of_the_user_runs() -> None:
    made = views.coming(variables(results=[job()], **MODEL, **CLAIM))
    assert made is not None and made.remove_checkpoints


@pytest.mark.parametrize(
    ("results", "given"),
    [
        ([job()], {}),
        ([job(verdict="failed")], MODEL),
        ([job(), job()], MODEL),
        ([job()], {**MODEL, "__verify_training_checks": [{**ACCESS, "verdict": "failed"}, *PASSED]}),
        ([job()], {**MODEL, "__verify_training_checks": [{**ACCESS, "verdict": "not_run"}, *PASSED]}),
    ],
)
def test_the_program_of_the_user_does_not_run(results: t.Any, given: dict[str, t.Any]) -> None:
    assert views.fine_tuning(variables(results=results, **given)) is None


@pytest.mark.parametrize("verdict", ["failed", "not_run"])
def test_without_access_to_the_model_nothing_runs(verdict: str) -> None:
    assert views.coming(variables(__verify_training_checks=[{**ACCESS, "verdict": verdict}, *PASSED], **MODEL)) is None
    assert views.coming(variables(__verify_training_checks=[ACCESS, *PASSED], **MODEL)) is not None
