"""What managed Karpenter has and why Pods wait, as karpenter_info tells it, beside what kubectl sees."""

from __future__ import annotations

import json
import subprocess
import typing as t

import pytest
from eks_world import ADMINISTRATOR, EksWorld, until, workers
from lab.aws import permissions
from lab.karpenter.objects import CLAIMS, CLASSES, POOLS, holds
from lab.kubernetes.hyperpod_nodes import GROUP, TYPE
from lab.names import ACCOUNT

pytestmark = pytest.mark.slow
PODS = "/api/v1/namespaces/default/pods"
GPU = "nvidia.com/gpu"
QUOTA = "Total number of instances allowed across SageMaker HyperPod clusters"
TAINT = {"key": "team", "value": "x", "effect": "NoSchedule"}
Look = t.Callable[..., dict[str, t.Any]]
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
def look(pods: EksWorld, arn: str) -> Look:
    def looked(**options: t.Any) -> dict[str, t.Any]:
        return pods.module("karpenter_info", {"cluster_arn": arn, "poll_interval": 1, **options})

    return looked


def object_of(version: str, kind: str, name: str, **more: t.Any) -> dict[str, t.Any]:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name}, **more}


def node_class(*groups: str) -> dict[str, t.Any]:
    spec = {"instanceGroups": list(groups)}
    return object_of("karpenter.sagemaker.amazonaws.com/v1", "HyperpodNodeClass", "gpus", spec=spec)


