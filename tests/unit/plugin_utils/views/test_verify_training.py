# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tasks of the role verify_training need."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import verify_training as views

from .._training.test_report import NOT_RUN, THREE, job

P5 = {"name": "ml.p5.48xlarge", "known": True, "gpus": 8, "efa_devices": 32, "neuron_devices": 0}
G5 = {"name": "ml.g5.8xlarge", "known": True, "gpus": 1, "efa_devices": 1, "neuron_devices": 0}
CPU = {"name": "ml.c5.2xlarge", "known": True, "gpus": 0, "efa_devices": 0, "neuron_devices": 0}
UNKNOWN = {"name": "ml.p9.48xlarge", "known": False}
CLAIM = {"verify_training_claim": "fsx", "verify_training_namespace": "ml"}


def iid(number: int) -> str:
    return f"i-{number:017x}"


def variables(*nodes: tuple[str, str], results: t.Sequence[t.Any] = (), **given: t.Any) -> dict[str, t.Any]:
    """``nodes``: instance group and type of each."""
    hosts = {
        f"ml-{number}": {"hyperpod_instance_id": iid(number), "hyperpod_instance_group": group, "hyperpod_instance_type": kind}
        for number, (group, kind) in enumerate(nodes or [("gpu", P5["name"])] * 2, start=1)
    }
    own = {
        "inventory_hostname": "ml", "hyperpod_cluster_group": "cluster_ml", "hyperpod_cluster_id": "abc", "hyperpod_cluster_arn": "arn",
        "hyperpod_account_id": "111111111111", "hyperpod_region": "us-west-2", "hyperpod_state_dir": "/state",
        "verify_training_kill": False, "verify_training_groups": [], "verify_training_nodes": [], "verify_training_steps": 40, "verify_training_claim": "",
        "verify_training_namespace": "", "verify_training_queue": "", "verify_training_priority_class": "",
        "verify_training_kubeconfig": "", "verify_training_context": "", "verify_training_json": "verify_training.json",
        "__verify_training_types_seen": [P5, G5, CPU, UNKNOWN], "__verify_training_checkpoint": "abc-1",
        "__verify_training_results": list(results), "ansible_play_hosts": ["ml"], "ansible_play_hosts_all": ["ml"],
        "hyperpod_instance_groups": [{"name": name} for name in {"empty", *(group for group, _kind in nodes or [("gpu", "")])}],
        "groups": {"cluster_ml": ["ml", *hosts], "hyperpod_clusters": ["ml", "other"]}, **given,
    }  # fmt: skip
    return {**own, "hostvars": {**hosts, "ml": own}}


def codes(found: t.Sequence[t.Mapping[str, t.Any]]) -> list[str]:
    return [str(each["code"]) for each in found]


def test_the_first_job() -> None:
    made = views.coming(variables())
    nodes = [f"hyperpod-{iid(1)}", f"hyperpod-{iid(2)}"]
    assert made == views.Job(nodes, 8, True, "mlfleet-training", None, steps=40, resume_from=0, checkpoint_every=20, kill=False)


def test_the_second_job_resumes_the_first_one() -> None:
    made = views.coming(variables(results=[job()], **CLAIM))
    assert made is not None and (made.steps, made.resume_from, made.checkpoint, made.namespace) == (80, 40, "abc-1", "ml")
    assert made.kill is False


@pytest.mark.parametrize("kill", [True, "true"])
def test_a_process_of_the_third_job_is_killed(kill: t.Any) -> None:
    given = {**CLAIM, "verify_training_kill": kill}
    kills = [views.coming(variables(results=results, **given)) for results in ([], [job()], [job(), job(20, 40)])]
    assert [made and (made.kill, made.steps, made.resume_from) for made in kills] == [(False, 40, 0), (False, 80, 40), (True, 120, 80)]


@pytest.mark.parametrize(
    ("results", "claim"),
    [
        ([job()], {}), ([job(), job(20, 40)], CLAIM), ([job(verdict="failed")], CLAIM), ([NOT_RUN], CLAIM),
        ([job(), job(20, 40)], {**CLAIM, "verify_training_kill": "false"}),
        ([job(), job(20, 40, verdict="failed")], {**CLAIM, "verify_training_kill": True}),
        ([*THREE], {**CLAIM, "verify_training_kill": True}),
    ],
)
def test_no_further_job(results: t.Any, claim: dict[str, str]) -> None:
    assert views.coming(variables(results=results, **claim)) is None


@pytest.mark.parametrize(
    ("given", "nodes"),
    [
        (variables(("a", P5["name"]), ("b", CPU["name"])), [1]),
        (variables(("a", P5["name"]), ("b", G5["name"]), verify_training_groups=["b"]), [2]),
        (variables(("a", P5["name"]), ("a", P5["name"]), verify_training_nodes=[iid(2)]), [2]),
    ],
)
def test_nodes_that_are_chosen(given: dict[str, t.Any], nodes: list[int]) -> None:
    made = views.coming(given)
    assert made is not None and made.nodes == [f"hyperpod-{iid(number)}" for number in nodes]


