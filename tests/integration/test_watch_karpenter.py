"""karpenter_info returns the objects of managed Karpenter, as kubectl shows them, and why Pods wait."""

from __future__ import annotations

import json
import subprocess
import typing as t
from pathlib import Path

import pytest
from eks_world import ADMINISTRATOR, EksWorld, until, workers
from fleet_page import fleet_report, stored_in
from harness import STATE_DIR
from lab.aws import permissions
from lab.karpenter.objects import CLAIMS, CLASSES, POOLS, holds
from lab.kubernetes.hyperpod_nodes import GROUP, TYPE
from lab.names import ACCOUNT

pytestmark = pytest.mark.slow
PODS = "/api/v1/namespaces/default/pods"
GPU = "nvidia.com/gpu"
QUOTA = "Total number of instances allowed across SageMaker HyperPod clusters"
TAINT = {"key": "team", "value": "x", "effect": "NoSchedule"}
KarpenterInfo = t.Callable[..., dict[str, t.Any]]
ROLE = f"arn:aws:iam::{ACCOUNT}:role/hyperpod-karpenter"


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        yield world


@pytest.fixture(scope="module")
def arn(pods: EksWorld) -> t.Iterator[str]:
    made = pods.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("gpus", 0)])
    yield made
    pods.world.clear_faults()
    pods.world.settings(service_quotas={}, autoscaler_failure="")
    pods.aws("sagemaker").delete_cluster(ClusterName=made)


@pytest.fixture(scope="module")
def karpenter_info(pods: EksWorld, arn: str) -> KarpenterInfo:
    def info(**options: t.Any) -> dict[str, t.Any]:
        return pods.module("karpenter_info", {"cluster_arn": arn, "poll_interval": 1, **options})

    return info


def object_of(version: str, kind: str, name: str, **more: t.Any) -> dict[str, t.Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more}


def node_class(*groups: str) -> dict[str, t.Any]:
    spec = {"instanceGroups": list(groups)}
    return object_of("karpenter.sagemaker.amazonaws.com/v1", "HyperpodNodeClass", "gpus", spec=spec)


