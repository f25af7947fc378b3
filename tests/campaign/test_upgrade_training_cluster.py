# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A training cluster gets the next minor version of Kubernetes: planned, refused, interrupted, and completed."""

from __future__ import annotations

import json
import re
import typing as t

import pytest
from harness import Run
from mishaps import killed_every
from steps import step
from training_definition import ACCEPTED, NAME, QUOTAS, Definition
from training_shape import differences, shape
from training_world import TrainingWorld

pytestmark = pytest.mark.slow
BEFORE, AFTER, BEYOND = "1.34", "1.35", "1.36"
UPGRADE = ["control plane", "add-on kube-proxy", "add-on coredns", "group system", "group gpu"]
"""The updates of an upgrade in their order. In the lab, EKS has no newer versions of the other add-ons."""
PATHS = {
    "control plane": f"POST /clusters/{NAME}/updates",
    **{each: f"POST /clusters/{NAME}/addons/{each.split()[1]}/update" for each in UPGRADE if each.startswith("add-on ")},
    **{each: f"POST /clusters/{NAME}/node-groups/{each.split()[1]}/update-version" for each in UPGRADE if each.startswith("group ")},
}
INSIGHT = f"Deprecated APIs removed in Kubernetes v{AFTER}"
ERROR = {"name": INSIGHT, "status": "ERROR", "reason": "FlowSchema v1beta3 is used by team-a."}
ACCEPT = ("-e", json.dumps({"training_cluster_accept_insights": [INSIGHT]}))
MORE = {"training_cluster_addons": [{"name": "aws-ebs-csi-driver"}]}
"""An add-on with an IAM role, which a run creates before it changes the cluster."""


@pytest.fixture
def world() -> t.Iterator[TrainingWorld]:
    """The world with a cluster of the earlier version."""
    with TrainingWorld(NAME) as made:
        made.world.settings(service_quotas=QUOTAS, price_list=True)
        built = Definition(made, training_cluster_version=BEFORE).playbook(*ACCEPTED)
        assert built.rc == 0 and versions(made) == {BEFORE}, built.log
        made.world.reset_calls()
        yield made
        made.world.clear_faults()
    made.world.settings(service_quotas={}, price_list=False, eks_insights={})


def versions(world: TrainingWorld) -> set[str]:
    """The minor versions of the control plane, of the node groups, of the kubelets and of kube-proxy."""
    eks, which = world.aws("eks"), {"clusterName": NAME}
    groups = [eks.describe_nodegroup(**which, nodegroupName=each)["nodegroup"] for each in eks.list_nodegroups(**which)["nodegroups"]]
    nodes = world.api.get("/api/v1/nodes")["items"]
    found = [eks.describe_cluster(name=NAME)["cluster"]["version"], *(each["version"] for each in groups)]
    found += [each["status"]["nodeInfo"]["kubeletVersion"] for each in nodes]
    found.append(eks.describe_addon(**which, addonName="kube-proxy")["addon"]["addonVersion"])
    assert len(nodes) == 4, nodes
    return {".".join(re.findall(r"\d+", each)[:2]) for each in found}


def updates(world: TrainingWorld) -> list[str]:
    """The changing calls of all runs since the last reset, without those of locks."""
    names = {path: name for name, path in PATHS.items()}
    calls = [each["operation"] for each in world.world.calls(mutating=True) if each["service"] != "ssm"]
    return [names.get(each, each) for each in calls]


def said(run: Run) -> str:
    return " ".join(run.output.split())


def assert_complete(world: TrainingWorld, definition: Definition) -> None:
    """All parts have the new version, and the next run changes nothing."""
    assert versions(world) == {AFTER}
    world.world.reset_calls()
    world.reset_changes()
    again = definition.playbook(*ACCEPTED)
    assert (again.rc, again.changed, updates(world), world.changes()) == (0, 0, [], []), again.log


def refused(world: TrainingWorld, definition: Definition, *sentences: str) -> None:
    """Each run is refused with these sentences before any change, also one that only plans and one in check mode."""
    for arguments in ((), ("--check", *ACCEPTED), ACCEPTED):
        run = definition.playbook(*arguments)
        assert run.rc != 0 and [each for each in sentences if each not in said(run)] == [], run.log
    assert world.world.calls(mutating=True) == []


