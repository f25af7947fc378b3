# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node group is replaced by one with Spot Instances, while a Pod runs on it: planned, refused, held up, interrupted, and completed."""

from __future__ import annotations

import json
import typing as t

import pytest
from harness import Run
from kubernetes_world import until
from lab.aws import permissions
from mishaps import killed_every
from steps import step
from training_definition import ACCEPTED, NAME, QUOTAS, VARIABLES, Definition, mutating
from training_world import TrainingWorld

pytestmark = pytest.mark.slow
SPOT = "All P5 Spot Instance Requests"
PLAIN: dict[str, t.Any] = {f"training_cluster_{name}": value for name, value in (("file_system", {}), ("claim", ""), ("namespace", ""))}
GROUP = VARIABLES["training_cluster_groups"][0]
OLD, NEW = GROUP["name"], "gpu-spot"
IN_PLACE = {"training_cluster_groups": [{**GROUP, "spot": True}]}
REPLACED = {"training_cluster_groups": [{**GROUP, "name": NEW, "spot": True}], "training_cluster_remove_groups": [OLD]}
PODS = "/api/v1/namespaces/default/pods?labelSelector=app=serve"
BUDGETS = "/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets"
REMOVALS = [f"DELETE /clusters/{NAME}/node-groups/{OLD}", "DeleteLaunchTemplate"]
"""The calls that remove the old group."""
CHANGED_IN_CHECK_MODE = 6
"""The plan, the new group with its launch template, the drain, and the removal of the old group and its launch template."""


@pytest.fixture
def world() -> t.Iterator[TrainingWorld]:
    """The world with a cluster, and an operator without the policy for removals."""
    with TrainingWorld(NAME) as made:
        made.world.settings(service_quotas={**QUOTAS, SPOT: 384}, price_list=True)
        built = Definition(made, **PLAIN).playbook(*ACCEPTED)
        assert built.rc == 0, built.log
        kept = [name for name in permissions.OPERATORS if name != "training-cluster-remove"]
        made.world.settings(policies=permissions.documented(*kept))
        yield made
        made.world.clear_faults()
        made.world.settings(policies=permissions.documented())
    made.world.settings(service_quotas={}, price_list=False)


def said(run: Run) -> str:
    return " ".join(run.output.split())


def groups(world: TrainingWorld) -> dict[str, str]:
    """Node groups with their capacity types."""
    eks, which = world.aws("eks"), {"clusterName": NAME}
    found = [eks.describe_nodegroup(**which, nodegroupName=each)["nodegroup"] for each in eks.list_nodegroups(**which)["nodegroups"]]
    return {each["nodegroupName"]: each["capacityType"] for each in found}


def templates(world: TrainingWorld) -> set[str]:
    return {each["LaunchTemplateName"] for each in world.aws("ec2").describe_launch_templates()["LaunchTemplates"]}


def nodes(world: TrainingWorld, group: str) -> dict[str, bool]:
    """The nodes of a group, and whether they accept no Pods."""
    found = world.api.get(f"/api/v1/nodes?labelSelector=eks.amazonaws.com/nodegroup={group}")["items"]
    return {each["metadata"]["name"]: bool(each["spec"].get("unschedulable")) for each in found}


def serve(world: TrainingWorld) -> str:
    """Start a Deployment with one Pod that uses all GPUs of a node, and its disruption budget; return the name of the Pod."""
    labels = {"app": "serve"}
    container = {"name": "serve", "image": "pause", "resources": {"limits": {"nvidia.com/gpu": "8"}}}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": pod}
    world.api.create("/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": "serve"}, "spec": spec})
    budget = {"minAvailable": 1, "selector": {"matchLabels": labels}}
    world.api.create(BUDGETS, {"metadata": {"name": "serve"}, "spec": budget})
    until(lambda: set(places(world).values()) <= {*nodes(world, OLD)} and len(places(world)) == 1)
    (name,) = places(world)
    return name


