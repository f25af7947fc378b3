# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""verify_training on nodes that run their Pods: torchrun, PyTorch, the checkpoint and its resume are real. GPUs and NCCL are not."""

from __future__ import annotations

import base64
import hashlib
import json
import typing as t
from pathlib import Path

import pytest
from api_snapshots import Snapshots
from eks_world import EksWorld, until, workers
from harness import STATE_DIR, Run
from lab.accelerators.story import healthy, off_the_bus
from lab.pods import claims, pytorch
from lab.pods.nodes import UNPUBLISHED
from lab.training.model_hub import ACCEPTED, Hub
from steps import step

IMAGE = "public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023"
HEALTH_IMAGE = "public.ecr.aws/docker/library/python:3.12-slim"
REAL, SPACE, OWN = "gpus", "research", "mlfleet-training"
GROUP = "sagemaker.amazonaws.com/instance-group-name"
TYPE, LABEL = "ml.g5.8xlarge", "mlfleet.hyperpod/training"
BEFORE = ("mlfleet.hyperpod/look", "mlfleet.hyperpod/nccl-test")
"""Labels of the objects of the checks before the jobs."""
TOKEN = "hf_" + "s3cret" * 5
HIDDEN = (TOKEN, base64.b64encode(TOKEN.encode()).decode())
FINE_TUNES = f"""
import hashlib, os, pathlib, torch, torch.distributed as of_all
token = pathlib.Path(os.environ["HF_TOKEN_PATH"]).read_text()
assert hashlib.sha256(token.encode()).hexdigest() == "{hashlib.sha256(TOKEN.encode()).hexdigest()}" and os.environ["HF_ENDPOINT"]
of_all.init_process_group("gloo")
ranks = torch.ones(1)
of_all.all_reduce(ranks)
assert ranks.item() == 2
"""
"""A program of the user, which fails unless both processes have the token and exchange data."""
KINDS = ("configmaps", "services", "pods", "jobs", "pytorchjobs")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    pytorch.installed()
    with EksWorld(real=[REAL], images=[IMAGE, HEALTH_IMAGE]) as world:
        world.training.start()
        world.hyperpod("ml", [workers(REAL, 2, TYPE), workers("system", 1, "ml.m5.large")])
        until(lambda: len(nodes(world)) == 2, seconds=120)
        world.api.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        claims.claim(world.api, SPACE, "fsx", shared=True)
        claims.claim(world.api, SPACE, "scratch", shared=False)
        yield world


def nodes(pods: EksWorld) -> list[str]:
    found = pods.seen("nodes", "-l", f"{GROUP}={REAL}")["items"]
    ready = [each for each in found if {"type": "Ready", "status": "True"}.items() <= _ready(each).items()]
    return sorted(each["metadata"]["name"] for each in ready)


def _ready(node: t.Any) -> dict[str, str]:
    conditions = node["status"].get("conditions") or []
    return next(({"type": each["type"], "status": each["status"]} for each in conditions if each["type"] == "Ready"), {})


def verify(pods: EksWorld, *arguments: str, **variables: t.Any) -> Run:
    """Run verify_training, by default without the checks before the jobs."""
    given = {"steps": 20, "health": False, "nccl": False, **variables}
    return pods.world.playbook("verify_training", "-e", json.dumps({f"verify_training_{name}": value for name, value in given.items()}), *arguments)


def document() -> t.Any:
    return json.loads((STATE_DIR / "verify_training.json").read_text())["clusters"]["ml"]


def verdicts(found: t.Any) -> dict[str, str]:
    return {each["name"]: each["verdict"] for each in found["checks"]}


def left(pods: EksWorld) -> list[str]:
    found = [pods.kubectl("get", "-A", "-o", "name", ",".join(KINDS), "-l", label).stdout.strip() for label in (*BEFORE, LABEL)]
    return sorted({*found})


def changed(pods: EksWorld) -> set[str]:
    """The resources of the objects that were changed."""
    return {resource for _verb, resource, _name in pods.changes()}


def codes(job: t.Any) -> list[str]:
    return [each["code"] for each in job["problems"]]