def pool(**more: t.Any) -> dict[str, t.Any]:
    reference = {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"}
    requirements = [{"key": TYPE, "operator": "In", "values": ["ml.g5.8xlarge"]}]
    disruption = {"consolidateAfter": "Never", "consolidationPolicy": "WhenEmpty"}  # a Pod without an owner goes with its node
    template = {"spec": {"nodeClassRef": reference, "requirements": requirements}}
    return object_of("karpenter.sh/v1", "NodePool", "gpus", spec={"template": template, "disruption": disruption, **more})


def waiter(name: str, **spec: t.Any) -> dict[str, t.Any]:
    """A Pod that asks for a GPU and runs until it is deleted."""
    container = {"name": "a", "image": "x", "resources": {"limits": {GPU: "1"}}}
    pod = object_of("v1", "Pod", name, spec={"containers": [container], **spec})
    pod["metadata"] |= {"labels": {"app": name}, "annotations": {"lab/run-seconds": "600"}}
    return pod


def of(found: dict[str, t.Any], pod: str) -> dict[str, t.Any]:
    assert "waiting" in found, found
    (told,) = [each for each in found["waiting"] if each["pod"] == f"default/{pod}"]
    return told


def test_causes_come_one_after_the_other(pods: EksWorld, arn: str, look: Look) -> None:
    pods.api.create(PODS, waiter("a"))
    until(lambda: "Unschedulable" in str(pods.seen("pod", "a").get("status")))

    found = look()
    assert (found["defined"], found["autoscaling"]["mode"], found["node_pools"], found["node_claims"]) == (False, "Disable", [], [])
    assert found["price"]["total_per_hour"] == 0
    assert of(found, "a")["text"] == "The autoscaler of cluster ml is missing instead of InService: it is switched off."
    refused = look(wait_for="ready", node_pools=["gpus"], wait_timeout=1)
    assert "NodePool gpus (does not exist); the autoscaler is off; the API server does not have" in refused.get("msg", ""), refused

    pods.world.settings(autoscaler_failure="The role can't be assumed.")
    pods.module("cluster_autoscaling", {"cluster_arn": arn, "cluster_role": ROLE, "poll_interval": 1})
    assert of(look(), "a")["text"].endswith("is Failed instead of InService: The role can't be assumed.")
    failed = look(wait_for="ready", node_pools=["gpus"], wait_timeout=60)
    assert "the autoscaler failed: The role can't be assumed" in failed.get("msg", ""), failed
    pods.world.settings(autoscaler_failure="")
    done = pods.module("cluster_autoscaling", {"cluster_arn": arn, "cluster_role": ROLE, "poll_interval": 1})
    assert done["autoscaling"]["status"] == "InService", done
    pods.karpenter.start()
    until(lambda: pods.kubectl("get", "nodepools").returncode == 0)
    assert of(look(), "a")["text"] == "No NodePool exists, so Karpenter adds no nodes."

    pods.api.create(CLASSES, node_class("gpus", "none"))
    pods.api.create(POOLS, pool(limits={GPU: "0"}))
    until(lambda: "Instance groups not found: none" in str(pods.seen("hyperpodnodeclass", "gpus").get("status")))
    refused = look(wait_for="ready", wait_timeout=1)
    assert "HyperpodNodeClass gpus (Instance groups not found: none), NodePool gpus (" in refused.get("msg", ""), refused
    assert of(look(), "a")["cause"] == "limits"
    pods.api.merge(f"{POOLS}/gpus", {"spec": {"limits": None}})
    assert of(look(), "a")["text"] == "HyperpodNodeClass gpus is not Ready: Instance groups not found: none."

    def of_pool(**template: t.Any) -> None:
        pods.api.merge(f"{POOLS}/gpus", {"spec": {"template": {"spec": template}}})

    of_pool(taints=[TAINT])
    pods.api.merge(f"{CLASSES}/gpus", {"spec": {"instanceGroups": ["gpus"]}})
    found = look(wait_for="ready", node_pools=["gpus"], node_classes=["gpus"], wait_timeout=60)
    assert found["ready"] and [each["ready"] for each in (*found["node_pools"], *found["node_classes"])] == [True, True], found
    assert of(found, "a")["text"] == "Pod default/a does not tolerate taint team=x:NoSchedule of NodePool gpus."

    pods.api.create(PODS, waiter("big", nodeSelector={TYPE: "ml.p5.48xlarge"}))
    until(lambda: "Unschedulable" in str(pods.seen("pod", "big").get("status")))
    assert of(look(), "big")["text"].startswith(f"Pod default/big asks for {TYPE}=ml.p5.48xlarge, which no node of a NodePool (gpus)")
    pods.api.delete(f"{PODS}/big")

    pods.world.settings(service_quotas={QUOTA: 1})
    refusing = {"kind": "partial", "operation": "BatchAddClusterNodes", "code": "InvalidInstanceGroupStatus", "times": 1000}
    pods.world.control.faults(refusing)
    of_pool(taints=[])
    until(lambda: "LaunchFailed" in str(pods.seen("events")))
    until(lambda: of(look(), "a")["text"].endswith(f"quota {QUOTA} does not allow: 1 are in use of 1."))  # or a claim is there, for a moment
    of_reader(pods, arn)
    pods.world.settings(service_quotas={})
    until(lambda: of(look(), "a")["cause"] == "capacity" and "InvalidInstanceGroupStatus" in of(look(), "a")["text"])
    pods.world.clear_faults()
    until(lambda: pods.seen("pod", "a")["status"]["phase"] == "Running")


def of_reader(pods: EksWorld, arn: str) -> None:
    """Who may look only sees why a pod waits, too, which takes events and quotas of AWS; what is denied there would not be told."""
    pods.admit(pods.person("looks-at-pods"), "AmazonEKSAdminViewPolicy")
    pods.world.settings(policies=permissions.documented("read-only"))
    pods.reset_changes()

    def looked() -> dict[str, t.Any]:
        return pods.module("karpenter_info", {"cluster_arn": arn}, profile="looks-at-pods")

    until(lambda: of(looked(), "a")["cause"] == "quota")  # or a claim is there, for a moment
    pods.world.settings(policies=permissions.documented())
    assert pods.changes() == []


def test_it_returns_what_kubectl_sees(pods: EksWorld, look: Look) -> None:
    until(lambda: holds(pods.seen("nodeclaims")["items"][0], "Ready"))
    found = look()
    (claim,), (seen,) = found["node_claims"], pods.seen("nodeclaims")["items"]
    labels = seen["metadata"]["labels"]
    assert (claim["name"], claim["node"]) == (seen["metadata"]["name"], seen["status"]["nodeName"])
    assert (claim["instance_group"], claim["instance_type"]) == (labels[GROUP], labels[TYPE]) == ("gpus", "ml.g5.8xlarge")
    assert (claim["state"], claim["pods"], claim["created"]) == ("ready", ["default/a"], seen["metadata"]["creationTimestamp"])
    assert claim["holding"] == [] and found["waiting"] == [] and not found["changed"]
    (of_pool,) = found["node_pools"]
    assert (of_pool["nodes"], of_pool["used"][GPU], of_pool["ours"]) == (1, 1, False)
    assert (found["price"]["total_per_hour"], found["price"]["unknown"]) == (3.06, [])


def test_it_returns_what_aws_sees(pods: EksWorld, look: Look) -> None:
    found = look()
    argv = ["aws", "--profile", ADMINISTRATOR, "--output", "json", "sagemaker"]
    seen = json.loads(subprocess.run([*argv, "describe-cluster", "--cluster-name", "ml"], capture_output=True, check=True).stdout)
    told = {name: found["autoscaling"][name] for name in ("mode", "status", "cluster_role")}
    assert told == {"mode": seen["AutoScaling"]["Mode"], "status": seen["AutoScaling"]["Status"], "cluster_role": seen["ClusterRole"]}
    listed = subprocess.run([*argv, "list-cluster-nodes", "--cluster-name", "ml"], capture_output=True, check=True).stdout
    of_gpus = [node["InstanceId"] for node in json.loads(listed)["ClusterNodeSummaries"] if node["InstanceGroupName"] == "gpus"]
    assert [claim["node"] for claim in found["node_claims"]] == [f"hyperpod-{instance}" for instance in of_gpus]


def test_a_karpenter_that_somebody_runs_himself_is_no_part_of_it(pods: EksWorld, look: Look) -> None:
    before = look()
    reference = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpus"}
    template = {"spec": {"nodeClassRef": reference, "requirements": []}}
    pods.api.create(POOLS, object_of("karpenter.sh/v1", "NodePool", "theirs", spec={"template": template}))
    spec = {"nodeClassRef": reference, "requirements": [], "resources": {}}
    claim = object_of("karpenter.sh/v1", "NodeClaim", "theirs-1", spec=spec)
    claim["metadata"]["labels"] = {"karpenter.sh/nodepool": "theirs", TYPE: "m5.large"}
    pods.api.create(CLAIMS, claim)
    launched = {"type": "Launched", "status": "True", "reason": "Launched", "message": "it is", "lastTransitionTime": "2026-10-04T08:00:00Z"}
    pods.api.merge(f"{CLAIMS}/theirs-1/status", {"status": {"nodeName": "theirs", "conditions": [launched]}})
    assert len(pods.seen("nodepools")["items"]) == len(pods.seen("nodeclaims")["items"]) == 2
    found = look()
    assert {name: found[name] for name in ("node_pools", "node_claims", "price", "ready")} == {
        name: before[name] for name in ("node_pools", "node_claims", "price", "ready")
    }
    for path in (f"{CLAIMS}/theirs-1", f"{POOLS}/theirs"):
        pods.api.delete(path)


def test_what_holds_a_node_is_told_and_not_forced(pods: EksWorld, look: Look) -> None:
    pods.api.merge(f"{PODS}/a", {"metadata": {"annotations": {"karpenter.sh/do-not-disrupt": "true"}}})
    spec = {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}
    policy = pods.api.get("/apis/policy")["preferredVersion"]["groupVersion"]
    pods.api.create(f"/apis/{policy}/namespaces/default/poddisruptionbudgets", object_of(policy, "PodDisruptionBudget", "all", spec=spec))
    until(lambda: pods.seen("poddisruptionbudget", "all")["status"].get("currentHealthy") == 1)
    pods.api.delete(f"{POOLS}/gpus")
    until(lambda: "deletionTimestamp" in pods.seen("nodeclaims")["items"][0]["metadata"])
    found = look(wait_for="gone", node_pools=["gpus"], wait_timeout=1)
    assert found.get("gone") is False and "msg" not in found, found
    (claim,) = found["node_claims"]
    assert claim["state"] == "leaving"
    assert [each["text"] for each in claim["holding"]] == [
        "Pod default/a has karpenter.sh/do-not-disrupt",
        "PodDisruptionBudget default/all allows no disruption of its Pods (default/a)",
    ]
    assert look(wait_for="gone", node_pools=["others"])["gone"] is True
    pods.api.delete(f"{PODS}/a")
    found = look(wait_for="gone", node_pools=["gpus"], wait_timeout=120)
    assert found["gone"] and found["node_claims"] == [] == pods.api.get(CLAIMS)["items"], found
    assert found["price"]["told"] == "nothing: Karpenter has no nodes"


def test_who_has_no_access_entry(pods: EksWorld, arn: str) -> None:
    pods.person("stranger")
    refused = pods.module("karpenter_info", {"cluster_arn": arn}, profile="stranger")
    assert "access" in refused.get("msg", ""), refused
