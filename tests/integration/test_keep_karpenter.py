"""Managed Karpenter by the playbook: a cluster of fixed size scales from and to zero, and becomes fixed again."""

from __future__ import annotations

import contextlib
import json
import typing as t

import pytest
from eks_world import EKS, EksWorld, until, workers
from harness import Run
from lab.aws import permissions
from lab.karpenter.objects import holds
from lab.names import ACCOUNT
from mishaps import Started, run_until
from steps import step

GPUS = {"name": "gpus", "instance_groups": ["auto"]}
POOL = {
    "name": "gpus",
    "node_class": "gpus",
    "limits": {"nvidia.com/gpu": 2},
    "labels": {"team": "research", "tier": "first"},
    "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
    "disruption": {"profile": "training", "consolidate_after": "1s"},
}
DECLARED = {"karpenter_node_classes": [GPUS], "karpenter_node_pools": [POOL]}
ALL_NODES = "Total number of instances allowed across SageMaker HyperPod clusters"
DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("auto", 0), workers("full", 1, "ml.m5.large")])
        world.karpenter.start()
        yield world


def karpenter(pods: EksWorld, *arguments: str, verb: str = "karpenter", **variables: t.Any) -> Run:
    return pods.world.playbook(verb, "-e", json.dumps({**DECLARED, **variables}), *arguments)


def printed(run: Run) -> str:
    """Output of a run in one line."""
    return " ".join(run.output.split())


def calls(pods: EksWorld) -> list[str]:
    return [call["operation"] for call in pods.world.calls(mutating=True)]


def refuses(pods: EksWorld, message: str, **variables: t.Any) -> None:
    pods.world.reset_calls()
    pods.reset_changes()
    run = karpenter(pods, **variables)
    assert run.rc == 2 and message in printed(run), run.log
    assert calls(pods) == [] and pods.changes() == [], (calls(pods), pods.changes())


def test_a_run_enables_karpenter_and_proves_a_pool(pods: EksWorld) -> None:
    with step("unmet requirements are refused"):
        refuses(pods, "health monitoring agent: missing. Karpenter requires: 1.0.742.0_1.0.241.0 or newer.")
        pods.agent("1.0.1892.0_1.0.424.0")
        full = {"name": "full", "instance_groups": ["full"]}
        refuses(pods, "Karpenter would terminate the current nodes", karpenter_node_classes=[GPUS, full])
        refuses(pods, "instance groups: other does not exist", karpenter_node_classes=[{"name": "gpus", "instance_groups": ["other"]}])
        refuses(pods, "did you mean instance_groups?", karpenter_node_classes=[{"name": "gpus", "instance_group": ["auto"]}])
        refuses(pods, "karpenter_prove: 'other' is not allowed", karpenter_prove=["other"])
        scaled = {"name": "a", "namespace": "default", "target": {"name": "a"}, "triggers": [PROMETHEUS]}
        refuses(pods, "KEDA: missing", karpenter_scaled_objects=[scaled])
        pods.world.settings(service_quotas={ALL_NODES: 2})
        refuses(pods, f"The quota '{ALL_NODES}' is 2, with 2 in use, so Karpenter could not add a node of a new group.")
        pods.world.settings(service_quotas={})

    with step("a person without an access entry"):
        eks = pods.aws("eks")
        (entry,) = eks.list_access_entries(clusterName=EKS)["accessEntries"]
        eks.delete_access_entry(clusterName=EKS, principalArn=entry)
        refuses(pods, "requires an access entry for the caller")
        pods.admit(entry, "AmazonEKSClusterAdminPolicy")

    with step("check mode reports the plan"):
        pods.reset_changes()
        pods.world.reset_calls()
        pods.admit(pods.person("reader"), "AmazonEKSAdminViewPolicy")
        pods.world.settings(service_quotas={"ml.m5.large for cluster usage": 1})  # two are in use, but Karpenter manages no group of this type
        with read_only(pods):
            planned = karpenter(pods, "--check", "--diff", hyperpod_profile="reader")
        pods.world.settings(service_quotas={})
        assert planned.rc == 0 and calls(pods) == [] and pods.changes() == [], planned.log
        for line in ("+HyperpodNodeClass gpus", "+NodePool gpus", "autoscaler of cluster ml: mode = Enable"):
            assert line in planned.output, planned.log

    with step("the run, with a proof"):
        done = karpenter(pods, karpenter_prove=["gpus"])
        assert done.rc == 0, done.log
        assert "The proof of NodePool gpus starts one node of ml.g5.8xlarge: about 3.06 USD an hour" in printed(done), done.log
        assert "NodePool gpus works: a pod ran on a new node of group auto after" in printed(done), done.log
        assert pods.seen("nodeclaims")["items"] == [] and pods.seen("pods")["items"] == []

    with step("a second run changes nothing"):
        assert_unchanged(pods)


