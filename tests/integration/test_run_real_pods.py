"""Two nodes of a lab with Kubernetes run their Pods: programs, names, volumes and torchrun are real. All other nodes are hollow."""

from __future__ import annotations

import subprocess
import typing as t

import pytest
from eks_world import EksWorld, until, workers
from lab.kubernetes.api import Object
from lab.pods import claims, pytorch

IMAGE = "public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023"
LATER = "111111111111.dkr.ecr.us-west-2.amazonaws.com/train:1"
REAL, HOLLOW = "workers", "hollow"
GROUP, HOST = "sagemaker.amazonaws.com/instance-group-name", "kubernetes.io/hostname"
JOBS = "/apis/kubeflow.org/v1/namespaces/default/pytorchjobs"
ALL_REDUCE = """
import socket
import torch, torch.distributed as dist
dist.init_process_group("gloo")
value = torch.tensor([dist.get_rank() + 1.0])
dist.all_reduce(value)
print(f"rank {dist.get_rank()} of {dist.get_world_size()} on {socket.gethostname()}: {value.item():.0f}")
dist.destroy_process_group()
"""
OVER = ("Succeeded", "Failed")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    pytorch.installed()
    with EksWorld(real=[REAL], images=[IMAGE]) as world:
        world.training.start()
        world.hyperpod("ml", [workers(REAL, 2), workers(HOLLOW, 1)])
        until(lambda: len(ready(world)) == 3)
        yield world
    assert left() == []


def left() -> list[str]:
    """Leftovers of the nodes: network namespaces, the bridge, mounts and programs."""
    links = subprocess.run(["ip", "netns"], capture_output=True, text=True, check=True).stdout
    links += subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout
    programs = subprocess.run(["ps", "-eo", "comm="], capture_output=True, text=True, check=True).stdout
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        lines = f"{links}{programs}{mounts.read()}".split("\n")
    return [line for line in lines if line.startswith(("hyperpod-", "pods ", "kubelet", "containerd", "runc"))]


def ready(pods: EksWorld) -> list[Object]:
    nodes: list[Object] = pods.seen("nodes")["items"]
    return [node for node in nodes if {"Ready", "True"} <= {*_condition(node, "Ready").values()}]


def _condition(item: Object, kind: str) -> Object:
    return next((each for each in item["status"].get("conditions") or [] if each["type"] == kind), {})


def names(pods: EksWorld, group: str = REAL) -> list[str]:
    return [node["metadata"]["name"] for node in ready(pods) if node["metadata"]["labels"][GROUP] == group]


def start(pods: EksWorld, name: str, script: str, **spec: t.Any) -> None:
    """Create a Pod that runs a shell script once."""
    container = {"name": "main", "image": spec.pop("image", IMAGE), "command": ["sh", "-c", script], **spec.pop("container", {})}
    whole = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, "containers": [container], **spec}
    pods.api.create("/api/v1/namespaces/default/pods", {"metadata": {"name": name, "labels": {"name": name}}, "spec": whole})


def result(pods: EksWorld, name: str) -> tuple[int, str]:
    """Wait until a Pod has ended; returns its exit code and log."""
    until(lambda: pods.seen("pod", name)["status"]["phase"] in OVER)
    (container,) = pods.seen("pod", name)["status"]["containerStatuses"]
    return (container["state"]["terminated"]["exitCode"], pods.kubectl("logs", name).stdout)


def on(node: str) -> dict[str, t.Any]:
    return {"nodeSelector": {HOST: node}}


def test_two_nodes_are_real_and_match_their_instance_type(pods: EksWorld) -> None:
    real, hollow = names(pods), names(pods, HOLLOW)
    assert (len(real), len(hollow)) == (2, 1)
    for node in ready(pods):
        runtime = node["status"]["nodeInfo"]["osImage"]
        assert ("Debian" in runtime) is (node["metadata"]["name"] in real), runtime
        shown = {key: node["status"]["allocatable"][key] for key in ("cpu", "memory", "nvidia.com/gpu")}
        assert shown == {"cpu": "192", "memory": "2Ti", "nvidia.com/gpu": "1"}
        assert node["metadata"]["labels"]["node.kubernetes.io/instance-type"] == "ml.g5.8xlarge"


def test_python_runs_with_log_and_exit_code(pods: EksWorld) -> None:
    script = "python3 -c 'import os, sys, torch; print(os.environ[\"NODE\"], torch.__version__); sys.exit(3)'"
    pods.real.image(LATER)
    for number, (node, image) in enumerate(zip(names(pods), (IMAGE, LATER))):
        limits = {"resources": {"limits": {"nvidia.com/gpu": "1", "memory": "200Gi"}}}
        start(pods, f"python-{number}", script, image=image, container={"env": [{"name": "NODE", "value": node}], **limits}, **on(node))
    for number, node in enumerate(names(pods)):
        assert result(pods, f"python-{number}") == (3, f"{node} 2.13.0+cpu\n")


