# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes of clusters with EKS are fit for training: Jobs on a real API server, whose programs run where a node tells a story."""

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
OF_HYPERPOD = "sagemaker.amazonaws.com/"
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
    """Names of the nodes with GPUs, which are well."""
    told = {each["metadata"]["name"]: each["metadata"]["labels"] for each in pods.seen("nodes")["items"]}
    found = sorted(name for name, labels in told.items() if labels["node.kubernetes.io/instance-type"] == TYPE)
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
    """Of looks, in Kubernetes. The controllers make a ConfigMap of their own in each namespace."""
    return [each["metadata"]["name"] for path in (JOBS, MAPS) for each in pods.api.get(f"{path}?labelSelector={LOOK}")["items"]]


def test_which_nodes_are_fit(pods: EksWorld, nodes: list[str], tmp_path: Path) -> None:
    first, second = nodes
    with step("a fleet that is well"):
        pods.reset_changes()
        well = verify(pods)
        assert well.rc == 0 and "2 of 2 nodes with accelerators were checked." in well.output, well.log
        found = report()
        assert {name: found[name]["verdict"] for name in nodes} == dict.fromkeys(nodes, "fit"), found
        assert [each["verdict"] for name, each in found.items() if name not in nodes] == [""]
        assert found[first]["known"]["kubernetes"]["health_status"] == "Schedulable" and found[first]["expected"]["source"] == "EC2"
        assert [change for change in pods.changes() if change[:2] == ("create", "namespaces")] == [("create", "namespaces", SPACE)]
        assert len([change for change in pods.changes() if change[:2] == ("create", "jobs")]) == 2 and left(pods) == []
        assert "Slurm could not be queried" not in well.output

    with step("again, one node after the other, those without work first, and nothing is changed"):
        container = {"name": "a", "image": FOREVER, "resources": {"limits": {"nvidia.com/gpu": "1"}}}
        body = {"metadata": {"name": "train"}, "spec": {"nodeName": first, "containers": [container]}}
        pods.api.create("/api/v1/namespaces/default/pods", body)
        pods.reset_changes()
        again = verify(pods, accelerator_health_batch=1)
        assert again.rc == 0 and again.changed == 0, again.log
        jobs = [name.partition("-")[2].partition("-")[2] for verb, kind, name in pods.changes() if (verb, kind) == ("create", "jobs")]
        assert [f"hyperpod-{name}" for name in jobs] == [second, first] and report()[first]["known"]["jobs"] == ["default/train"]
        pods.api.delete("/api/v1/namespaces/default/pods/train", {"gracePeriodSeconds": 0})

    with step("with --check nobody looks"):
        pods.reset_changes()
        foreseen = verify(pods, "--check")
        assert foreseen.rc == 2 and "check mode creates no Jobs" in " ".join(foreseen.output.split()) and pods.changes() == [], foreseen.log

    with step("a GPU falls off the bus of a node that HyperPod reboots, and that takes no pods"):
        pods.logs.programs[first] = Runs(pods, off_the_bus(healthy(TYPE), 3), tmp_path)
        taint = {"key": f"{OF_HYPERPOD}node-health-status", "value": "Unschedulable", "effect": "NoSchedule"}
        labels = {f"{OF_HYPERPOD}node-health-status": "UnschedulablePendingReboot", f"{OF_HYPERPOD}fault-types": "NvidiaErrorReboot"}
        pods.api.merge(f"/api/v1/nodes/{first}", {"metadata": {"labels": labels}, "spec": {"taints": [taint]}})
        unfit = verify(pods)
        assert unfit.rc == 2 and "Xid 79" in unfit.output, unfit.log
        node = report()[first]
        assert node["verdict"] == "unfit-reboot" and node["known"]["disagrees"] == [], node["known"]
        assert node["service"]["does"] == "its label node-health-status is UnschedulablePendingReboot, on which HyperPod acts"
        assert node["known"]["kubernetes"]["taints"] == [f"{OF_HYPERPOD}node-health-status=Unschedulable:NoSchedule"]

    with step("it comes back, and an EFA device is late"):
        booted = healthy(TYPE, uptime=50)
        booted.efa.pop()
        pods.logs.programs[first] = Runs(pods, booted, tmp_path, then=healthy(TYPE, uptime=61), once=iter((False, True)).__next__)
        pods.reset_changes()
        late = verify(pods, accelerator_health_profile={"settle_seconds": 60})
        assert late.rc == 0 and report()[first]["verdict"] == "fit", late.log
        assert len([change for change in pods.changes() if change[:2] == ("create", "jobs")]) == 3 and left(pods) == []

    with step("HyperPod says otherwise"):
        pods.logs.programs[first] = Runs(pods, healthy(TYPE), tmp_path)
        other = verify(pods)
        assert other.rc == 0 and report()[first]["verdict"] == "fit", other.log
        disagreement = report()[first]["known"]["disagrees"][0]
        assert disagreement.startswith("HyperPod labels it UnschedulablePendingReboot (NvidiaErrorReboot), but the check found nothing")
        restored = {f"{OF_HYPERPOD}node-health-status": "Schedulable", f"{OF_HYPERPOD}fault-types": None}
        pods.api.merge(f"/api/v1/nodes/{first}", {"metadata": {"labels": restored}, "spec": {"taints": None}})