@contextlib.contextmanager
def read_only(pods: EksWorld) -> t.Iterator[None]:
    """All profiles have only read access to AWS, and ``reader`` also to Kubernetes; no call in the block may be denied."""
    pods.world.settings(policies=permissions.documented("read-only"))
    pods.world.reset_calls()
    pods.reset_changes()
    yield
    assert [each for each in pods.world.calls() if each["error"] in DENIED] == []
    pods.world.settings(policies=permissions.documented())


def assert_unchanged(pods: EksWorld, **variables: t.Any) -> None:
    pods.world.reset_calls()
    pods.reset_changes()
    for run in (karpenter(pods, "--check", "--diff", **variables), karpenter(pods, **variables)):
        assert run.rc == 0 and run.changed == 0, run.log
        assert calls(pods) == [] and pods.changes() == [], (calls(pods), pods.changes())


PROMETHEUS = {"type": "prometheus", "metadata": {"serverAddress": "http://p", "query": "q", "threshold": "1"}}


def job(name: str, seconds: int, **annotations: str) -> dict[str, t.Any]:
    container = {"name": "a", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    toleration = {"key": "nvidia.com/gpu", "operator": "Exists"}
    spec = {"restartPolicy": "Never", "containers": [container], "tolerations": [toleration]}
    notes = {"lab/run-seconds": str(seconds), **annotations}
    return {"metadata": {"name": name}, "spec": {"template": {"metadata": {"annotations": notes}, "spec": spec}}}


QUEUE = {
    "name": "workers",
    "namespace": "default",
    "target": {"name": "workers"},
    "max_replicas": 2,
    "cooldown_period": 1,
    "triggers": [{"type": "aws-sqs-queue", "metadata": {"queueURL": "https://q", "queueLength": 5, "awsRegion": "us-west-2"}}],
}


@pytest.mark.slow
def test_nodes_scale_with_pods_that_scale_with_a_queue(pods: EksWorld) -> None:
    pods.keda.start()
    create_workers(pods)
    done = karpenter(pods, karpenter_scaled_objects=[QUEUE])
    assert done.rc == 0 and done.changed == 1, done.log
    until(lambda: holds(pods.seen("scaledobject", "workers"), "Ready"))
    assert pods.seen("deployment", "workers")["spec"]["replicas"] == 0 and at_work(pods) == (0, 0, 0)

    with step("work arrives: pods and nodes are added"):
        assert pods.kubectl("annotate", "scaledobject", "workers", "lab/figure=7").returncode == 0
        until(lambda: at_work(pods) == (2, 2, 2))
        assert holds(pods.seen("scaledobject", "workers"), "Active")

    with step("less work, fewer nodes"):
        pods.kubectl("annotate", "--overwrite", "scaledobject", "workers", "lab/figure=1")
        until(lambda: at_work(pods) == (1, 1, 1))

    with step("no work, no pods, no nodes"):
        pods.kubectl("annotate", "--overwrite", "scaledobject", "workers", "lab/figure=0")
        until(lambda: at_work(pods) == (0, 0, 0))
        assert not holds(pods.seen("scaledobject", "workers"), "Active")
    for kind in ("scaledobject", "deployment"):
        assert pods.kubectl("delete", kind, "workers").returncode == 0


def create_workers(pods: EksWorld) -> None:
    """Create a Deployment without Pods."""
    spec = job("workers", 0)["spec"]["template"]["spec"]
    labels = {"app": "workers"}
    template = {"metadata": {"labels": labels}, "spec": {**spec, "restartPolicy": "Always"}}
    deployment = {"metadata": {"name": "workers"}, "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template}}
    pods.api.create("/apis/apps/v1/namespaces/default/deployments", deployment)


def at_work(pods: EksWorld) -> tuple[int, int, int]:
    """Numbers of running Pods, NodeClaims and nodes in HyperPod."""
    phases = [pod["status"]["phase"] for pod in pods.seen("pods", "--selector=app=workers")["items"]]
    nodes = pods.aws("sagemaker").list_cluster_nodes(ClusterName="ml", InstanceGroupNameContains="auto")["ClusterNodeSummaries"]
    return phases.count("Running"), len(pods.seen("nodeclaims")["items"]), len(nodes)


@pytest.mark.slow
def test_changes_and_removal_while_nodes_run_jobs(pods: EksWorld) -> None:
    jobs = "/apis/batch/v1/namespaces/default/jobs"
    pods.api.create(jobs, job("train", 600, **{"karpenter.sh/do-not-disrupt": "true"}))
    until(lambda: [pod["status"]["phase"] for pod in pods.seen("pods", "--selector=job-name=train")["items"]] == ["Running"])

    with step("a run while Karpenter has nodes changes nothing"):
        assert_unchanged(pods)

    with step("the status has nodes, waiting pods with reasons, and costs"):
        for name in ("second", "third"):
            pods.api.create(jobs, job(name, 600))
        until(lambda: len(pods.seen("nodeclaims")["items"]) == 2 and "Unschedulable" in str(pods.seen("pods")))
        with read_only(pods):
            status = karpenter(pods, verb="karpenter_status", hyperpod_profile="reader")
        assert status.rc == 0 and "6.12" in status.output, status.log
        assert "limits" in printed(status) and "waits for a node" in printed(status), status.log
        assert calls(pods) == [] and pods.changes() == [] and "ListClusterEvents" in [each["operation"] for each in pods.world.calls()]

    with step("a pool is changed while pods run"):
        more = {**POOL, "limits": {"nvidia.com/gpu": 4}, "labels": {"team": "research"}}
        pods.world.fault(kind="partial", operation="BatchAddClusterNodes", code="InvalidInstanceGroupStatus", times=1000)
        changed = karpenter(pods, "--diff", karpenter_node_pools=[more])
        assert changed.rc == 0 and "NodePool gpus: spec.limits.nvidia.com/gpu = 4" in changed.output, changed.log
        assert "-NodePool gpus: spec.template.metadata.labels.tier = first" in changed.output, changed.log
        assert pods.seen("nodepool", "gpus")["spec"]["template"]["metadata"]["labels"] == {"team": "research"}
        with step("only part of the capacity is available"):
            until(lambda: "InvalidInstanceGroupStatus" in str(pods.seen("events")))
            runs = (karpenter(pods, verb="karpenter_status") for _run in range(5))  # one may fall between two attempts
            part = next((each for each in runs if "InvalidInstanceGroupStatus" in printed(each)), None)
            assert part and part.rc == 0 and "6.12" in part.output, part
            pods.world.clear_faults()
        until(lambda: len(pods.seen("nodeclaims")["items"]) == 3)
        for name in ("second", "third"):
            pods.api.delete(f"{jobs}/{name}", {"propagationPolicy": "Background"})
        until(lambda: len(pods.seen("nodeclaims")["items"]) == 1)

    with step("removal stops at a node that a pod keeps"):
        refuses(pods, "karpenter_confirm: missing", karpenter_state="absent")
        absent = {"karpenter_state": "absent", "karpenter_confirm": "ml", "karpenter_drain_timeout": 5}
        planned = karpenter(pods, "--check", karpenter_state="absent")
        assert calls(pods) == [] and pods.changes() == [], (calls(pods), pods.changes())
        assert planned.rc == 0 and "The removal deletes NodePools gpus and NodeClasses gpus" in printed(planned), planned.log
        assert "default/train-" in planned.output
        part = karpenter(pods, **absent)
        assert part.rc == 2 and part.status == "degraded" and "has karpenter.sh/do-not-disrupt" in printed(part), part.log
        assert pods.aws("sagemaker").describe_cluster(ClusterName="ml")["AutoScaling"]["Mode"] == "Enable"

    with step("forced removal takes the lock"):
        pods.world.reset_calls()
        pods.front.hold(verb="delete", resource="pods")
        given = {**DECLARED, **absent, "karpenter_force": True, "karpenter_drain_timeout": 60}
        run = Started(pods.world, "karpenter", "-e", json.dumps(given))
        held = run_until(run, lambda: bool(pods.front.held()))
        locked = calls(pods)
        pods.front.release()
        forced = run.end()
        assert held and "PutParameter" in locked, (locked, forced.log)
        assert forced.rc == 0 and forced.status == "changed", forced.log
        assert_gone(pods)
        pods.api.delete(f"{jobs}/train", {"propagationPolicy": "Background"})
        again = karpenter(pods, **absent)
        assert again.rc == 0 and again.changed == 0, again.log


def assert_gone(pods: EksWorld) -> None:
    for kind in ("nodeclaims", "nodepools", "hyperpodnodeclasses"):
        assert pods.seen(kind)["items"] == [], kind
    cluster = pods.aws("sagemaker").describe_cluster(ClusterName="ml")
    assert cluster.get("AutoScaling", {}).get("Mode", "Disable") == "Disable"
    roles = [role["RoleName"] for role in pods.aws("iam").list_roles()["Roles"]]
    assert not [role for role in roles if role.startswith("hyperpod-karpenter")], roles
    groups = {group["InstanceGroupName"]: group["CurrentCount"] for group in cluster["InstanceGroups"]}
    assert groups == {"system": 1, "auto": 0, "full": 1}


@pytest.mark.slow
def test_the_role_may_scale_only_this_cluster(pods: EksWorld) -> None:
    """Also: Karpenter stays enabled while another NodePool exists, and a denied deletion of the role is reported."""
    if pods.kubectl("get", "daemonset", "--namespace", "aws-hyperpod", "health-monitoring-agent").returncode:
        pods.agent("1.0.1892.0_1.0.424.0")
    done = karpenter(pods, karpenter_role_kms=True)
    assert done.rc == 0, done.log
    arn = pods.aws("sagemaker").describe_cluster(ClusterName="ml")["ClusterArn"]
    name = f"hyperpod-karpenter-{arn.rpartition('/')[2]}"
    found = pods.aws("iam").get_role_policy(RoleName=name, PolicyName="hyperpod-karpenter")["PolicyDocument"]
    document = found if isinstance(found, dict) else json.loads(found)
    assert document["Statement"][0]["Resource"] == arn and len(document["Statement"]) == 2
    assert pods.aws("sagemaker").describe_cluster(ClusterName="ml")["ClusterRole"] == f"arn:aws:iam::{ACCOUNT}:role/{name}"
    pods.api.create("/apis/karpenter.sh/v1/nodepools", foreign_pool())
    kept = karpenter(pods, karpenter_state="absent", karpenter_confirm="ml")
    assert kept.rc == 2 and kept.status == "degraded" and "Karpenter stays on because" in printed(kept), kept.log
    pods.api.delete("/apis/karpenter.sh/v1/nodepools/foreign")
    pods.world.settings(policies=permissions.without("karpenter", "iam:DeleteRole"))
    refused = karpenter(pods, karpenter_state="absent", karpenter_confirm="ml")
    pods.world.settings(policies=permissions.documented())
    assert refused.rc == 2 and "is not authorized to perform: iam:DeleteRole on resource: arn:" in printed(refused), refused.log
    assert karpenter(pods, karpenter_state="absent", karpenter_confirm="ml").rc == 0
    assert_gone(pods)


def foreign_pool() -> dict[str, t.Any]:
    reference = {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"}
    requirements = [{"key": "node.kubernetes.io/instance-type", "operator": "Exists"}]
    spec = {"template": {"spec": {"nodeClassRef": reference, "requirements": requirements}}}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "foreign"}, "spec": spec}
