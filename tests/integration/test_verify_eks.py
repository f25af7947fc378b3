# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook reports which nodes of a cluster with EKS are fit: Jobs on a real API server, whose programs see the story of a node."""

from __future__ import annotations

import json
import signal
import typing as t
from pathlib import Path

import pytest
from eks_looks import MAPS, SPACE, Pod, Runs
from eks_world import EKS, EksWorld, command, until, workers
from harness import STATE_DIR, Run
from lab.accelerators.story import healthy, off_the_bus
from mishaps import Started
from steps import step

TYPE = "ml.p5.48xlarge"
JOBS = f"/apis/batch/v1/namespaces/{SPACE}/jobs"
HYPERPOD_PREFIX = "sagemaker.amazonaws.com/"
LOOK, NEEDED = "mlfleet.hyperpod/look", "mlfleet.hyperpod/needed-seconds"
FOREVER = "registry.k8s.io/pause:3.10"
"""An image that the stand-in for kubelets runs until the deadline."""


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.hyperpod("ml", [workers("gpus", 2, TYPE), workers("system", 1, "ml.m5.large")])
        until(lambda: len(world.seen("nodes")["items"]) == 3)
        yield world


@pytest.fixture
def nodes(pods: EksWorld, tmp_path: Path) -> t.Iterator[list[str]]:
    """Names of the nodes with GPUs, which are healthy."""
    node_labels = {each["metadata"]["name"]: each["metadata"]["labels"] for each in pods.seen("nodes")["items"]}
    found = sorted(name for name, labels in node_labels.items() if labels["node.kubernetes.io/instance-type"] == TYPE)
    for name in found:
        pods.logs.programs[name] = Runs(pods, healthy(TYPE), tmp_path)
    (STATE_DIR / "accelerators.json").unlink(missing_ok=True)
    yield found
    pods.logs.programs.clear()


def verify(pods: EksWorld, *arguments: str, **variables: t.Any) -> Run:
    return pods.world.playbook("verify", "-e", json.dumps(variables), *arguments)


def report() -> dict[str, t.Any]:
    document = json.loads((STATE_DIR / "accelerators.json").read_text())
    return {f"hyperpod-{iid}": node for iid, node in document["clusters"]["ml"]["nodes"].items()}


def left(pods: EksWorld) -> list[str]:
    """Objects of checks in Kubernetes. Controllers create a ConfigMap of their own in each namespace."""
    return [each["metadata"]["name"] for path in (JOBS, MAPS) for each in pods.api.get(f"{path}?labelSelector={LOOK}")["items"]]