def test_a_cluster_trains_and_resumes(pods: EksWorld) -> None:
    given = {"claim": "fsx", "namespace": SPACE}
    with step("check mode reports what would run"):
        pods.reset_changes()
        planned = verify(pods, "--check", **given)
        assert planned.rc == 0 and "A PyTorchJob would run on 2 nodes." in planned.log, planned.log
        assert pods.changes() == []

    with step("two Pods train, and two more resume from the checkpoint"):
        done = verify(pods, **given)
        assert done.rc == 0 and "Training works" in done.output, done.log
        found = document()
        assert found["verdict"] == "passed" and verdicts(found)["resume"] == "passed", found
        first, second = found["jobs"]["train"], found["jobs"]["resume"]
        assert [each[0] for each in first["losses"]] == [*range(1, 21)] and [each[0] for each in second["losses"]] == [*range(21, 41)]
        assert first["last_loss"] < first["first_loss"] and second["last_loss"] < first["last_loss"]
        assert second["validation"] == pytest.approx(first["checkpoints"][-1][1], rel=1e-6)
        assert {each["node"] for each in first["pods"]} == set(nodes(pods)) and (first["weights"], second["weights"]) == ("equal", "equal")
        assert (first["devices"], first["carried_by"]) == (["cpu"], "") and first["tokens_per_second"] > 0
        assert left(pods) == [""] and done.changed == 0

    with step("again with all checks, whose Pods really run as well"):
        again = verify(pods, **given, health=True, nccl=True)
        assert again.rc == 0 and again.changed == 1 and document()["verdict"] == "passed" and left(pods) == [""], again.log
        assert {*verdicts(document()).values()} == {"passed", "skipped"} and "2 nodes: 2 fit." in again.output, again.log
        assert f"{UNPUBLISHED[1]:g} GB/s bus bandwidth over sockets" in again.output, again.log

    with step("a GPU falls off the bus, so no job starts"):
        node, story = nodes(pods)[0], off_the_bus(healthy(TYPE), 0)
        pods.real.simulate(node, story)
        pods.reset_changes()
        unfit = verify(pods, **given, health=True)
        assert unfit.rc == 2 and f"{node.removeprefix('hyperpod-')} is unfit-reboot" in unfit.log and left(pods) == [""], unfit.log
        assert not [each for each in pods.changes() if "pytorchjobs" in each]


def test_training_survives_a_killed_process(pods: EksWorld) -> None:
    with step("without a claim it is refused"):
        refused = verify(pods, kill=True)
        assert refused.rc == 2 and "verify_training_claim: missing; verify_training_kill requires" in refused.log, refused.log

    with step("two Pods continue the training after one process was killed"):
        done = verify(pods, claim="fsx", namespace=SPACE, kill=True)
        assert done.rc == 0 and "Trained steps 41 to 60 in 2 processes, with one restart" in done.log, done.log
        found = document()
        assert found["verdict"] == "passed" and {*verdicts(found).values()} == {"passed", "skipped"} and verdicts(found)["survive"] == "passed"
        jobs = [found["jobs"][name] for name in ("train", "resume", "survive", "recover")]
        assert [(job["verdict"], job["restarts"]) for job in jobs] == [("passed", 0), ("passed", 0), ("passed", 1), ("passed", 1)]
        assert [each[0] for job in jobs for each in job["losses"]] == [*range(1, 81)]
        for job, first in ((jobs[2], 40), (jobs[3], 60)):
            assert (job["first_step"], [each[0] for each in job["checkpoints"]]) == (first, [first + 5, first + 10, first + 15, first + 20])
            assert job["weights"] == "equal" and {each["node"] for each in job["pods"]} == set(nodes(pods))
        assert "Trained steps 61 to 80 in 2 processes, with one Pod replaced" in done.log and verdicts(found)["recover"] == "passed"
        assert [job["checkpoints_removed"] for job in jobs] == [False, False, False, True]
        assert left(pods) == [""] and done.changed == 0