def test_only_types_with_all_their_efa_devices_must_prove_it() -> None:
    made = views.coming(variables(("a", G5["name"])))
    assert made is not None and (made.gpus, made.efa) == (1, False)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (variables(("a", P5["name"]), ("b", G5["name"])), "different instance types (ml.g5.8xlarge, ml.p5.48xlarge)"),
        (variables(("a", CPU["name"])), "No node with GPUs exists"),
        (variables(verify_training_groups=["empty"]), "No node with GPUs exists"),
        (variables(verify_training_groups=["gpu", "none"]), "The cluster has no instance group none."),
        (variables(("a", P5["name"]), ("b", CPU["name"]), verify_training_nodes=[iid(1), iid(2)]), f"have no GPUs: hyperpod-{iid(2)}."),
        (variables(("a", UNKNOWN["name"])), "The number of GPUs of ml.p9.48xlarge is not known."),
        (variables(verify_training_nodes=[iid(9)]), f"have no node {iid(9)}."),
    ],
)
def test_nodes_that_cannot_be_chosen(given: dict[str, t.Any], why: str) -> None:
    assert views.coming(given) is None
    (found,) = views.found(given)
    assert found["code"] == "training-not-verified" and why in found["text"]
    assert views.outcome(given)["verdict"] == "not_run" and why in views.outcome(given)["why"]


def test_types_and_the_directory_of_checkpoints() -> None:
    assert views.types(variables(("a", P5["name"]), ("b", G5["name"]))) == ["ml.g5.8xlarge", "ml.p5.48xlarge"]
    assert views.checkpoint(variables()).startswith("abc-20") and ":" not in views.checkpoint(variables())


def test_devices() -> None:
    assert views.devices(variables(__verify_training_types={"instance_types": [P5]})) == [P5]
    assert views.devices(variables(__verify_training_types={"skipped": True})) == []


def test_results() -> None:
    assert views.results(variables(results=[job()], __verify_training_job={"training_job": job(20, 40)})) == [job(), job(20, 40)]
    (failed,) = views.results(variables(__verify_training_job={"msg": "GET /x was answered with 403: no\x1b\nTraceback"}))
    assert (failed["verdict"], failed["failure"], failed["text"]) == ("not_run", "module-failed", "GET /x was answered with 403: no?")


@pytest.mark.parametrize(
    ("results", "claim", "expected"),
    [
        ([job(), job(20, 40)], CLAIM, ["training-passed", "training-passed"]),
        ([job()], {}, ["training-passed", "training-not-resumed"]),
        ([job(verdict="failed", problems=[{"code": "a", "text": "b"}, {"code": "c", "text": "d"}])], CLAIM, ["training-failed"] * 2),
        ([job(), job(20, 40, validation=2.5)], CLAIM, ["training-passed", "training-passed", "training-failed"]),
        ([*THREE], {**CLAIM, "verify_training_kill": True}, ["training-passed"] * 3),
        ([*THREE[:2], job(40, 60, validation=2.5)], {**CLAIM, "verify_training_kill": True}, [*["training-passed"] * 3, "training-failed"]),
        ([*THREE[:2], NOT_RUN], {**CLAIM, "verify_training_kill": True}, ["training-passed", "training-passed", "training-not-verified"]),
        ([NOT_RUN], CLAIM, ["training-not-verified"]),
        ([job(), job(20, 40, validation=None)], CLAIM, ["training-passed", "training-passed", "training-not-verified"]),
        ([job(verdict="failed", problems=[{"code": "a", "text": "b"}, {"code": "log-not-read", "text": "d"}])], CLAIM,
         ["training-failed", "training-not-verified"]),
        ([job(verdict="not_run")], CLAIM, ["training-not-verified"]),
        ([job(verdict="not_run", failure="check-mode")], {}, ["training-planned"]),
    ],
)
def test_findings(results: t.Any, claim: dict[str, str], expected: list[str]) -> None:
    assert codes(views.found(variables(results=results, **claim))) == expected


@pytest.mark.parametrize(
    ("kill", "results", "expected"),
    [(True, THREE, ("passed", True)), (True, THREE[:2], ("not_run", False)), (False, THREE[:2], ("passed", False))],
)
def test_a_job_with_a_killed_process_is_required_if_requested(kill: bool, results: t.Any, expected: tuple[str, bool]) -> None:
    found = views.outcome(variables(results=results, verify_training_kill=kill, **CLAIM))
    assert (found["verdict"], found["survive_verified"]) == expected


def test_the_report_has_the_clusters_that_were_asked() -> None:
    given = variables(results=[job(), job(20, 40)], **CLAIM)
    given["hostvars"]["ml"]["__verify_training_outcome"] = views.outcome(given)
    made = views.report(given)
    assert made.files[0]["path"] == "/state/verify_training.json" and '"passed"' in made.files[0]["content"]
    assert "ml: It trains" in str(made.lines) and "other" not in made.files[0]["content"]
    assert views.report({**given, "verify_training_json": ""}).files == []


def test_the_api_server() -> None:
    given = variables(hyperpod_run={"cluster": {"eks_cluster_arn": "arn:eks"}})
    assert views.server(given).eks_cluster == "arn:eks"
    assert views.server({**given, "verify_training_kubeconfig": "/k"}).kubeconfig == "/k"


def test_a_cluster_that_failed_before_is_in_the_report_of_the_others() -> None:
    given = variables(results=[job(), job(20, 40)], ansible_play_hosts=["other", "ml"], ansible_play_hosts_all=["ml", "other"], **CLAIM)
    given["hostvars"]["other"] = {"hyperpod_cluster_arn": "arn2"}
    given["hostvars"]["ml"]["__verify_training_outcome"] = views.outcome(given)
    made = views.report(given)
    assert "other: Training was not verified. It failed before that." in str(made.lines) and "arn2" in made.files[0]["content"]
    assert views.reports(given) is True
    given["hostvars"]["other"]["__verify_training_outcome"] = views.outcome(given)
    assert views.reports(given) is False
