"""Managed Karpenter on a cluster with EKS, on a real API server."""

from __future__ import annotations

import typing as t
from concurrent.futures import ThreadPoolExecutor

import pytest
from eks_world import EKS, EksWorld, until, workers
from lab.karpenter.controller import define
from lab.karpenter.objects import holds
from lab.kubernetes import definitions
from lab.kubernetes.api import ApiError
from lab.kubernetes.hyperpod_nodes import GROUP, TYPE, ZONE
from lab.names import ACCOUNT

JOBS, NODE_POOLS = "/apis/batch/v1/namespaces/default/jobs", "/apis/karpenter.sh/v1/nodepools"
Unmet = t.Callable[..., dict[str, str]]
KUEUE = "/apis/apps/v1/namespaces/kueue-system/deployments"
NODE_CLASSES = "/apis/karpenter.sagemaker.amazonaws.com/v1/hyperpodnodeclasses"


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        yield world


@pytest.fixture
def unmet(pods: EksWorld) -> t.Iterator[Unmet]:
    """A function that returns the unmet requirements of Karpenter for instance groups, by name, with what was found."""
    spread = {"OverrideVpcConfig": {"SecurityGroupIds": [pods.security_group], "Subnets": pods.subnets}}
    checked = {"OnStartDeepHealthChecks": ["InstanceStress"]}
    arn = pods.hyperpod("ml", [workers("auto", 0), workers("full", 1), {**workers("spread", 0), **spread}, {**workers("checked", 0), **checked}])

    def unmet_of(*groups: str, **more: t.Any) -> dict[str, str]:
        found = pods.module("karpenter_requirement_info", {"cluster_arn": arn, "node_class": "gpus", "instance_groups": groups, **more})
        assert "requirements" in found, found
        return {each["name"]: each["found"] for each in found["requirements"] if each["met"] is False}

    yield unmet_of
    pods.aws("sagemaker").delete_cluster(ClusterName=arn)


@pytest.mark.slow
def test_unmet_requirements_disappear_when_they_are_met(pods: EksWorld, unmet: Unmet) -> None:
    assert unmet("auto") == {"health monitoring agent": "missing"}
    pods.agent("1.0.1892.0_1.0.424.0")
    assert unmet("auto") == {}
    assert unmet("auto", kubeconfig=str(pods.plane.kubeconfig)) == {}

    assert unmet("auto", "other") == {"instance groups": "other does not exist"}
    assert unmet("checked") == {"deep health checks": "checked has InstanceStress"}
    zones = ", ".join(sorted(each["AvailabilityZone"] for each in pods.aws("ec2").describe_subnets(SubnetIds=pods.subnets)["Subnets"]))
    assert unmet("spread") == {"zones": f"spread is in {zones}"}

    assert unmet("full") == {"nodes of new groups": "full has 1"}
    define(pods.api)
    pods.api.create(NODE_CLASSES, node_class("full"))
    assert unmet("full") == {"nodes of new groups": "full has 1"}, "Karpenter is off, so it has not ended the nodes"
    pods.api.delete(f"{NODE_CLASSES}/gpus")

    before = pods.api.get(f"{definitions.PATH}/nodepools.karpenter.sh")["spec"]["versions"][0]
    older = {**before, "name": "v1beta1", "storage": False}
    pods.api.merge(f"{definitions.PATH}/nodepools.karpenter.sh", {"spec": {"versions": [{**before, "served": False}, older]}})
    assert unmet("auto") == {"Karpenter's definitions": "nodepools.karpenter.sh serves v1beta1"}
    pods.api.merge(f"{definitions.PATH}/nodepools.karpenter.sh", {"spec": {"versions": [before, older]}})

    pods.api.create("/api/v1/namespaces", {"metadata": {"name": "kueue-system"}})
    container = {"name": "manager", "image": "registry/kueue:v0.19.2"}
    template = {"metadata": {"labels": {"app": "kueue"}}, "spec": {"containers": [container]}}
    spec = {"selector": {"matchLabels": {"app": "kueue"}}, "template": template}
    pods.api.create(KUEUE, {**of("apps/v1", "Deployment", "kueue-controller-manager"), "spec": spec})
    assert unmet("auto") == {"topology-aware scheduling": "feature gate TopologyAwareScheduling is on by default in Kueue v0.19.2"}
    file = {"controller_manager_config.yaml": "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"}
    pods.api.create("/api/v1/namespaces/kueue-system/configmaps", {**of("v1", "ConfigMap", "kueue-manager-config"), "data": file})
    assert unmet("auto") == {"topology-aware scheduling": "Kueue's manager reads its file only when it starts, and has not read a change of the file yet"}
    switch = {"eks_cluster": EKS, "state": "disabled", "poll_interval": 1}
    until(lambda: pods.seen("deployment", "--namespace=kueue-system", "kueue-controller-manager")["status"].get("availableReplicas") == 1)
    planned = pods.module("kueue_topology_scheduling", switch, check=True)
    assert planned["changed"] and unmet("auto"), planned
    done = pods.module("kueue_topology_scheduling", switch)
    assert done["changes"] == planned["changes"] and done["topology_scheduling"]["kueue_version"] == "0.19.2", done
    assert unmet("auto") == {} and not pods.module("kueue_topology_scheduling", switch)["changed"]
    found = pods.seen("configmap", "--namespace=kueue-system", "kueue-manager-config")
    assert "TASProfileMixed: false" in found["data"]["controller_manager_config.yaml"] and not found["metadata"].get("annotations")
    (pod,) = pods.seen("pods", "--namespace=kueue-system")["items"]
    assert "kubectl.kubernetes.io/restartedAt" in pod["metadata"]["annotations"]