def test_the_report_has_fit_and_unfit_nodes(pods: EksWorld, nodes: list[str], tmp_path: Path) -> None:
    first, second = nodes
    with step("a healthy fleet"):
        pods.reset_changes()
        well = verify(pods)
        assert well.rc == 0 and "2 of 2 nodes with accelerators were checked completely." in well.output, well.log
        found = report()
        assert {name: found[name]["verdict"] for name in nodes} == dict.fromkeys(nodes, "fit"), found
        assert [each["verdict"] for name, each in found.items() if name not in nodes] == [""]
        assert found[first]["known"]["kubernetes"]["health_status"] == "Schedulable" and found[first]["expected"]["source"] == "EC2"
        assert [change for change in pods.changes() if change[:2] == ("create", "namespaces")] == [("create", "namespaces", SPACE)]
        assert len([change for change in pods.changes() if change[:2] == ("create", "jobs")]) == 2 and left(pods) == []
        assert "Slurm could not be queried" not in well.output

    with step("one node after the other, idle nodes first, without a change"):
        container = {"name": "a", "image": FOREVER, "resources": {"limits": {"nvidia.com/gpu": "1"}}}
        body = {"metadata": {"name": "train"}, "spec": {"nodeName": first, "containers": [container]}}
        pods.api.create("/api/v1/namespaces/default/pods", body)
        pods.reset_changes()
        again = verify(pods, accelerator_health_batch=1)
        assert again.rc == 0 and again.changed == 0, again.log
        jobs = [name.partition("-")[2].partition("-")[2] for verb, kind, name in pods.changes() if (verb, kind) == ("create", "jobs")]
        assert [f"hyperpod-{name}" for name in jobs] == [second, first] and report()[first]["known"]["jobs"] == ["default/train"]
        pods.api.delete("/api/v1/namespaces/default/pods/train", {"gracePeriodSeconds": 0})

    with step("check mode checks no node"):
        pods.reset_changes()
        planned = verify(pods, "--check")
        assert planned.rc == 2 and "check mode creates no Jobs" in " ".join(planned.output.split()) and pods.changes() == [], planned.log

    with step("a GPU falls off the bus, and HyperPod will reboot the node, which is tainted"):
        pods.logs.programs[first] = Runs(pods, off_the_bus(healthy(TYPE), 3), tmp_path)
        taint = {"key": f"{HYPERPOD_PREFIX}node-health-status", "value": "Unschedulable", "effect": "NoSchedule"}
        labels = {f"{HYPERPOD_PREFIX}node-health-status": "UnschedulablePendingReboot", f"{HYPERPOD_PREFIX}fault-types": "NvidiaErrorReboot"}
        pods.api.merge(f"/api/v1/nodes/{first}", {"metadata": {"labels": labels}, "spec": {"taints": [taint]}})
        unfit = verify(pods)
        assert unfit.rc == 2 and "Xid 79" in unfit.output, unfit.log
        node = report()[first]
        assert node["verdict"] == "unfit-reboot" and node["known"]["disagrees"] == [], node["known"]
        assert node["service"]["does"] == "HyperPod acts on the node's label node-health-status=UnschedulablePendingReboot"
        assert node["known"]["kubernetes"]["taints"] == [f"{HYPERPOD_PREFIX}node-health-status=Unschedulable:NoSchedule"]

    with step("the node has booted, and an EFA device is late"):
        booted = healthy(TYPE, uptime=50)
        booted.efa.pop()
        pods.logs.programs[first] = Runs(pods, booted, tmp_path, then=healthy(TYPE, uptime=61), once=iter((False, True)).__next__)
        pods.reset_changes()
        late = verify(pods, accelerator_health_profile={"settle_seconds": 60})
        assert late.rc == 0 and report()[first]["verdict"] == "fit", late.log
        assert len([change for change in pods.changes() if change[:2] == ("create", "jobs")]) == 3 and left(pods) == []

    with step("HyperPod disagrees"):
        pods.logs.programs[first] = Runs(pods, healthy(TYPE), tmp_path)
        other = verify(pods)
        assert other.rc == 0 and report()[first]["verdict"] == "fit", other.log
        disagreement = report()[first]["known"]["disagrees"][0]
        assert disagreement.startswith("HyperPod labels the node UnschedulablePendingReboot (NvidiaErrorReboot), but the accelerator check found nothing")
        restored = {f"{HYPERPOD_PREFIX}node-health-status": "Schedulable", f"{HYPERPOD_PREFIX}fault-types": None}
        pods.api.merge(f"/api/v1/nodes/{first}", {"metadata": {"labels": restored}, "spec": {"taints": None}})


@pytest.mark.slow
def test_nodes_that_cannot_be_checked_are_unknown(pods: EksWorld, nodes: list[str]) -> None:
    first, second = nodes
    with step("a node prints arbitrary output"):
        for text in ("\x1b[2J{{ 7 * 7 }}\n", "x" * 2_000_000, json.dumps({"health": {"verdict": "fit"}})):
            pods.logs.programs[first] = lambda _pod, text=text: text
            strange = verify(pods)
            assert strange.rc == 2 and report()[second]["verdict"] == "fit", strange.log
            node = report()[first]
            assert (node["verdict"], node["not_read"].partition(".")[0]) == ("unknown", "The check printed no result"), node
            assert node["not_read"].isprintable() and "49" not in node["not_read"] and left(pods) == []

    with step("no node can pull the image"):
        unpullable = verify(pods, accelerator_health_image="unpullable:1", accelerator_health_batch=1)
        reasons = [report()[name]["not_read"] for name in nodes]
        assert unpullable.rc == 2 and all("ImagePullBackOff" in each for each in reasons), unpullable.log
        assert sum("no Pod of the previous batch ran" in each for each in reasons) == 1 and left(pods) == [], "AWS lists them in any order"

    with step("Kubernetes does not have the node"):
        machine = pods.kubelets.machines[first]
        pods.kubelets.remove(first)
        gone = verify(pods)
        assert gone.rc == 2 and report()[first]["not_read"] == f"Node {first} does not exist in Kubernetes.", gone.log
        pods.kubelets.add(machine)

    with step("the API server does not answer"):
        pods.front.stop()
        silent = verify(pods)
        assert silent.rc == 2 and {"got no reply from https://" in report()[name]["not_read"] for name in nodes} == {True}, silent.log
        pods.front.start()

    with step("invalid input is refused before any change"):
        pods.reset_changes()
        refused = verify(pods, accelerator_health_batch=0)
        assert refused.rc == 2 and "accelerator_health_batch: 0 is not allowed. Allowed: 1 to 500." in " ".join(refused.output.split()), refused.log
        assert pods.changes() == []