def places(world: TrainingWorld) -> dict[str, str]:
    """The nodes of the running Pods of the Deployment."""
    pods = world.api.get(PODS)["items"]
    return {each["metadata"]["name"]: each["spec"]["nodeName"] for each in pods if each["status"].get("phase") == "Running"}


def test_a_group_is_replaced_while_a_pod_runs_on_it(world: TrainingWorld) -> None:
    name = serve(world)
    world.world.reset_calls()
    with step("the change in place is refused with the way to replace the group, and a declared group is not removed"):
        for variables, sentence in (
            (IN_PLACE, "Allowed: no change, or a group with another name and this one in training_cluster_remove_groups."),
            ({"training_cluster_remove_groups": [OLD]}, f"training_cluster_remove_groups[0]: '{OLD}' is not allowed: training_cluster_groups"),
        ):
            refused = Definition(world, **PLAIN, **variables).playbook(*ACCEPTED)
            assert refused.rc != 0 and sentence in said(refused) and mutating(world) == [], refused.log
    definition = Definition(world, **PLAIN, **REPLACED)
    with step("the plan and check mode name the old group and its Pod"):
        planned, checked = definition.playbook(), definition.playbook("--check", "--diff", *ACCEPTED)
        assert (planned.rc, checked.rc, checked.changed, mutating(world)) == (0, 0, CHANGED_IN_CHECK_MODE, []), checked.log
        for line in (
            f"create: eks_nodegroup {NEW}",
            f"remove: eks_nodegroup {OLD} (2 nodes, drained first)",
            f"remove: launch_template {NAME}.{OLD}",
            f"end: Pod default/{name} (ReplicaSet",
        ):
            assert line in said(planned) and line in said(checked), checked.log
    with step("without the API server, nothing is changed"):
        world.front.stop()
        unread = definition.playbook(*ACCEPTED)
        world.front.start()
        assert unread.rc != 0 and f"Node groups {OLD} are removed only after their nodes are drained" in said(unread), unread.log
        assert mutating(world) == []
    with step("a disruption budget holds the removal up after the new group exists"):
        held = definition.playbook(*ACCEPTED, "-e", "training_cluster_drain_timeout=10")
        assert held.rc != 0 and f"have not ended: Pod default/{name}" in said(held), held.log
        assert groups(world) == {"system": "ON_DEMAND", OLD: "ON_DEMAND", NEW: "SPOT"} and places(world).keys() == {name}
        assert set(nodes(world, OLD).values()) == {True} and set(nodes(world, NEW).values()) == {False}
    with step("runs that are killed after each call complete the removal"):
        world.api.delete(f"{BUDGETS}/serve")
        world.world.reset_calls()
        died = killed_every(world.world, 1, 1, "training_cluster", *definition.arguments, *ACCEPTED)
        assert died == REMOVALS
        assert groups(world) == {"system": "ON_DEMAND", NEW: "SPOT"} and templates(world) == {f"{NAME}.system", f"{NAME}.{NEW}"}
        assert nodes(world, OLD) == {}
        until(lambda: set(places(world).values()) <= {*nodes(world, NEW)} and len(places(world)) == 1)
    with step("the next run changes nothing, with the name still listed"):
        world.world.reset_calls()
        world.reset_changes()
        again = definition.playbook(*ACCEPTED)
        assert (again.rc, again.changed, mutating(world), world.changes()) == (0, 0, [], []), again.log
    with step("a group of someone else is not removed"):
        node_group = world.aws("eks").describe_nodegroup(clusterName=NAME, nodegroupName=NEW)["nodegroup"]
        world.aws("eks").untag_resource(resourceArn=node_group["nodegroupArn"], tagKeys=["mlfleet.hyperpod/cluster"])
        world.world.reset_calls()
        foreign = json.dumps({"training_cluster_groups": [], "training_cluster_remove_groups": [NEW]})
        kept = definition.playbook(*ACCEPTED, "-e", foreign)
        assert kept.rc != 0 and f"'{NEW}' is not allowed: someone else created this group" in said(kept), kept.log
        assert mutating(world) == [] and NEW in groups(world)