def test_the_definitions_reject_invalid_node_pools(pods: EksWorld) -> None:
    define(pods.api)
    for name, wrong, message in (
        ("weight", {"weight": 200}, "weight"),
        ("policy", {"disruption": {"consolidateAfter": "0s", "consolidationPolicy": "Never"}}, "consolidationPolicy"),
        ("after", {"disruption": {"consolidateAfter": "soon"}}, "consolidateAfter"),
        ("budget", {"disruption": {"consolidateAfter": "0s", "budgets": [{"nodes": "101%"}]}}, "budgets"),
        ("duration", {"disruption": {"budgets": [{"nodes": "0", "schedule": "@daily", "duration": "90s"}]}}, "duration"),
        ("limit", {"limits": {"cpu": "many"}}, "limits"),
        ("taint", templated(taints=[{"key": "a", "value": "", "effect": "NoSchedule"}]), "taints"),
    ):
        with pytest.raises(ApiError, match=f"422 Invalid.*{message}"):
            pods.api.create(NODE_POOLS, pool(name, **wrong))
    short = pods.api.create(NODE_POOLS, {**pool("short"), "spec": templated()})
    assert short["spec"]["disruption"] == {"consolidateAfter": "0s", "consolidationPolicy": "WhenEmptyOrUnderutilized", "budgets": [{"nodes": "10%"}]}
    assert short["spec"]["template"]["spec"]["expireAfter"] == "720h"
    pods.api.delete(f"{NODE_POOLS}/short")


@pytest.fixture(scope="module")
def scaled(pods: EksWorld) -> t.Iterator[str]:
    """The ARN of a cluster with the autoscaler."""
    flexible = {**workers("any", 0), "InstanceRequirements": {"InstanceTypes": ["ml.g5.12xlarge", "ml.g5.8xlarge"]}}
    flexible["OverrideVpcConfig"] = {"SecurityGroupIds": [pods.security_group], "Subnets": pods.subnets}
    del flexible["InstanceType"]
    arn = pods.hyperpod("scaled", [workers("system", 1, "ml.m5.large"), workers("gpus", 0), flexible])
    role = f"arn:aws:iam::{ACCOUNT}:role/hyperpod-karpenter"
    done = pods.module("cluster_autoscaling", {"cluster_arn": arn, "cluster_role": role, "poll_interval": 1})
    assert done["autoscaling"]["status"] == "InService", done
    pods.karpenter.start()
    until(lambda: bool(pods.api.get(definitions.PATH)["items"]))
    yield arn
    pods.aws("sagemaker").delete_cluster(ClusterName=arn)