def pool(**more: t.Any) -> dict[str, t.Any]:
    reference = {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"}
    requirements = [{"key": TYPE, "operator": "In", "values": ["ml.g5.8xlarge"]}]
    disruption = {"consolidateAfter": "Never", "consolidationPolicy": "WhenEmpty"}  # a Pod without an owner is deleted with its node
    template = {"spec": {"nodeClassRef": reference, "requirements": requirements}}
    return object_of("karpenter.sh/v1", "NodePool", "gpus", spec={"template": template, "disruption": disruption, **more})


def waiter(name: str, **spec: t.Any) -> dict[str, t.Any]:
    """A Pod that requests a GPU and runs until it is deleted."""
    container = {"name": "a", "image": "x", "resources": {"limits": {GPU: "1"}}}
    pod = object_of("v1", "Pod", name, spec={"containers": [container], **spec})
    pod["metadata"] |= {"labels": {"app": name}, "annotations": {"lab/run-seconds": "600"}}
    return pod


def waiting_pod(found: dict[str, t.Any], pod: str) -> dict[str, t.Any]:
    assert "waiting" in found, found
    (entry,) = [each for each in found["waiting"] if each["pod"] == f"default/{pod}"]
    return entry


def test_each_cause_of_a_waiting_pod_is_reported(pods: EksWorld, arn: str, karpenter_info: KarpenterInfo) -> None:
    pods.api.create(PODS, waiter("a"))
    until(lambda: "Unschedulable" in str(pods.seen("pod", "a").get("status")))

    found = karpenter_info()
    assert (found["defined"], found["autoscaling"]["mode"], found["node_pools"], found["node_claims"]) == (False, "Disable", [], [])
    assert found["price"]["total_per_hour"] == 0
    assert waiting_pod(found, "a")["text"] == "The autoscaler of cluster ml is missing instead of InService: it is switched off."
    refused = karpenter_info(wait_for="ready", node_pools=["gpus"], wait_timeout=1)
    assert "NodePool gpus (does not exist); the autoscaler is off; the API server does not have" in refused.get("msg", ""), refused

    pods.world.settings(autoscaler_failure="The role can't be assumed.")
    pods.module("cluster_autoscaling", {"cluster_arn": arn, "cluster_role": ROLE, "poll_interval": 1})
    assert waiting_pod(karpenter_info(), "a")["text"].endswith("is Failed instead of InService: The role can't be assumed.")
    failed = karpenter_info(wait_for="ready", node_pools=["gpus"], wait_timeout=60)
    for words in ("the autoscaler is Failed: The role can't be assumed; ", ": fix the reported problem of the autoscaler, then run again"):
        assert words in failed.get("msg", ""), failed
    pods.world.settings(autoscaler_failure="")
    done = pods.module("cluster_autoscaling", {"cluster_arn": arn, "cluster_role": ROLE, "poll_interval": 1})
    assert done["autoscaling"]["status"] == "InService", done
    pods.karpenter.start()
    until(lambda: pods.kubectl("get", "nodepools").returncode == 0)
    assert waiting_pod(karpenter_info(), "a")["text"] == "No NodePool exists, so Karpenter adds no nodes."

    pods.api.create(CLASSES, node_class("gpus", "none"))
    pods.api.create(POOLS, pool(limits={GPU: "0"}))
    until(lambda: "Instance groups not found: none" in str(pods.seen("hyperpodnodeclass", "gpus").get("status")))
    refused = karpenter_info(wait_for="ready", wait_timeout=1)
    assert "HyperpodNodeClass gpus (Instance groups not found: none), NodePool gpus (" in refused.get("msg", ""), refused
    assert waiting_pod(karpenter_info(), "a")["cause"] == "limits"
    pods.api.merge(f"{POOLS}/gpus", {"spec": {"limits": None}})
    assert waiting_pod(karpenter_info(), "a")["text"] == "HyperpodNodeClass gpus is not Ready: Instance groups not found: none."

    def set_template(**template: t.Any) -> None:
        pods.api.merge(f"{POOLS}/gpus", {"spec": {"template": {"spec": template}}})

    set_template(taints=[TAINT])
    pods.api.merge(f"{CLASSES}/gpus", {"spec": {"instanceGroups": ["gpus"]}})
    found = karpenter_info(wait_for="ready", node_pools=["gpus"], node_classes=["gpus"], wait_timeout=60)
    assert found["ready"] and [each["ready"] for each in (*found["node_pools"], *found["node_classes"])] == [True, True], found
    assert waiting_pod(found, "a")["text"] == "Pod default/a does not tolerate taint team=x:NoSchedule of NodePool gpus."

    pods.api.create(PODS, waiter("big", nodeSelector={TYPE: "ml.p5.48xlarge"}))
    until(lambda: "Unschedulable" in str(pods.seen("pod", "big").get("status")))
    assert waiting_pod(karpenter_info(), "big")["text"].startswith(f"Pod default/big requires {TYPE}=ml.p5.48xlarge, which no node of any NodePool (gpus)")
    pods.api.delete(f"{PODS}/big")

    pods.world.settings(service_quotas={QUOTA: 1})
    refusing = {"kind": "partial", "operation": "BatchAddClusterNodes", "code": "InvalidInstanceGroupStatus", "times": 1000}
    pods.world.control.faults(refusing)
    set_template(taints=[])
    until(lambda: "LaunchFailed" in str(pods.seen("events")))
    # Until then, a NodeClaim may exist for a moment.
    until(lambda: waiting_pod(karpenter_info(), "a")["text"].endswith(f"quota {QUOTA} does not allow: 1 of 1 are in use."))
    assert_reader_gets_the_cause(pods, arn)
    pods.world.settings(service_quotas={})
    until(lambda: waiting_pod(karpenter_info(), "a")["cause"] == "capacity" and "InvalidInstanceGroupStatus" in waiting_pod(karpenter_info(), "a")["text"])
    pods.world.clear_faults()
    until(lambda: pods.seen("pod", "a")["status"]["phase"] == "Running")


def assert_reader_gets_the_cause(pods: EksWorld, arn: str) -> None:
    """A person with read access gets the cause, too, which needs events and quotas of AWS; without them it would be missing."""
    pods.admit(pods.person("looks-at-pods"), "AmazonEKSAdminViewPolicy")
    pods.world.settings(policies=permissions.documented("read-only"))
    pods.reset_changes()

    def info() -> dict[str, t.Any]:
        return pods.module("karpenter_info", {"cluster_arn": arn}, profile="looks-at-pods")

    until(lambda: waiting_pod(info(), "a")["cause"] == "quota")  # until then, a NodeClaim may exist for a moment
    pods.world.settings(policies=permissions.documented())
    assert pods.changes() == []


def test_the_result_matches_kubectl(pods: EksWorld, karpenter_info: KarpenterInfo) -> None:
    until(lambda: holds(pods.seen("nodeclaims")["items"][0], "Ready"))
    found = karpenter_info()
    (claim,), (seen,) = found["node_claims"], pods.seen("nodeclaims")["items"]
    labels = seen["metadata"]["labels"]
    assert (claim["name"], claim["node"]) == (seen["metadata"]["name"], seen["status"]["nodeName"])
    assert (claim["instance_group"], claim["instance_type"]) == (labels[GROUP], labels[TYPE]) == ("gpus", "ml.g5.8xlarge")
    assert (claim["state"], claim["pods"], claim["created"]) == ("ready", ["default/a"], seen["metadata"]["creationTimestamp"])
    assert claim["holding"] == [] and found["waiting"] == [] and not found["changed"]
    (node_pool,) = found["node_pools"]
    assert (node_pool["nodes"], node_pool["used"][GPU], node_pool["ours"]) == (1, 1, False)
    assert (found["price"]["total_per_hour"], found["price"]["unknown"]) == (3.06, [])


def test_the_cost_is_in_the_fleet_report(pods: EksWorld, arn: str, tmp_path: Path) -> None:
    run = pods.world.playbook("karpenter_status", *stored_in(tmp_path))
    assert run.rc == 0, run.log
    numbers = {"nodes": 1, "per_hour": 3.06, "currency": "USD", "without_price": [], "waiting_pods": 0}
    (found,) = json.loads((STATE_DIR / "karpenter.json").read_text())["karpenter"].values()
    assert found == {"arn": arn, "failure": "", **numbers}
    made, shown = fleet_report(pods.world, tmp_path, "cost")
    (cluster,) = made["clusters"].values()
    assert cluster["karpenter"]["found"] == numbers and "1 3.06 USD none 0" in shown, shown


def test_the_result_matches_the_aws_command(pods: EksWorld, karpenter_info: KarpenterInfo) -> None:
    found = karpenter_info()
    argv = ["aws", "--profile", ADMINISTRATOR, "--output", "json", "sagemaker"]
    seen = json.loads(subprocess.run([*argv, "describe-cluster", "--cluster-name", "ml"], capture_output=True, check=True).stdout)
    autoscaling = {name: found["autoscaling"][name] for name in ("mode", "status", "cluster_role")}
    assert autoscaling == {"mode": seen["AutoScaling"]["Mode"], "status": seen["AutoScaling"]["Status"], "cluster_role": seen["ClusterRole"]}
    listed = subprocess.run([*argv, "list-cluster-nodes", "--cluster-name", "ml"], capture_output=True, check=True).stdout
    instances = [node["InstanceId"] for node in json.loads(listed)["ClusterNodeSummaries"] if node["InstanceGroupName"] == "gpus"]
    assert [claim["node"] for claim in found["node_claims"]] == [f"hyperpod-{instance}" for instance in instances]


def test_objects_of_self_managed_karpenter_are_ignored(pods: EksWorld, karpenter_info: KarpenterInfo) -> None:
    before = karpenter_info()
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpus"}
    template = {"spec": {"nodeClassRef": reference, "requirements": []}}
    pods.api.create(POOLS, object_of("karpenter.sh/v1", "NodePool", "foreign", spec={"template": template}))
    spec = {"nodeClassRef": reference, "requirements": [], "resources": {}}
    claim = object_of("karpenter.sh/v1", "NodeClaim", "foreign-1", spec=spec)
    claim["metadata"]["labels"] = {"karpenter.sh/nodepool": "foreign", TYPE: "m5.large"}
    pods.api.create(CLAIMS, claim)
    launched = {"type": "Launched", "status": "True", "reason": "Launched", "message": "it is", "lastTransitionTime": "2026-10-04T08:00:00Z"}
    pods.api.merge(f"{CLAIMS}/foreign-1/status", {"status": {"nodeName": "foreign", "conditions": [launched]}})
    assert len(pods.seen("nodepools")["items"]) == len(pods.seen("nodeclaims")["items"]) == 2
    found = karpenter_info()
    assert {name: found[name] for name in ("node_pools", "node_claims", "price", "ready")} == {
        name: before[name] for name in ("node_pools", "node_claims", "price", "ready")
    }
    for path in (f"{CLAIMS}/foreign-1", f"{POOLS}/foreign"):
        pods.api.delete(path)


def test_blockers_of_a_node_are_reported_and_not_overridden(pods: EksWorld, karpenter_info: KarpenterInfo) -> None:
    pods.api.merge(f"{PODS}/a", {"metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}}})
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}
    policy = pods.api.get("/apis/policy")["preferredVersion"]["groupVersion"]
    pods.api.create(f"/apis/{policy}/namespaces/default/poddisruptionbudgets", object_of(policy, "PodDisruptionBudget", "all", spec=spec))
    until(lambda: pods.seen("poddisruptionbudget", "all")["status"].get("currentHealthy") == 1)
    pods.api.delete(f"{POOLS}/gpus")
    until(lambda: "deletionTimestamp" in pods.seen("nodeclaims")["items"][0]["metadata"])
    found = karpenter_info(wait_for="gone", node_pools=["gpus"], wait_timeout=1)
    assert found.get("gone") is False and "msg" not in found, found
    (claim,) = found["node_claims"]
    assert claim["state"] == "leaving"
    assert [each["text"] for each in claim["holding"]] == [
        "Pod default/a has karpenter.sh/do-not-disrupt",
        "PodDisruptionBudget default/all allows no disruption of its Pods (default/a)",
    ]
    assert karpenter_info(wait_for="gone", node_pools=["others"])["gone"] is True
    pods.api.delete(f"{PODS}/a")
    found = karpenter_info(wait_for="gone", node_pools=["gpus"], wait_timeout=120)
    assert found["gone"] and found["node_claims"] == [] == pods.api.get(CLAIMS)["items"], found
    assert found["price"]["told"] == "nothing: Karpenter has no nodes"


def test_a_person_without_an_access_entry_is_refused(pods: EksWorld, arn: str) -> None:
    pods.person("stranger")
    refused = pods.module("karpenter_info", {"cluster_arn": arn}, profile="stranger")
    assert "access" in refused.get("msg", ""), refused
