# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All checks of verify_training on hollow nodes: the API server is real, and a test defines the logs of the Pods of each node."""

from __future__ import annotations

import contextlib
import json
import typing as t
from pathlib import Path

import pytest
from eks_world import EksWorld, until, workers
from harness import STATE_DIR, Run
from kueue_place import LEVELS, NO_ROOM, QUEUE, SPACE as TEAM
from lab.accelerators.story import healthy, off_the_bus
from lab.kueue.operator import Kueue
from lab.kueue.script import Admits, Waits
from lab.pods import claims
from mishaps import Started, run_until
from steps import step
from training_logs import LOOK, NCCL, STEPS, TRAINING, TYPE, Node, import_logged

pytestmark = pytest.mark.slow

SPACE = "research"
CHECKS = ("nodes", "health", "nccl", "storage", "train", "resume")
SKIPPED = {"survive": "skipped", "recover": "skipped"}
FOREVER = "registry.k8s.io/pause:3.10"
"""An image that the stand-in for kubelets runs until the deadline."""
LAYERS = ("nn-1", "nn-21", "nn-31")
LEASE = f"/apis/coordination.k8s.io/v1/namespaces/{SPACE}/leases/mlfleet-training"
OFFERS = {"vpc.amazonaws.com/efa": "32", "hugepages-2Mi": "10256Mi"}


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    import_logged()
    with EksWorld() as world:
        world.training.start()
        world.hyperpod("ml", [workers("gpus", 2, TYPE), workers("system", 1, "ml.m5.large"), workers("spare", 0, TYPE)])
        until(lambda: len(world.seen("nodes")["items"]) == 3)
        for name in nodes(world):
            world.api.merge(f"/api/v1/nodes/{name}/status", {"status": {"capacity": OFFERS, "allocatable": OFFERS}})
        world.api.create("/api/v1/namespaces", {"metadata": {"name": SPACE}})
        claims.claim(world.api, SPACE, "fsx", shared=True)
        yield world


def nodes(world: EksWorld) -> list[str]:
    labels = {each["metadata"]["name"]: each["metadata"]["labels"] for each in world.seen("nodes")["items"]}
    return sorted(name for name, node_labels in labels.items() if node_labels["node.kubernetes.io/instance-type"] == TYPE)


def given(**variables: t.Any) -> list[str]:
    values = {"claim": "fsx", "namespace": SPACE, "steps": STEPS, **variables}
    return ["-e", json.dumps({f"verify_training_{name}": value for name, value in values.items()})]


def verify(pods: EksWorld, *arguments: str, **variables: t.Any) -> Run:
    return pods.world.playbook("verify_training", *given(**variables), *arguments)


def cluster() -> t.Any:
    return json.loads((STATE_DIR / "verify_training.json").read_text())["clusters"]["ml"]


def verdicts() -> dict[str, str]:
    return {each["name"]: each["verdict"] for each in cluster()["checks"]} | {"": cluster()["verdict"]}


@contextlib.contextmanager
def queue(pods: EksWorld, *, admitted: list[str]) -> t.Iterator[None]:
    """A team's queue. Kueue's stand-in also creates the Pods, so the training operator ends.

    :param admitted: the nodes that the next job gets.
    """
    pods.training.stop()
    for name in admitted:
        labels = dict(zip(LEVELS, LAYERS, strict=False))
        pods.api.merge(f"/api/v1/nodes/{name}", {"metadata": {"labels": labels}})
    kueue = Kueue(pods.api)
    kueue.script["training-*"] = [Waits("Pending", NO_ROOM), Admits({"worker": admitted})]
    kueue.start("v1beta2", LEVELS)
    kueue.team(TEAM, QUEUE)
    until(lambda: pods.kubectl("get", "serviceaccount", "default", "-n", TEAM).returncode == 0)
    try:
        yield
    finally:
        kueue.stop()


def left(pods: EksWorld) -> list[str]:
    kinds = "configmaps,services,pods,jobs,pytorchjobs"
    return [each for label in (LOOK, NCCL, TRAINING) for each in pods.kubectl("get", "-A", "-o", "name", kinds, "-l", label).stdout.split()]


def leases(pods: EksWorld) -> list[str]:
    return [each["metadata"]["name"] for each in pods.api.get(LEASE.rpartition("/")[0])["items"]]


