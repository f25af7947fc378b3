"""A run of karpenter that is killed after any call to AWS or Kubernetes can be repeated, and creates nothing twice."""

from __future__ import annotations

import json
import typing as t

import pytest
from eks_world import EksWorld, until, workers
from mishaps import killed_at_each, killed_at_each_change

pytestmark = pytest.mark.slow
DECLARED = {
    "karpenter_node_classes": [{"name": "gpus", "instance_groups": ["auto"]}],
    "karpenter_node_pools": [{"name": "gpus", "node_class": "gpus"}],
    "karpenter_scaled_objects": [
        {
            "name": "workers",
            "namespace": "default",
            "target": {"name": "workers"},
            "triggers": [{"type": "prometheus", "metadata": {"serverAddress": "http://p", "query": "q", "threshold": "1"}}],
        }
    ],
}
GIVEN = ("-e", json.dumps(DECLARED))
GONE = (*GIVEN, "-e", "karpenter_state=absent", "-e", "karpenter_confirm=ml")
FORCED = (*GONE, "-e", json.dumps({"karpenter_force": True, "karpenter_drain_timeout": 10}))
LOCK = {"PutParameter", "DeleteParameters", "AddTagsToResource"}
Places = dict[str, tuple[int, dict[str, t.Any]]]
MADE: Places = {name: (1, {"operation": name}) for name in ("CreateRole", "PutRolePolicy", "UpdateCluster")}
REMOVED: Places = {name: (1, {"operation": name}) for name in ("UpdateCluster", "DeleteRolePolicy", "DeleteRole")}
REPLACED: Places = {
    mode["Mode"]: (1, {"operation": "UpdateCluster", "where": {"AutoScaling": mode}})
    for mode in ({"Mode": "Disable"}, {"Mode": "Enable", "AutoScalerType": "Karpenter"})
}
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "hyperpod.sagemaker.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
OBJECTS = {"scaledobjects", "nodepools", "hyperpodnodeclasses"}


@pytest.fixture(scope="module")
def pods() -> t.Iterator[EksWorld]:
    with EksWorld() as world:
        world.agent("1.0.1892.0_1.0.424.0")
        world.hyperpod("ml", [workers("system", 1, "ml.m5.large"), workers("auto", 0)])
        world.karpenter.start()
        world.keda.start()
        yield world


def others(pods: EksWorld, places: Places) -> set[str]:
    """Mutating calls to AWS that are not among the places for kills."""
    operations = {rule["operation"] for _times, rule in places.values()}
    return {call["operation"] for call in pods.world.calls(mutating=True)} - LOCK - operations


def assert_unchanged(pods: EksWorld, *arguments: str) -> None:
    pods.world.reset_calls()
    pods.reset_changes()
    again = pods.world.playbook("karpenter", *arguments)
    assert (again.rc, again.changed) == (0, 0), again.log
    assert pods.world.calls(mutating=True) == [] and pods.changes() == []


def test_runs_killed_after_each_creating_call_converge(pods: EksWorld) -> None:
    pods.world.reset_calls()
    assert set(killed_at_each(pods.world, "karpenter", MADE, *GIVEN)) == set(MADE)
    assert others(pods, MADE) == set()
    assert_unchanged(pods, *GIVEN)


def test_runs_killed_during_the_change_of_the_role_converge(pods: EksWorld) -> None:
    made = pods.aws("iam").create_role(RoleName="hyperpod-karpenter-other", AssumeRolePolicyDocument=json.dumps(TRUST))
    other = made["Role"]["Arn"]
    replaced = (*GIVEN, "-e", f"karpenter_cluster_role={other}", "-e", "karpenter_replace_role=true")
    pods.world.reset_calls()
    assert killed_at_each(pods.world, "karpenter", REPLACED, *replaced) == ["Disable", "Enable"]
    assert others(pods, REPLACED) == set()
    cluster = pods.aws("sagemaker").describe_cluster(ClusterName="ml")
    assert (cluster["ClusterRole"], cluster["AutoScaling"]["Mode"]) == (other, "Enable")
    assert_unchanged(pods, *replaced)


def test_runs_killed_after_each_change_in_kubernetes_converge(pods: EksWorld) -> None:
    create_undisruptable_pod(pods)
    gone = killed_at_each_change(pods.world, pods.front, "karpenter", *FORCED)
    emptied = {("patch", "nodes"), ("delete", "pods")}
    assert {(verb, resource) for verb, resource, _name in gone} == emptied | {("delete", resource) for resource in OBJECTS}, gone
    assert [each for each in gone if each[1] == "pods"] == [("delete", "pods", "held")] and pods.seen("pods")["items"] == []
    assert_unchanged(pods, *GONE)
    made = killed_at_each_change(pods.world, pods.front, "karpenter", *GIVEN)
    assert {(verb, resource) for verb, resource, _name in made} == {("patch", resource) for resource in OBJECTS}, made
    assert_unchanged(pods, *GIVEN)


def create_undisruptable_pod(pods: EksWorld) -> None:
    container = {"name": "a", "image": "x", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    notes = {"lab/run-seconds": "3600", "karpenter.sh/do-not-disrupt": "true"}
    pod = {"metadata": {"name": "held", "annotations": notes}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    pods.api.create("/api/v1/namespaces/default/pods", pod)
    until(lambda: [each["status"]["phase"] for each in pods.seen("pods")["items"]] == ["Running"])


def test_runs_killed_after_each_removing_call_converge(pods: EksWorld) -> None:
    pods.world.reset_calls()
    assert set(killed_at_each(pods.world, "karpenter", REMOVED, *GONE)) == set(REMOVED)
    assert others(pods, REMOVED) == set()
    assert_unchanged(pods, *GONE)