def options(nodes: list[str], **more: t.Any) -> dict[str, t.Any]:
    entries = [{"instance_id": name.removeprefix("hyperpod-"), "instance_type": TYPE} for name in nodes]
    return {"eks_cluster": EKS, "nodes": entries, "poll_interval": 1, **more}


@pytest.mark.slow
def test_objects_of_interrupted_runs_are_removed(pods: EksWorld, nodes: list[str]) -> None:
    def start() -> Started:
        started = Started(pods.world, "", argv=command("accelerator_jobs", options(nodes, image=FOREVER, batch_timeout=120)))
        until(lambda: len(left(pods)) == 3)
        return started

    with step("a terminated run removes its objects"):
        started = start()
        started.signal(signal.SIGTERM)
        started.end(60)
        until(lambda: left(pods) == [])  # ansible does not wait for its module

    with step("a later run removes the old Jobs of a killed run"):
        start().kill()
        assert len(left(pods)) == 3
        during = pods.module("accelerator_jobs", options(nodes))
        assert {each["health"]["verdict"] for each in during["nodes"]} == {"fit"} and len(left(pods)) == 3, during
        for path in (JOBS, MAPS):
            for each in pods.api.get(f"{path}?labelSelector={LOOK}")["items"]:
                pods.api.merge(f"{path}/{each['metadata']['name']}", {"metadata": {"annotations": {NEEDED: "0"}}})
        after = pods.module("accelerator_jobs", options(nodes))
        assert {each["health"]["verdict"] for each in after["nodes"]} == {"fit"} and left(pods) == [], after
        until(lambda: pods.api.get(f"/api/v1/namespaces/{SPACE}/pods")["items"] == [])


CRON = "mlfleet.hyperpod/cron"


def schedule(pods: EksWorld, *arguments: str, **variables: t.Any) -> Run:
    return pods.world.playbook("health_schedule", "-e", json.dumps(variables), *arguments)


def cron_jobs(pods: EksWorld) -> list[dict[str, t.Any]]:
    """CronJobs, in the API version of the server."""
    found: list[dict[str, t.Any]] = pods.seen("cronjobs", "--namespace", SPACE)["items"]
    return found


def bound(pods: EksWorld) -> list[str]:
    """Nodes to which CronJobs are bound."""
    return sorted(each["spec"]["jobTemplate"]["spec"]["template"]["spec"]["nodeName"] for each in cron_jobs(pods))


def succeeded(pods: EksWorld) -> dict[str, Pod]:
    """Succeeded pods of CronJobs, by node."""
    found = pods.api.get(f"/api/v1/namespaces/{SPACE}/pods?labelSelector={CRON}")["items"]
    return {each["spec"]["nodeName"]: each for each in found if each["status"].get("phase") == "Succeeded"}