@pytest.mark.slow
def test_what_nobody_can_look_at(pods: EksWorld, nodes: list[str]) -> None:
    first, second = nodes
    with step("a node that says what it likes"):
        for said in ("\x1b[2J{{ 7 * 7 }}\n", "x" * 2_000_000, json.dumps({"health": {"verdict": "fit"}})):
            pods.logs.programs[first] = lambda _pod, said=said: said
            strange = verify(pods)
            assert strange.rc == 2 and report()[second]["verdict"] == "fit", strange.log
            node = report()[first]
            assert (node["verdict"], node["not_read"].partition(".")[0]) == ("unknown", "It printed no answer"), node
            assert node["not_read"].isprintable() and "49" not in node["not_read"] and left(pods) == []

    with step("an image that no node can pull"):
        unpullable = verify(pods, accelerator_health_image="unpullable:1", accelerator_health_batch=1)
        told = [report()[name]["not_read"] for name in nodes]
        assert unpullable.rc == 2 and all("ImagePullBackOff" in each for each in told), unpullable.log
        assert sum("no pod of the previous batch ran" in each for each in told) == 1 and left(pods) == [], "AWS lists them in any order"

    with step("a node that Kubernetes does not have"):
        machine = pods.kubelets.machines[first]
        pods.kubelets.remove(first)
        gone = verify(pods)
        assert gone.rc == 2 and report()[first]["not_read"] == f"Kubernetes has no node {first}.", gone.log
        pods.kubelets.add(machine)

    with step("an API server that does not answer"):
        pods.front.stop()
        silent = verify(pods)
        assert silent.rc == 2 and {"got no reply from https://" in report()[name]["not_read"] for name in nodes} == {True}, silent.log
        pods.front.start()

    with step("what is wrong is refused before anything is made"):
        pods.reset_changes()
        refused = verify(pods, accelerator_health_batch=0)
        assert refused.rc == 2 and "accelerator_health_batch: 0 is not allowed. Allowed: 1 to 500." in " ".join(refused.output.split()), refused.log
        assert pods.changes() == []


def options(nodes: list[str], **more: t.Any) -> dict[str, t.Any]:
    asked = [{"instance_id": name.removeprefix("hyperpod-"), "instance_type": TYPE} for name in nodes]
    return {"eks_cluster": EKS, "nodes": asked, "poll_interval": 1, **more}


@pytest.mark.slow
def test_runs_that_end_early_leave_nothing_for_long(pods: EksWorld, nodes: list[str]) -> None:
    def begun() -> Started:
        started = Started(pods.world, "", argv=command("accelerator_jobs", options(nodes, image=FOREVER, batch_timeout=120)))
        until(lambda: len(left(pods)) == 3)
        return started

    with step("one that is asked to end"):
        started = begun()
        started.signal(signal.SIGTERM)
        started.end(60)
        until(lambda: left(pods) == [])  # ansible does not wait for its module

    with step("one that is killed: its Jobs are those of nobody once they are old"):
        begun().kill()
        assert len(left(pods)) == 3
        beside = pods.module("accelerator_jobs", options(nodes))
        assert {each["health"]["verdict"] for each in beside["nodes"]} == {"fit"} and len(left(pods)) == 3, beside
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
    """In the version that the API server has."""
    found: list[dict[str, t.Any]] = pods.seen("cronjobs", "--namespace", SPACE)["items"]
    return found


def bound(pods: EksWorld) -> list[str]:
    """Nodes that CronJobs are bound to."""
    return sorted(each["spec"]["jobTemplate"]["spec"]["template"]["spec"]["nodeName"] for each in cron_jobs(pods))


def ended(pods: EksWorld) -> dict[str, Pod]:
    """By node, a pod of a CronJob that has ended well."""
    found = pods.api.get(f"/api/v1/namespaces/{SPACE}/pods?labelSelector={CRON}")["items"]
    return {each["spec"]["nodeName"]: each for each in found if each["status"].get("phase") == "Succeeded"}