def test_a_program_of_the_image_trains_a_gated_model(pods: EksWorld, tmp_path: Path) -> None:
    secret, given = tmp_path / "token.json", {"model_arguments": ["--no-python", "/usr/bin/env", "python3", "-c", FINE_TUNES]}
    secret.write_text(json.dumps({"verify_training_model_token": TOKEN}))
    with Hub(TOKEN) as hub:
        with step("without access to the model, nothing is created"):
            pods.reset_changes()
            refused = verify(pods, "-e", f"@{secret}", model="a/gated", model_endpoint=hub.url, **given)
            assert refused.rc == 2 and "The token has no access to a/gated." in refused.log and changed(pods) <= {"leases", "namespaces"}, refused.log
            unknown = verify(pods, model="a/gated", model_endpoint=hub.url, **given)
            assert unknown.rc == 2 and "requires a valid token for a/gated." in unknown.log, unknown.log

        with step("the processes read the token from a file, and exchange data"):
            with Snapshots(pods.api, LABEL, HIDDEN) as snapshots:
                done = verify(pods, "-vvv", "--diff", "-e", f"@{secret}", model=ACCEPTED, model_endpoint=hub.url, **given)
            assert snapshots.found == set() and {*KINDS, "secrets", "event of Pod"} - snapshots.seen <= {"services", "jobs"}, snapshots.seen
            assert done.rc == 0 and "The image's program ended without an error in 2 processes on 2 nodes." in done.log, done.log
            assert hub.requests[-1] == ("HEAD", f"/{ACCEPTED}/resolve/main/config.json")
            found = document()
            assert (found["verdict"], verdicts(found)["access"], verdicts(found)["fine-tune"]) == ("passed", "passed", "passed")
            written = [done.log, *(path.read_text(errors="replace") for path in STATE_DIR.rglob("verify_training.*")), *left(pods)]
            assert not any(text in each for each in written for text in HIDDEN)
            assert left(pods) == [""] and pods.kubectl("get", "-A", "-o", "name", "secrets", "-l", LABEL).stdout.strip() == ""

    with step("a program that fails is reported"):
        with Hub(TOKEN) as hub:
            other = secret.with_name("other.json")
            other.write_text(json.dumps({"verify_training_model_token": TOKEN}))
            given = {"model_arguments": ["--no-python", "/usr/bin/env", "python3", "-c", "raise SystemExit(3)"]}
            failed = verify(pods, "-e", f"@{other}", model=ACCEPTED, model_endpoint=hub.url, **given)
            assert failed.rc == 2 and codes(document()["jobs"]["fine-tune"]) == ["pod-failed", "pod-failed"], failed.log
            assert left(pods) == [""]


def test_a_claim_that_is_not_shared_fails(pods: EksWorld) -> None:
    done = verify(pods, claim="scratch", namespace=SPACE)
    assert done.rc == 2, done.log
    found = document()
    assert found["verdict"] == "failed" and "storage-not-shared" in codes(found["jobs"]["train"]), found
    assert "Use storage that all nodes share" in done.log and left(pods) == [""]


def test_without_a_claim_only_the_training_is_verified(pods: EksWorld) -> None:
    done = verify(pods)
    assert done.rc == 0 and "resume from them. Name shared storage with verify_training_claim" in done.log, done.log
    found = document()
    assert (found["verdict"], verdicts(found)["resume"], list(found["jobs"])) == ("passed", "skipped", ["train"])
    assert pods.seen("namespace", OWN)["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "baseline" and left(pods) == [""]


def test_an_old_api_server_drops_fields_of_an_indexed_job(pods: EksWorld) -> None:
    done = verify(pods, kind="Job")
    assert done.rc == 2 and "discards fields of a Job" in done.log and "completionMode" in done.log, done.log
    assert document()["jobs"]["train"]["failure"] == "fields" and left(pods) == [""]


def test_busy_nodes_are_refused(pods: EksWorld) -> None:
    container = {"name": "a", "image": IMAGE, "command": ["sleep", "600"], "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    spec = {"nodeSelector": {"kubernetes.io/hostname": nodes(pods)[0]}, "containers": [container], "terminationGracePeriodSeconds": 0}
    pods.api.create("/api/v1/namespaces/default/pods", {"metadata": {"name": "train"}, "spec": spec})
    until(lambda: pods.seen("pod", "train")["status"]["phase"] == "Running")
    pods.reset_changes()
    done = verify(pods)
    assert done.rc == 2 and "Pods use accelerators of the nodes: default/train" in done.log, done.log
    assert document()["jobs"]["train"]["failure"] == "busy" and changed(pods) == {"leases"}
    pods.api.delete("/api/v1/namespaces/default/pods/train", {"gracePeriodSeconds": 0})