@pytest.mark.slow
def test_scheduled_checks_run_as_cron_jobs(pods: EksWorld, nodes: list[str]) -> None:
    each_minute = {"accelerator_health_cron": "* * * * *"}
    first, second = nodes
    with step("check mode reports the CronJobs and creates none"):
        pods.reset_changes()
        planned = schedule(pods, "--check", "--diff", **each_minute)
        assert planned.rc == 0 and planned.changed and pods.changes() == [], planned.log
        names = [name.replace("hyperpod-", "accelerator-health-", 1) for name in nodes]
        assert all(f"CronJob {SPACE}/{name}" in planned.output for name in names), planned.log

    with step("each node with GPUs gets one CronJob"):
        made = schedule(pods, **each_minute)
        assert made.rc == 0 and bound(pods) == nodes, made.log
        again = schedule(pods, **each_minute)
        assert (again.rc, again.changed) == (0, 0), again.log

    with step("a pod on each node prints what verify reads"):
        until(lambda: sorted(succeeded(pods)) == nodes, seconds=180)
        for each in cron_jobs(pods):  # suspended by another client, so that the pods stay
            path = f"/apis/{each['apiVersion']}/namespaces/{SPACE}/cronjobs/{each['metadata']['name']}"
            pods.api.merge(path, {"spec": {"suspend": True}})
        for pod_of in succeeded(pods).values():
            log = pods.kubectl("logs", "-n", SPACE, pod_of["metadata"]["name"])
            assert '"verdict": "fit"' in log.stdout, log

    with step("verify checks the nodes and keeps the CronJobs"):
        checked = verify(pods)
        assert checked.rc == 0 and bound(pods) == nodes and left(pods) == [], checked.log

    with step("a removed node loses its CronJob, and a new node of that name gets one in the next run"):
        machine = pods.kubelets.machines[second]
        pods.kubelets.remove(second)
        until(lambda: bound(pods) == [first])
        without = schedule(pods, **each_minute)
        assert (without.rc, without.changed) == (0, 0) and f"Node {second} does not exist in Kubernetes." in " ".join(without.output.split()), without.log
        pods.kubelets.add(machine)
        restored = schedule(pods, **each_minute)
        assert restored.rc == 0 and restored.changed and bound(pods) == nodes, restored.log

    with step("an invalid schedule is refused before any change"):
        pods.reset_changes()
        refused = schedule(pods, accelerator_health_cron="every hour")
        assert refused.rc == 2 and "accelerator_health_cron: every hour is not allowed" in " ".join(refused.output.split()), refused.log
        assert pods.changes() == [] and bound(pods) == nodes

    with step("switched off, everything except the namespace is removed"):
        off = schedule(pods)
        assert off.rc == 0 and off.changed and bound(pods) == [], off.log
        assert pods.api.get(f"{MAPS}?labelSelector={CRON}")["items"] == [] and pods.api.get(f"/api/v1/namespaces/{SPACE}")
        until(lambda: pods.api.get(f"/api/v1/namespaces/{SPACE}/pods?labelSelector={CRON}")["items"] == [])
        again = schedule(pods)
        assert (again.rc, again.changed) == (0, 0), again.log


CLUSTER_RULES = [
    {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]},
    {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]},
]
RULES = [
    {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "list", "delete"]},
    {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create", "list", "get", "delete"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
    {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
]
"""Rules in the namespace, as in docs/use/health.md."""


def test_the_documented_rights_are_sufficient(pods: EksWorld, nodes: list[str]) -> None:
    verify(pods)  # creates the namespace
    arn = pods.person("looker")
    pods.aws("eks").create_access_entry(clusterName=EKS, principalArn=arn)
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": arn}
    with step("no rights"):
        refused = pods.module("accelerator_jobs", options(nodes), "looker")
        assert "GET /api/v1/nodes" in refused.get("msg", "") and "403" in refused["msg"], refused

    def grant(kind: str, space: str, rules: list[dict[str, t.Any]]) -> None:
        rbac = f"/apis/rbac.authorization.k8s.io/v1{space}"
        meta = {"metadata": {"name": "looker"}}
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "looker"}
        pods.api.create(f"{rbac}/{kind.lower()}s", {**meta, "rules": rules})
        pods.api.create(f"{rbac}/{kind.lower()}bindings", {**meta, "roleRef": reference, "subjects": [subject]})

    with step("the documented rights"):
        grant("ClusterRole", "", CLUSTER_RULES)
        grant("Role", f"/namespaces/{SPACE}", RULES)
        done = pods.module("accelerator_jobs", options(nodes), "looker")
        assert "nodes" in done and {each["health"]["verdict"] for each in done["nodes"]} == {"fit"}, done
        assert done["pods_seen"] is False and left(pods) == []