def test_an_upgrade_is_planned_refused_and_made_in_order(world: TrainingWorld) -> None:
    before = shape(world)
    with step("two minor versions at once are refused"):
        far = Definition(world, training_cluster_version=BEYOND, **MORE)
        refused(world, far, f"{NAME} has {BEFORE}, and EKS upgrades by one minor version at a time. Allowed: {BEFORE}, {AFTER}.")
    with step("an insight in status ERROR stops the upgrade"):
        world.world.settings(eks_insights={NAME: [ERROR]})
        more = Definition(world, training_cluster_version=AFTER, **MORE)
        refused(world, more, f"is not ready for {AFTER}: {INSIGHT} ({ERROR['reason']})", "name the insights in accept_insights")
    definition = Definition(world, training_cluster_version=AFTER)
    with step("without an accepted cost, the run ends after the plan"):
        planned = definition.playbook(*ACCEPT)
        assert planned.rc == 0 and "no cost is accepted" in said(planned) and updates(world) == [], planned.log
    with step("check mode reports the upgrade"):
        checked = definition.playbook("--check", "--diff", *ACCEPTED, *ACCEPT)
        assert (checked.rc, checked.changed, world.world.calls(mutating=True)) == (0, 2, []), checked.log  # the plan, the control plane
        for line in (
            f"upgrade: eks_cluster {NAME} (Kubernetes {BEFORE} to {AFTER}",
            f"upgrade: eks_addon coredns (if EKS has a newer version for Kubernetes {AFTER})",
            "replace nodes: eks_nodegroup gpu (p5.48xlarge, 2 nodes, EKS replaces all of them",
        ):
            assert line in checked.output and line in planned.output, checked.log
        assert "keep: file_system" in checked.output
    with step("the run upgrades the control plane, then the add-ons, then the groups"):
        upgraded = definition.playbook(*ACCEPTED, *ACCEPT)
        assert upgraded.rc == 0 and updates(world) == UPGRADE, upgraded.log
        (call,) = [each for each in world.world.calls(mutating=True) if each["operation"] == PATHS["control plane"]]
        assert call["arguments"]["force"] is True, "EKS refuses an upgrade despite an error without it"
        assert f"{INSIGHT} is ERROR" in said(upgraded), upgraded.log
    with step("nothing else has changed, and the next run changes nothing"):
        assert set(differences(before, shape(world))) == {"cluster", "add-ons"}
        assert_complete(world, definition)


def test_an_upgrade_that_is_killed_after_each_call_is_completed(world: TrainingWorld) -> None:
    definition = Definition(world, training_cluster_version=AFTER)
    died = killed_every(world.world, 1, 1, "training_cluster", *definition.arguments, *ACCEPTED)
    assert died == [PATHS[each] for each in UPGRADE]
    assert updates(world) == UPGRADE, "no run repeats an update that EKS accepted from an earlier run"
    assert_complete(world, definition)


def test_each_update_is_awaited_and_a_failed_one_stops_the_upgrade(world: TrainingWorld) -> None:
    definition = Definition(world, training_cluster_version=AFTER)
    done: list[str] = []
    for place, (code, next_step) in {
        "control plane": ("IpNotAvailable", "free addresses in the subnets"),
        "add-on kube-proxy": ("ConfigurationConflict", "set resolve_conflicts=OVERWRITE"),
        "add-on coredns": ("ConfigurationConflict", "set resolve_conflicts=OVERWRITE"),
        "group system": ("PodEvictionFailure", "change the Pod disruption budget"),
    }.items():
        with step(f"the update of the {place} fails"):
            world.world.fault(kind="fail_later", operation=PATHS[place], code=f"{code}: set by the lab")
            world.world.reset_calls()
            failed = definition.playbook(*ACCEPTED)
            world.world.clear_faults()
            assert failed.rc != 0 and "set by the lab" in said(failed) and next_step in said(failed), failed.log
            assert updates(world) == [*UPGRADE[len(done) : UPGRADE.index(place)], place], "no later update has begun"
            done = UPGRADE[: UPGRADE.index(place)]
    with step("the next run completes the upgrade"):
        world.world.reset_calls()
        completed = definition.playbook(*ACCEPTED)
        assert completed.rc == 0 and updates(world) == UPGRADE[len(done) :], completed.log
        assert_complete(world, definition)
