# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on a job as the module returns it."""

from __future__ import annotations

import dataclasses
import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.devices import Node, State as Nodes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.model import KubernetesNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import (
    NotRun,
    Outcome,
    Planned,
    PodLog,
    Ran,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.result import check_mode, not_run, ran

from ..logged import ATTEMPT, SOCKETS, Job, trained
from .described import RUN, desired

GIVEN: dict[str, t.Any] = {"gpus": 1, "steps": 20, "claim": "fsx", "checkpoint": "c", "namespace": "ml"}
CLAIM = {"spec": {"accessModes": ["ReadWriteMany"]}}


def planned(*, served: tuple[str, ...] = ("Job",), **given: t.Any) -> Planned:
    labels = {"a": {}, "b": {"topology.k8s.aws/network-node-layer-1": "nn-1"}}
    nodes = {name: Node(KubernetesNode(name), gpus=8, efa=32, labels=each) for name, each in labels.items()}
    found = plan(desired(**{**GIVEN, **given}), State(Nodes(nodes), served, CLAIM), RUN)
    assert isinstance(found, Planned)
    return found


def outcome(job: Job, **changes: t.Any) -> Ran:
    """``changes``: attributes of the second Pod."""
    pods = [PodLog(f"train-{number}", "ab"[number], "\n".join(lines) + "\n", 0) for number, lines in enumerate(job.pods)]
    return Ran((pods[0], dataclasses.replace(pods[1], **changes)))


def result(found: Outcome, served: tuple[str, ...] = ("Job",), **given: t.Any) -> dict[str, t.Any]:
    made = ran(desired(**{**GIVEN, **given}), planned(served=served, **given), found)
    json.dumps(made, allow_nan=False)
    return made


def codes(found: Outcome, **given: t.Any) -> list[str]:
    return [each["code"] for each in result(found, **given)["problems"]]


def test_a_successful_job_is_returned() -> None:
    made = result(outcome(trained()), efa=True)
    assert (made["verdict"], made["failure"], made["problems"]) == ("passed", "", [])
    assert made["text"] == "Trained steps 1 to 20 in 2 processes: loss 4.11 to 0.503, 200 tokens per second."
    assert (made["kind"], made["name"], made["namespace"], made["nodes"]) == ("Job", f"training-{RUN}", "ml", ["a", "b"])
    assert made["pods"][1] == {"rank": 1, "pod": "train-1", "node": "b", "host": "train-0", "layers": ["nn-1"]}
    assert made["losses"][0] == [1, 9.0] and made["checkpoints"] == [[20, 2.0]] and made["weights"] == "equal"
    assert (made["tokens_per_second"], made["tflops"], made["carried_by"], made["restarts"]) == (200.0, 2.0, "EFA", 0)
    assert made["versions"] == {"torch": ["2.9.1"], "cuda": ["13.0"], "nccl": ["2.27.7"]} and made["dtypes"] == ["bfloat16"]
    assert made["manifest"]["kind"] == "Job"


@pytest.mark.parametrize(
    ("changes", "code", "text"),
    [
        ({"status": 1, "trouble": "Error: OOMKilled"}, "pod-failed", "Pod train-1 on b failed: Error: OOMKilled."),
        ({"status": 3}, "pod-failed", "exit status 3"),
        ({"unread": "403"}, "log-not-read", "could not be read"),
    ],
)
def test_the_end_of_each_pod_is_returned(changes: dict[str, t.Any], code: str, text: str) -> None:
    made = result(outcome(trained(), **changes))
    found = [each["text"] for each in made["problems"] if each["code"] == code]
    assert made["verdict"] == ("not_run" if code == "log-not-read" else "failed") and found and text in found[0], made["problems"]


@pytest.mark.parametrize(
    ("trouble", "expected"),
    [("Error", ["storage-not-shared"]), ("", ["storage-not-shared"]), ("NodeShutdown", ["storage-not-shared", "pod-failed"])],
)
def test_a_cause_reported_by_processes_replaces_a_plain_pod_error(trouble: str, expected: list[str]) -> None:
    job = trained().without('"end"').without('"saved"')
    job.add("error", 1, attempt=1_800_000_000_000, type="FileNotFoundError", message="x", phase="share", step=20)
    assert codes(outcome(job, status=1, trouble=trouble)) == expected


def test_every_node_ran_one_pod() -> None:
    whole = outcome(trained())
    assert codes(Ran((whole.pods[0], dataclasses.replace(whole.pods[1], node="a")))) == ["rank-on-another-node"]
    extra = dataclasses.replace(whole.pods[1], name="train-2", text="")
    assert "rank-on-another-node" in codes(Ran((*whole.pods, extra)))


def test_a_restarted_container_is_reported() -> None:
    assert codes(outcome(trained(), restarts=1)) == ["restarted"]


def test_evidence_is_bounded() -> None:
    many = [f"x:1:2 [0] NCCL INFO NET/OFI Selected provider is p{number} (found 4 nics)" for number in range(99)]
    assert len(result(outcome(trained(network=many)))["evidence"]) <= 20


def test_pods_that_ran_too_long_or_are_gone_are_reported() -> None:
    whole = outcome(trained())
    assert codes(dataclasses.replace(whole, late=True)) == ["deadline"]
    assert "rank-on-another-node" in codes(Ran(whole.pods[:1]))


def test_unmet_requirements_are_reported() -> None:
    assert "carried-by-sockets" in codes(outcome(trained(network=SOCKETS)), efa=True) and codes(outcome(trained(network=SOCKETS))) == []
    assert "loss-above-bound" in codes(outcome(trained()), loss_bound=0.1)
    assert "steps-missing" in codes(outcome(trained()), steps=30)
    assert "checkpoint-not-loaded" in codes(outcome(trained()), resume_from=10)
    assert codes(outcome(trained(first=10)), resume_from=10) == []


def test_a_job_with_a_killed_process_is_returned() -> None:
    job = trained()
    job.add("killed", 1, step=15)
    assert codes(outcome(job), kill=True) == ["not-restarted"] and codes(outcome(trained()), kill=True) == ["not-restarted"]
    job.begin(20, ATTEMPT + 1)
    job.end(20, ATTEMPT + 1)
    made = result(outcome(job), kill=True)
    assert (made["verdict"], made["restarts"]) == ("passed", 1), made["problems"]
    assert made["text"].startswith("Trained steps 1 to 20 in 2 processes, with one restart: loss 4.11 to 0.503")
    assert codes(outcome(job)) == ["restarted"]


def test_a_job_with_a_replaced_pod_is_returned() -> None:
    job = trained()
    job.add("held", 1, step=15)
    job.begin(20, ATTEMPT + 1)
    job.end(20, ATTEMPT + 1)
    made = result(outcome(job, restarts=1, planned_restarts=1), kind="PyTorchJob", served=("PyTorchJob",), replace_pod=True)
    assert (made["verdict"], made["restarts"], made["kind"]) == ("passed", 1, "PyTorchJob"), made["problems"]
    assert made["text"].startswith("Trained steps 1 to 20 in 2 processes, with one Pod replaced: loss 4.11 to 0.503")


def test_a_pod_that_was_not_replaced_explains_all_else() -> None:
    whole = outcome(trained().without('"end"'), status=None)
    made = result(dataclasses.replace(whole, late=True, unreplaced="Pod train-0 on a was deleted as planned, but did not end"))
    assert [each["code"] for each in made["problems"]] == ["pod-not-recreated"] and made["verdict"] == "failed"
    assert made["text"] == "Pod train-0 on a was deleted as planned, but did not end. Check the operator, and the events of the namespace."


def test_a_job_without_a_claim_writes_no_checkpoint() -> None:
    without = {"claim": None, "checkpoint": None, "namespace": "mlfleet-training"}
    job = trained().without('"saved"')
    assert codes(outcome(job), **without) == [] and "checkpoint-missing" in codes(outcome(job))


def test_jobs_that_did_not_run_are_returned() -> None:
    made = not_run(desired(**GIVEN), NotRun("busy", "There are Pods."))
    assert (made["verdict"], made["failure"], made["text"], made["kind"], made["manifest"]) == ("not_run", "busy", "There are Pods.", "", {})
    assert (made["losses"], made["tokens_per_second"], made["weights"], made["first_step"]) == ([], None, "not_read", None)
    assert result(NotRun("image", "x"))["failure"] == "image"


def test_check_mode_returns_the_manifest() -> None:
    made = check_mode(desired(**GIVEN), planned())
    assert (made["verdict"], made["failure"]) == ("not_run", "check-mode") and made["manifest"]["metadata"]["name"] == f"training-{RUN}"
    assert made["text"] == "Check mode creates nothing. A Job would run on 2 nodes."
    new = dataclasses.replace(planned(), new_namespace=True)
    assert check_mode(desired(**GIVEN), new)["text"].endswith("on 2 nodes, in the new namespace ml.")


@pytest.mark.parametrize(
    ("served", "given", "new", "kinds"),
    [
        (("Job",), {}, False, ["ConfigMap", "Service", "Job"]),
        (("PyTorchJob",), {}, False, ["ConfigMap", "PyTorchJob"]),
        (("PyTorchJob",), {"hugging_face_token": "hf_secret_value"}, True, ["Namespace", "ConfigMap", "Secret", "PyTorchJob"]),
    ],
)
def test_check_mode_lists_all_objects(served: tuple[str, ...], given: dict[str, t.Any], new: bool, kinds: list[str]) -> None:
    wanted = desired(**{**GIVEN, **given})
    made = check_mode(wanted, dataclasses.replace(planned(served=served, **given), new_namespace=new))["would_create"]
    assert [each["kind"] for each in made] == [*kinds, "Pod", "Pod"] and [each["node"] for each in made[-2:]] == ["a", "b"]
    assert {(each["namespace"], each["name"]) for each in made if each["kind"] in kinds[new:]} == {("ml", "training-*")}


def test_other_results_list_no_objects() -> None:
    assert result(outcome(trained()))["would_create"] == []


DIGEST = f"sha256:{'0a' * 32}"


def test_storage_figures_and_the_image_are_returned() -> None:
    made = result(outcome(trained(first=10), image=f"a@{DIGEST}"), resume_from=10)
    assert (made["write_mib_per_second"], made["read_mib_per_second"], made["image_digests"]) == (2048.0, 512.0, [f"a@{DIGEST}"])
    assert made["checkpoints_removed"] is False
    job = trained()
    job.add("removed", 0)
    assert result(outcome(job))["checkpoints_removed"] is True
    none = not_run(desired(**GIVEN), NotRun("busy", "x"))
    assert (none["write_mib_per_second"], none["read_mib_per_second"], none["image_digests"]) == (None, None, [])


def test_different_images_are_reported() -> None:
    whole = outcome(trained(), image=f"a@{DIGEST}")
    other = dataclasses.replace(whole.pods[0], image=f"a@{DIGEST[:-1]}b")
    assert codes(whole) == [] and codes(Ran((other, whole.pods[1]))) == ["images-differ"]


def test_the_cause_comes_first() -> None:
    job = trained().without('"end"').without('"saved"')
    job.add("error", 0, attempt=1_800_000_000_000, type="RuntimeError", message="closed", phase="train", step=20)
    made = result(outcome(job, status=137, reasons=("OOMKilled",)))
    assert [each["code"] for each in made["problems"]] == ["out-of-memory", "program-error"] and "main memory" in made["text"]


def test_the_ranks_of_a_pod_that_is_gone_are_not_missing() -> None:
    whole = outcome(trained())
    made = result(Ran((whole.pods[0], dataclasses.replace(whole.pods[1], text="", unread="x", gone=True, status=None))))
    found = [each["code"] for each in made["problems"]]
    assert found[:2] == ["pod-gone", "log-not-read"] and "rank-missing" not in found and "train-1 on b" in made["text"]


def test_a_pod_that_was_recreated_is_not_the_planned_restart() -> None:
    """Its first log is lost, so that the second one may show one restart after the killed process."""
    job = trained()
    job.add("killed", 1, step=15)
    job.begin(20, ATTEMPT + 1)
    job.end(20, ATTEMPT + 1)
    assert codes(outcome(job), kill=True) == [] and codes(outcome(job, before="train-1"), kill=True) == ["pod-recreated"]


def test_pods_that_did_not_meet_are_named_with_their_node() -> None:
    job = Job()
    job.pods[1].append("The client socket has timed out after 60000ms while trying to connect to (train-0, 29500).")
    made = result(outcome(job, status=1, trouble="Error"))
    assert [each["code"] for each in made["problems"]] == ["rendezvous-failed", "pod-failed"]
    assert "could not connect to train-0:29500: train-1 on b." in made["text"]


def test_the_text_is_that_of_a_proven_problem() -> None:
    silent = dataclasses.replace(outcome(Job(network=()), status=None), late=True)
    made = result(Ran((dataclasses.replace(silent.pods[0], status=None), silent.pods[1]), late=True))
    assert [each["code"] for each in made["problems"]] == ["nothing-reported", "rendezvous-failed"]
    assert made["text"].startswith("No process started within 630 s: train-0 on a, train-1 on b.")
    assert result(outcome(trained(), unread="403"))["text"].startswith("Logs of 1 of 2 Pods could not be read")