def test_all_checks_report_their_verdicts(pods: EksWorld, tmp_path: Path) -> None:
    first, second = nodes(pods)
    with step("check mode reads the nodes and starts no Pods"):
        pods.reset_changes()
        planned = verify(pods, "--check")
        assert planned.rc == 0 and "A PyTorchJob would run on 2 nodes." in planned.log and pods.changes() == [], planned.log
        listed = {tuple(line.split()[1:4]) for line in planned.output.split("\n") if "mlfleet-hyperpod/" in line or f"{SPACE}/training-*" in line}
        of_jobs = dict.fromkeys(("train", "resume"), ("ConfigMap", "PyTorchJob", "Pod"))
        names = {"health": ("ConfigMap", "Job", "Pod"), "nccl": ("Service", "Job", "Pod"), **of_jobs}
        assert {each[:2] for each in listed} == {(name, kind) for name, kinds in names.items() for kind in kinds}, planned.output

    with step("a second run during the first check with Pods of another run names that run, and changes nothing"):
        pods.logs.programs.update({name: Node(pods, healthy(TYPE), tmp_path) for name in (first, second)})
        pods.front.hold(resource="jobs")
        begun = Started(pods.world, "verify_training", *given(), "-vvv", "--diff")
        assert run_until(begun, lambda: bool(pods.front.held()))
        created, holder = pods.changes(), pods.api.get(LEASE)["spec"]["holderIdentity"]
        pods.reset_changes()
        for arguments in ((), ("--check",)):
            refused = verify(pods, *arguments)
            text = f"Another verification ({holder}) holds Lease {SPACE}/mlfleet-training since "
            assert refused.rc == 2 and text in refused.log and "its Lease expires at" in refused.log, refused.log
            tried = [] if arguments else ["leases"]  # the API server refuses this Lease
            assert [resource for _verb, resource, _name in pods.changes()] == tried and pods.api.get(LEASE)["spec"]["holderIdentity"] == holder
            pods.reset_changes()
            assert [each["code"] for each in refused.cluster("ml")["findings"]] == ["training-not-verified"]
        assert verdicts() == {**dict.fromkeys(("", *CHECKS, *SKIPPED), "not_run")}

    with step("all checks of the first run pass"):
        pods.front.release()
        done = begun.end()
        assert done.rc == 0 and "k8s-aws-v1." not in done.output, done.log
        assert verdicts() == {**dict.fromkeys(("", *CHECKS), "passed"), **SKIPPED}, done.output
        assert "466 GB/s bus bandwidth over EFA" in done.output and left(pods) == [] and leases(pods) == [] and "USD an hour" in done.output
        assert "ml: Training works on the verified nodes. Not verified: spare (no nodes)" in done.output
        traffic = cluster()["jobs"]["train"]["efa_traffic"]
        counted = {each["node"]: (each["counters"], each["devices"], each["sent_bytes"]) for each in traffic}
        assert counted == dict.fromkeys((first, second), ("grew", 32, 2**33))
        assert "8 GiB by each of 2 nodes" in (STATE_DIR / "verify_training.html").read_text()
        spaces = {name for verb, kind, name in (*created, *pods.changes()) if (verb, kind) == ("create", "namespaces")}
        assert spaces == {"mlfleet-hyperpod"}

    with step("a slow network fails the cluster, but the training still runs, and is compared with the last run"):
        for name in (first, second):
            pods.logs.programs[name] = Node(pods, healthy(TYPE), tmp_path / f"slow-{name}", bandwidth=46.0, rate=150.0)
        pods.reset_changes()
        slow = verify(pods)
        assert slow.rc == 2 and "46 GB/s" in slow.log, slow.log
        assert verdicts() == {**dict.fromkeys(CHECKS, "passed"), **SKIPPED, "nccl": "failed", "": "failed"}
        assert left(pods) == [] and slow.changed == 0
        assert "150 tokens per second instead of 200" in slow.log and cluster()["compared"]["slower"] is True, slow.log

    with step("EFA devices that sent nothing contradict NCCL's log"):
        for name in (first, second):
            pods.logs.programs[name] = Node(pods, healthy(TYPE), tmp_path / f"silent-{name}", sent=0)
        silent = verify(pods, claim="", namespace="", health=False, nccl=False)
        assert silent.rc == 2 and "efa-unused: EFA devices sent no bytes during the training" in silent.log and verdicts()["train"] == "failed", silent.log
        assert "0 bytes on each of 2 nodes" in (STATE_DIR / "verify_training.html").read_text()
        for name in (first, second):
            pods.logs.programs[name] = Node(pods, healthy(TYPE), tmp_path / f"again-{name}")

    with step("an unfit node prevents the training"):
        pods.logs.programs[first] = Node(pods, off_the_bus(healthy(TYPE), 3), tmp_path / "unfit")
        pods.reset_changes()
        unfit = verify(pods)
        assert unfit.rc == 2 and f"{first.removeprefix('hyperpod-')} is unfit-reboot" in unfit.log, unfit.log
        expected = {**dict.fromkeys(CHECKS, "not_run"), **SKIPPED, "nodes": "passed", "health": "failed", "": "failed"}
        assert verdicts() == expected and not [each for each in pods.changes() if "pytorchjobs" in each] and left(pods) == []

    with step("a scheduled run skips busy nodes"):
        pods.logs.programs[first] = Node(pods, healthy(TYPE), tmp_path / "busy")
        container = {"name": "a", "image": FOREVER, "resources": {"limits": {"nvidia.com/gpu": "8"}}}
        body = {"metadata": {"name": "train"}, "spec": {"nodeName": first, "containers": [container]}}
        pods.api.create("/api/v1/namespaces/default/pods", body)
        idle = verify(pods, idle=True)
        assert idle.rc == 0 and f"Nodes were left out because they are not idle: {first}." in idle.output, idle.log
        assert verdicts() == {**dict.fromkeys(("", *CHECKS), "passed"), **SKIPPED, "nccl": "skipped"}

    with step("a scheduled run without an idle node verifies nothing, and does not fail"):
        pods.api.create("/api/v1/namespaces/default/pods", {"metadata": {"name": "other"}, "spec": {**body["spec"], "nodeName": second}})
        none = verify(pods, idle=True)
        assert none.rc == 0 and "Not verified: no node is idle" in none.log, none.log
        assert verdicts() == {**dict.fromkeys(("", *CHECKS), "not_run"), **SKIPPED, "nccl": "not_run"} and left(pods) == []
        assert [each["code"] for each in none.cluster("ml")["findings"] if each["kind"] != "note"] == ["training-none-idle"]
        for name in ("train", "other"):
            pods.api.delete(f"/api/v1/namespaces/default/pods/{name}", {"gracePeriodSeconds": 0})

    with step("Kueue admits the job, and the page shows the network nodes above the Pods"), queue(pods, admitted=[first, second]):
        annotations: list[dict[str, str]] = []
        node = Node(pods, healthy(TYPE), tmp_path / "queued")

        def recorded(pod: dict[str, t.Any]) -> str:
            annotations.append(pod["metadata"]["annotations"])
            return node(pod)

        pods.logs.programs.update({first: recorded, second: recorded})
        wish = {"queue": QUEUE, "namespace": TEAM, "priority_class": "high-priority", "topology": "required", "level": LEVELS[2]}
        queued = verify(pods, claim="", health=False, nccl=False, **wish)
        assert queued.rc == 0 and verdicts()["train"] == "passed" and left(pods) == [], queued.log
        assert {each["kueue.x-k8s.io/podset-required-topology"] for each in annotations} == {LEVELS[2]}
        assert {tuple(each["layers"]) for each in cluster()["jobs"]["train"]["pods"]} == {LAYERS}
        assert "16 ranks in 2 Pods, below nn-31 of network layer 3" in (STATE_DIR / "verify_training.html").read_text()

    with step("a node with fewer GPUs and a taint is found before any Pod is created"):
        pods.logs.programs[first] = Node(pods, healthy(TYPE), tmp_path / "fewer")
        path, seven = f"/api/v1/nodes/{second}", {"nvidia.com/gpu": "7"}
        pods.api.merge(f"{path}/status", {"status": {"capacity": seven, "allocatable": seven}})
        pods.api.merge(path, {"spec": {"taints": [{"key": "team", "value": "other", "effect": "NoSchedule"}]}})
        pods.reset_changes()
        fewer = verify(pods)
        assert fewer.rc == 2 and "the kubelets report different numbers" in fewer.log and "team=other:NoSchedule" in fewer.log, fewer.log
        assert verdicts()["nodes"] == "failed" and {resource for _verb, resource, _name in pods.changes()} == {"leases"}
