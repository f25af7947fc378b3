"""The playbook updates the software of groups of a cluster with EKS, if AWS may evict the pods of their nodes."""

from __future__ import annotations

import typing as t

import pytest
from eks_world import EksWorld, until, workers
from harness import Run
from steps import step

USER = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "hyperpod-service-linked-role"}
RULES = [
    {"apiGroups": [""], "resources": ["pods"], "verbs": ["list"]},
    {"apiGroups": [""], "resources": ["pods/eviction"], "verbs": ["create"]},
]


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.hyperpod("ml", [workers("a", 2), workers("b", 1)])
        until(lambda: len(world.seen("nodes")["items"]) == 3)
        yield world


def update(pods: EksWorld, *arguments: str) -> Run:
    return pods.world.playbook("update_software", "-e", "update_groups=a", *arguments)


def changing(pods: EksWorld) -> list[str]:
    return [call["operation"] for call in pods.world.calls(mutating=True)]


def allow_eviction(pods: EksWorld) -> None:
    kind, api = "rbac.authorization.k8s.io", "/apis/rbac.authorization.k8s.io/v1"
    pods.api.create(f"{api}/clusterroles", {"metadata": {"name": "hyperpod-patching"}, "rules": RULES})
    role = {"apiGroup": kind, "kind": "ClusterRole", "name": "hyperpod-patching"}
    binding = {"metadata": {"name": "hyperpod-patching"}, "roleRef": role, "subjects": [USER]}
    pods.api.create(f"{api}/clusterrolebindings", binding)


@pytest.mark.slow
def test_groups_are_updated_if_pods_may_be_evicted(pods: EksWorld) -> None:
    pods.world.settings(image_release_version="1.0.1")
    pods.world.reset_calls()
    with step("without the right to evict"):
        refused = update(pods)
        assert refused.rc == 2 and changing(pods) == [], refused.log
        assert "HyperPod may not evict Pods of EKS cluster pods" in " ".join(refused.output.split()), refused.log

        planned = update(pods, "--check", "-e", "update_evicts=false")
        assert planned.rc == 0 and planned.changed == 1 and changing(pods) == [], planned.log

    allow_eviction(pods)
    with step("a person without an access entry"):
        eks = pods.aws("eks")
        (entry,) = eks.list_access_entries(clusterName="pods")["accessEntries"]
        eks.delete_access_entry(clusterName="pods", principalArn=entry)
        stranger = update(pods)
        eks.create_access_entry(clusterName="pods", principalArn=entry)
        policy = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
        eks.associate_access_policy(clusterName="pods", principalArn=entry, policyArn=policy, accessScope={"type": "cluster"})
        assert stranger.rc == 2 and "requires an access entry for the caller" in " ".join(stranger.output.split()), stranger.log

    with step("check mode reports the update"):
        pods.world.reset_calls()
        planned = update(pods, "--check", "--diff")
        assert planned.rc == 0 and changing(pods) == [] and planned.changed == 1, planned.log

    first = pods.world.control.nodes("ml", "a")[0]["instance_id"]
    with step("a disruption budget protects the pods of a node"):
        pods.world.settings(protected_nodes=[first])
        part = update(pods)
        pods.world.settings(protected_nodes=[])
        printed = " ".join(part.output.split())
        assert part.rc == 2 and f"{first} still run the previous software" in printed and "PodDisruptionBudget" in printed, part.log

    with step("the next run updates the rest, and another one changes nothing"):
        done = update(pods)
        assert done.rc == 0 and done.changed == 1, done.log
        nodes = pods.aws("sagemaker").list_cluster_nodes(ClusterName="ml")["ClusterNodeSummaries"]
        releases = {(node["InstanceGroupName"], node["CurrentImageReleaseVersion"]) for node in nodes}
        assert releases == {("a", "1.0.1"), ("b", "1.0.0")}
        pods.world.reset_calls()
        again = update(pods)
        assert again.rc == 0 and again.changed == 0 and changing(pods) == [], again.log
        assert "already run the requested software" in again.output


def test_an_unknown_group_is_refused(pods: EksWorld) -> None:
    refused = pods.world.playbook("update_software", "-e", "update_groups=nosuch")
    assert refused.rc == 2 and "these clusters have no such instance group with nodes. Allowed: a, b." in " ".join(refused.output.split()), refused.log