@pytest.mark.slow
def test_kubernetes_asks_by_itself(pods: EksWorld, nodes: list[str]) -> None:
    each_minute = {"accelerator_health_cron": "* * * * *"}
    first, second = nodes
    with step("check mode tells, and makes nothing"):
        pods.reset_changes()
        foreseen = schedule(pods, "--check", "--diff", **each_minute)
        assert foreseen.rc == 0 and foreseen.changed and pods.changes() == [], foreseen.log
        names = [name.replace("hyperpod-", "accelerator-health-", 1) for name in nodes]
        assert all(f"CronJob {SPACE}/{name}" in foreseen.output for name in names), foreseen.log

    with step("a CronJob for each node with GPUs, once"):
        made = schedule(pods, **each_minute)
        assert made.rc == 0 and bound(pods) == nodes, made.log
        again = schedule(pods, **each_minute)
        assert (again.rc, again.changed) == (0, 0), again.log

    with step("a pod on each node, which prints what verify reads"):
        until(lambda: sorted(ended(pods)) == nodes, seconds=180)
        for each in cron_jobs(pods):  # by somebody else, so that the pods stay
            path = f"/apis/{each['apiVersion']}/namespaces/{SPACE}/cronjobs/{each['metadata']['name']}"
            pods.api.merge(path, {"spec": {"suspend": True}})
        for pod_of in ended(pods).values():
            log = pods.kubectl("logs", "-n", SPACE, pod_of["metadata"]["name"])
            assert '"verdict": "fit"' in log.stdout, log

    with step("verify looks beside it, and leaves it alone"):
        beside = verify(pods)
        assert beside.rc == 0 and bound(pods) == nodes and left(pods) == [], beside.log

    with step("a node that goes takes its CronJob along, and another one by its name gets one with the next run"):
        machine = pods.kubelets.machines[second]
        pods.kubelets.remove(second)
        until(lambda: bound(pods) == [first])
        without = schedule(pods, **each_minute)
        assert (without.rc, without.changed) == (0, 0) and f"Kubernetes has no node {second}." in " ".join(without.output.split()), without.log
        pods.kubelets.add(machine)
        mended = schedule(pods, **each_minute)
        assert mended.rc == 0 and mended.changed and bound(pods) == nodes, mended.log

    with step("what is wrong is refused before anything is changed"):
        pods.reset_changes()
        refused = schedule(pods, accelerator_health_cron="every hour")
        assert refused.rc == 2 and "accelerator_health_cron: every hour is not allowed" in " ".join(refused.output.split()), refused.log
        assert pods.changes() == [] and bound(pods) == nodes

    with step("switched off, all of it goes but the namespace"):
        off = schedule(pods)
        assert off.rc == 0 and off.changed and bound(pods) == [], off.log
        assert pods.api.get(f"{MAPS}?labelSelector={CRON}")["items"] == [] and pods.api.get(f"/api/v1/namespaces/{SPACE}")
        until(lambda: pods.api.get(f"/api/v1/namespaces/{SPACE}/pods?labelSelector={CRON}")["items"] == [])
        again = schedule(pods)
        assert (again.rc, again.changed) == (0, 0), again.log


OF_THE_CLUSTER = [
    {"apiGroups": [""], "resources": ["nodes"], "verbs": ["list"]},
    {"apiGroups": [""], "resources": ["namespaces"], "verbs": ["get"]},
]
RULES = [
    {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["create", "list", "delete"]},
    {"apiGroups": ["batch"], "resources": ["jobs"], "verbs": ["create", "list", "get", "delete"]},
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
    {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
]
"""In the namespace, as docs/use/health.md has them."""


def test_the_rights_that_it_needs(pods: EksWorld, nodes: list[str]) -> None:
    verify(pods)  # the namespace is there
    arn = pods.person("looker")
    pods.aws("eks").create_access_entry(clusterName=EKS, principalArn=arn)
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": arn}
    with step("none"):
        refused = pods.module("accelerator_jobs", options(nodes), "looker")
        assert "GET /api/v1/nodes" in refused.get("msg", "") and "403" in refused["msg"], refused

    def grant(kind: str, space: str, rules: list[dict[str, t.Any]]) -> None:
        of_rbac = f"/apis/rbac.authorization.k8s.io/v1{space}"
        meta = {"metadata": {"name": "looker"}}
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": "looker"}
        pods.api.create(f"{of_rbac}/{kind.lower()}s", {**meta, "rules": rules})
        pods.api.create(f"{of_rbac}/{kind.lower()}bindings", {**meta, "roleRef": reference, "subjects": [subject]})

    with step("those that are documented"):
        grant("ClusterRole", "", OF_THE_CLUSTER)
        grant("Role", f"/namespaces/{SPACE}", RULES)
        done = pods.module("accelerator_jobs", options(nodes), "looker")
        assert "nodes" in done and {each["health"]["verdict"] for each in done["nodes"]} == {"fit"}, done
        assert done["pods_seen"] is False and left(pods) == []