def test_pods_reach_each_other_by_name_and_exec_works(pods: EksWorld) -> None:
    server, client = names(pods)
    service = {"clusterIP": "None", "selector": {"name": "serves"}, "ports": [{"port": 8000}]}
    pods.api.create("/api/v1/namespaces/default/services", {"metadata": {"name": "serves"}, "spec": service})
    start(pods, "serves", "exec python3 -m http.server -d /etc", hostname="one", subdomain="serves", **on(server))
    until(lambda: _condition(pods.seen("pod", "serves"), "Ready").get("status") == "True")
    get = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode().strip())"
    for number, host in enumerate(("serves", "one.serves", "one.serves.default.svc.cluster.local")):
        start(pods, f"asks-{number}", f"python3 -c '{get}' http://{host}:8000/hostname", **on(client))
    for number in range(3):
        assert result(pods, f"asks-{number}") == (0, "one\n")
    start(pods, "lost", "getent hosts missing.serves", **on(client))
    assert result(pods, "lost") == (2, "")
    done = pods.kubectl("exec", "serves", "--", "hostname")
    assert (done.returncode, done.stdout) == (0, "one\n"), done.stderr


def test_only_a_shared_claim_is_one_folder_on_both_nodes(pods: EksWorld) -> None:
    for name in ("shared", "separate"):
        claims.claim(pods.api, "default", name, shared=name == "shared")
    volumes = {"volumes": [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in ("shared", "separate")]}
    mounts = {"container": {"volumeMounts": [{"name": name, "mountPath": f"/{name}"} for name in ("shared", "separate")]}}
    first, second = names(pods)
    start(pods, "writes", "echo seen >/shared/file; echo seen >/separate/file", **volumes, **mounts, **on(first))
    assert result(pods, "writes") == (0, "")
    for node, expected in ((first, "/separate/file\n/shared/file\n"), (second, "/shared/file\n")):
        start(pods, f"reads-{node}", "ls /separate/* /shared/* 2>/dev/null; true", **volumes, **mounts, **on(node))
        assert result(pods, f"reads-{node}") == (0, expected)


def job(name: str, command: t.Sequence[str], **more: t.Any) -> Object:
    """A job with two workers, one on each node: each requests all accelerators of its node."""
    container = {
        "name": "pytorch",
        "image": IMAGE,
        "command": list(command),
        "resources": {"limits": {"nvidia.com/gpu": "1"}},
        "volumeMounts": [{"name": "code", "mountPath": "/code"}],
    }
    volumes = [{"name": "code", "configMap": {"name": "code"}}]
    spec = {"nodeSelector": {GROUP: REAL}, "terminationGracePeriodSeconds": 0, "containers": [container], "volumes": volumes}
    worker = {"replicas": 2, "restartPolicy": "OnFailure", "template": {"spec": spec}}
    elastic = {"rdzvBackend": "c10d", "minReplicas": 2, "maxReplicas": 2, "maxRestarts": 0}
    whole = {"nprocPerNode": "1", "elasticPolicy": elastic, "pytorchReplicaSpecs": {"Worker": worker}, **more}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}, "spec": whole}


@pytest.fixture(scope="module")
def code(pods: EksWorld) -> None:
    pods.api.create("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "code"}, "data": {"all_reduce.py": ALL_REDUCE}})


def test_torchrun_reduces_over_two_nodes(pods: EksWorld, code: None) -> None:
    pods.api.create(JOBS, job("reduce", ["torchrun", "/code/all_reduce.py"]))
    until(lambda: _condition(pods.seen("pytorchjob", "reduce"), "Succeeded").get("status") == "True", seconds=120)
    logs = [pods.kubectl("logs", f"reduce-worker-{number}").stdout for number in range(2)]
    assert sorted(line.partition(" on ")[0] for log in logs for line in log.split("\n") if line.startswith("rank")) == ["rank 0 of 2", "rank 1 of 2"]
    assert all(f"on reduce-worker-{number}: 3\n" in log for number, log in enumerate(logs)), logs
    assert len({pods.seen("pod", f"reduce-worker-{number}")["spec"]["nodeName"] for number in range(2)}) == 2
    status = pods.seen("pytorchjob", "reduce")["status"]
    assert status["replicaStatuses"] == {"Worker": {"succeeded": 2}} and status["completionTime"] >= status["startTime"]


def test_a_deleted_pod_of_a_job_is_recreated_under_its_name(pods: EksWorld, code: None) -> None:
    pods.api.create(JOBS, job("long", ["sleep", "600"]))

    def running() -> bool:
        return pods.seen("pod", "long-worker-1")["status"]["phase"] == "Running"

    until(running)
    before = pods.seen("pod", "long-worker-1")["metadata"]["uid"]
    assert pods.kubectl("delete", "pod", "long-worker-1", "--wait=false").returncode == 0
    until(lambda: pods.seen("pod", "long-worker-1")["metadata"]["uid"] != before and running())
    assert _condition(pods.seen("pytorchjob", "long"), "Running")["status"] == "True"
    pods.api.delete(f"{JOBS}/long")
    until(lambda: pods.seen("pods", "--selector=training.kubeflow.org/job-name=long")["items"] == [])


def test_hollow_nodes_still_run_pods(pods: EksWorld) -> None:
    start(pods, "hollow", "true", image="anything:1", **on(names(pods, HOLLOW)[0]))
    assert result(pods, "hollow")[0] == 0
    assert not pods.seen("pod", "hollow")["status"]["containerStatuses"][0]["containerID"].startswith("containerd://")