def node_class(*groups: str, name: str = "gpus") -> dict[str, t.Any]:
    return {**of("karpenter.sagemaker.amazonaws.com/v1", "HyperpodNodeClass", name), "spec": {"instanceGroups": list(groups)}}


def pool(name: str = "gpus", **more: t.Any) -> dict[str, t.Any]:
    reference = {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"}
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": ["ml.g5.8xlarge"]}]
    disruption = {"consolidateAfter": "1s", "consolidationPolicy": "WhenEmpty", "budgets": [{"nodes": "100%"}]}
    template = {"spec": {"nodeClassRef": reference, "requirements": requirements}}
    return {**of("karpenter.sh/v1", "NodePool", name), "spec": {"template": template, "disruption": disruption, **more}}


def templated(**more: t.Any) -> dict[str, t.Any]:
    """The template of a NodePool's specification."""
    template = pool()["spec"]["template"]
    return {"template": {"spec": {**template["spec"], **more}}}


def job(name: str, seconds: int = 3, *, gpus: int = 1, image: str = "x", **notes: str) -> dict[str, t.Any]:
    annotations = {"lab/run-seconds": str(seconds), **notes}
    container = {"name": "a", "image": image, "resources": {"limits": {"nvidia.com/gpu": str(gpus)}}}
    template = {"metadata": {"annotations": annotations}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    return {**of("batch/v1", "Job", name), "spec": {"template": template}}


def ready(pods: EksWorld, kind: str, name: str) -> bool:
    return holds(pods.seen(kind, name), "Ready")


def test_nodes_are_added_and_removed_with_pods(pods: EksWorld, scaled: str) -> None:
    until(lambda: pods.kubectl("get", "nodepools").returncode == 0)
    pods.api.create(NODE_CLASSES, node_class("gpus"))
    pods.api.create(NODE_POOLS, pool(limits={"nvidia.com/gpu": "1"}))
    until(lambda: ready(pods, "hyperpodnodeclass", "gpus") and ready(pods, "nodepool", "gpus"))
    for name in ("one", "two"):
        pods.api.create(JOBS, job(name))
    until(lambda: len(pods.seen("nodeclaims")["items"]) == 1 and len(running(scaled, pods)) == 1)
    until(lambda: all(pods.seen("job", name)["status"].get("succeeded") == 1 for name in ("one", "two")))
    until(lambda: pods.seen("nodeclaims")["items"] == [] and running(scaled, pods) == [])
    until(lambda: [node["metadata"]["labels"][GROUP] for node in pods.seen("nodes")["items"]] == ["system"])


def test_a_pod_with_do_not_disrupt_keeps_its_node(pods: EksWorld, scaled: str) -> None:
    pods.api.create(JOBS, job("kept", 60, **{"karpenter.sh/do-not-disrupt": "true"}))
    until(lambda: phases(pods, "kept") == ["Running"])
    pods.api.delete(f"{NODE_POOLS}/gpus")
    until(lambda: "do-not-disrupt" in events(pods, "FailedDraining"))
    assert len(running(scaled, pods)) == 1
    pods.api.delete(f"{JOBS}/kept", {"propagationPolicy": "Background"})
    until(lambda: pods.seen("nodeclaims")["items"] == [] and running(scaled, pods) == [])
    pods.api.delete(f"{NODE_CLASSES}/gpus")
    until(lambda: pods.seen("hyperpodnodeclasses")["items"] == [])


@pytest.mark.slow
def test_errors_are_in_status_and_events(pods: EksWorld, scaled: str) -> None:
    pods.api.create(NODE_CLASSES, node_class("gpus", "none"))
    wrong = pool("wrong")
    wrong["spec"]["template"]["spec"]["requirements"] = [{"key": "karpenter.sh/capacity-type", "operator": "Exists"}]
    pods.api.create(NODE_POOLS, wrong)
    until(lambda: "Instance groups not found: none" in str(pods.seen("hyperpodnodeclass", "gpus").get("status")))
    until(lambda: "UnsupportedRequirement" in str(pods.seen("nodepool", "wrong").get("status")))
    pods.api.delete(f"{NODE_POOLS}/wrong")
    pods.api.merge(f"{NODE_CLASSES}/gpus", {"spec": {"instanceGroups": ["gpus"]}})
    until(lambda: ready(pods, "hyperpodnodeclass", "gpus"))
    pods.world.control.faults({"kind": "partial", "operation": "BatchAddClusterNodes", "code": "InvalidInstanceGroupStatus", "times": 1})
    pods.api.create(NODE_POOLS, pool())
    pods.api.create(JOBS, job("late"))
    until(lambda: "InvalidInstanceGroupStatus" in events(pods, "LaunchFailed"))
    until(lambda: pods.seen("job", "late")["status"].get("succeeded") == 1)
    pods.api.delete(f"{NODE_POOLS}/gpus")
    pods.api.delete(f"{NODE_CLASSES}/gpus")
    until(lambda: pods.seen("hyperpodnodeclasses")["items"] == [])


@pytest.mark.slow
def test_a_label_change_while_nodes_are_added_loses_no_node(pods: EksWorld, scaled: str) -> None:
    """An update sends the whole group with its count, which Karpenter changes before the call and while AWS applies it."""
    pods.api.create(NODE_CLASSES, node_class("gpus"))
    pods.api.create(NODE_POOLS, pool(limits={"nvidia.com/gpu": "2"}))
    pods.api.create(JOBS, job("before", 20))
    until(lambda: phases(pods, "before") == ["Running"])
    group = {"name": "gpus", "kubernetes_config": {"labels": {"team": "research"}}}
    options = {"name": "scaled", "instance_groups": [group], "poll_interval": 1}
    pods.world.control.faults({"kind": "hold", "operation": "UpdateCluster"})
    with ThreadPoolExecutor(1) as executor:
        run = executor.submit(pods.module, "cluster", options)
        until(lambda: bool(pods.world.control.held()) or run.done())
        assert not run.done(), run.result()
        pods.api.create(JOBS, job("meanwhile", 20))
        until(lambda: len(running(scaled, pods)) == 2)
        nodes = set(running(scaled, pods))
        pods.world.control.release()
        done = run.result()
    assert done["changed"] and "warnings" not in done, done
    assert set(running(scaled, pods)) == nodes and done["cluster"]["progress"]["gpus"] == {"status": "InService", "current": 2, "target": 2}
    (gpus,) = [each for each in done["cluster"]["definition"]["instance_groups"] if each["name"] == "gpus"]
    assert gpus["kubernetes_config"]["labels"] == {"team": "research"}
    until(lambda: all(pods.seen("job", name)["status"].get("succeeded") == 1 for name in ("before", "meanwhile")))
    assert not any(pods.seen("job", name)["status"].get("failed") for name in ("before", "meanwhile"))
    pods.api.delete(f"{NODE_POOLS}/gpus")
    pods.api.delete(f"{NODE_CLASSES}/gpus")
    until(lambda: pods.seen("hyperpodnodeclasses")["items"] == [] and running(scaled, pods) == [])


def phases(pods: EksWorld, name: str) -> list[str]:
    """Phases of a job's pods."""
    return [pod["status"]["phase"] for pod in pods.seen("pods", f"--selector=job-name={name}")["items"]]


@pytest.mark.slow
def test_a_node_that_never_joined_is_requested_again(pods: EksWorld, scaled: str) -> None:
    pods.world.settings(insufficient_capacity={"gpus": 1}, launch_seconds={"gpus": 2})
    pods.karpenter.patience, usual = 8, pods.karpenter.patience
    pods.api.create(NODE_CLASSES, node_class("gpus"))
    pods.api.create(NODE_POOLS, pool())
    pods.api.create(JOBS, job("patient"))
    until(lambda: "no node of gpus has joined" in events(pods, "RegistrationTimeout"))
    aws_events = pods.module("cluster_event_info", {"cluster_arn": scaled, "details": True, "instance_group_name": "gpus"})["events"]
    newest = [each for each in aws_events if each["event_level"] != "Info"][:3]
    assert "InsufficientInstanceCapacity" in str(newest), aws_events  # three events for each instance, and one has the reason
    until(lambda: pods.seen("job", "patient")["status"].get("succeeded") == 1)
    until(lambda: pods.seen("nodeclaims")["items"] == [] and running(scaled, pods) == [])
    pods.world.settings(insufficient_capacity={}, launch_seconds={})
    pods.karpenter.patience = usual
    cleared(pods)


@pytest.mark.slow
def test_a_flexible_group_adds_the_cheapest_suitable_type(pods: EksWorld, scaled: str) -> None:
    pods.api.create(NODE_CLASSES, node_class("any"))
    both = pool()
    both["spec"]["template"]["spec"]["requirements"] = [{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"]}]
    pods.api.create(NODE_POOLS, both)
    until(lambda: ready(pods, "nodepool", "gpus"))
    zones = sorted(each["AvailabilityZone"] for each in pods.aws("ec2").describe_subnets(SubnetIds=pods.subnets)["Subnets"])
    there = job("there", 300)
    there["spec"]["template"]["spec"]["nodeSelector"] = {ZONE: zones[-1]}
    for each in (there, job("large", 300, gpus=4)):
        pods.api.create(JOBS, each)
    until(lambda: [pod["status"]["phase"] for pod in pods.seen("pods", "--selector=job-name in (there,large)")["items"]] == ["Running"] * 2)
    nodes = {node["metadata"]["name"]: node["metadata"]["labels"] for node in pods.seen("nodes", f"--selector={GROUP}=any")["items"]}
    on = {pod["metadata"]["labels"]["job-name"]: nodes[pod["spec"]["nodeName"]] for pod in pods.seen("pods", "--selector=job-name in (there,large)")["items"]}
    assert (on["there"][TYPE], on["there"][ZONE], on["large"][TYPE]) == ("ml.g5.8xlarge", zones[-1], "ml.g5.12xlarge")
    for name in on:
        pods.api.delete(f"{JOBS}/{name}", {"propagationPolicy": "Background"})
    cleared(pods)


@pytest.mark.slow
def test_a_missing_image_keeps_its_pod_waiting(pods: EksWorld, scaled: str) -> None:
    pods.api.create(NODE_CLASSES, node_class("gpus"))
    pods.api.create(NODE_POOLS, pool())
    pods.api.create(JOBS, job("stuck", image="unpullable:1"))

    def state() -> dict[str, t.Any]:
        (pod,) = pods.seen("pods", "--selector=job-name=stuck")["items"]
        (container,) = pod["status"].get("containerStatuses") or [{}]
        return dict(container.get("state", {}).get("waiting", {}), phase=pod["status"]["phase"], name=pod["metadata"]["name"])

    until(lambda: state().get("reason") == "ImagePullBackOff")
    assert state()["phase"] == "Pending" and 'Failed to pull image "unpullable:1"' in events(pods, "Failed")
    patch = {"spec": {"containers": [{"name": "a", "image": "x:2"}]}}
    pods.api.call("PATCH", f"/api/v1/namespaces/default/pods/{state()['name']}", patch, "application/strategic-merge-patch+json")
    until(lambda: pods.seen("job", "stuck")["status"].get("succeeded") == 1)
    cleared(pods)


def cleared(pods: EksWorld) -> None:
    pods.api.delete(f"{NODE_POOLS}/gpus")
    pods.api.delete(f"{NODE_CLASSES}/gpus")
    until(lambda: pods.seen("hyperpodnodeclasses")["items"] == [])


def events(pods: EksWorld, reason: str) -> str:
    """Messages of the events with this reason."""
    return "; ".join(event["message"] for event in pods.seen("events")["items"] if event["reason"] == reason)


def running(arn: str, pods: EksWorld) -> list[str]:
    """Nodes of the scaled group."""
    found = pods.aws("sagemaker").list_cluster_nodes(ClusterName=arn, InstanceGroupNameContains="gpus")["ClusterNodeSummaries"]
    return [each["InstanceId"] for each in found]


def of(version: str, kind: str, name: str) -> dict[str, t.Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}}
