# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls for a cluster, with the groups that differ and no others."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.model import Desired, Found, Progress, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.plan import plan

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
ROLE, OTHER = "arn:aws:iam::111111111111:role/hyperpod-nodes", "arn:aws:iam::111111111111:role/karpenter"


def group(name: str, **more: t.Any) -> dict[str, t.Any]:
    return {"name": name, "instance_type": "ml.m5.large", "instance_count": 2, "execution_role": ROLE, **more}


GROUPS = {"a": group("a", kubernetes_config={"labels": {"x": "1"}, "taints": []}), "b": group("b", threads_per_core=1)}
SETTINGS = {
    "orchestrator": {"eks": {"cluster_arn": "arn:aws:eks:us-west-2:111111111111:cluster/one"}},
    "vpc_config": {"subnets": ["subnet-1", "subnet-2"], "security_group_ids": ["sg-1"]},
    "node_recovery": "Automatic",
    "node_provisioning_mode": "Continuous",
}
PROGRESS = {name: Progress("InService", 2, 2) for name in GROUPS}


def state(status: str = "InService", tags: dict[str, str] | None = None, blockers: tuple[str, ...] = (), **settings: t.Any) -> State:
    groups = {"instance_groups": GROUPS, "restricted_instance_groups": {}}
    return State(Found(ARN, "ml", status, {**SETTINGS, **settings}, groups, tags or {}, PROGRESS), blockers)


def wanted(*groups: dict[str, t.Any], **more: t.Any) -> Desired:
    return Desired("ml", groups={"instance_groups": {each["name"]: each for each in groups}} if groups else {}, **more)


def test_a_cluster_as_declared_needs_no_change() -> None:
    vpc = {"subnets": ["subnet-2", "subnet-1"], "security_group_ids": ["sg-1"]}
    assert not plan(wanted({"name": "a", "instance_count": 2}, settings={"vpc_config": vpc, "node_recovery": "Automatic"}), state())
    assert not plan(wanted(*GROUPS.values(), purge_groups=True), state())


def test_only_groups_that_differ_are_sent_and_these_completely() -> None:
    desired = wanted({"name": "a", "kubernetes_config": {"labels": {"x": "2"}}}, {"name": "b", "threads_per_core": 1})
    found = plan(desired, state())
    (step,) = found.steps
    assert step.operation == "UpdateCluster"
    assert step.arguments == {
        "ClusterName": ARN,
        "InstanceGroups": [
            {
                "InstanceGroupName": "a",
                "InstanceType": "ml.m5.large",
                "InstanceCount": 2,
                "ExecutionRole": ROLE,
                "KubernetesConfig": {"Labels": {"x": "2"}},
            }
        ],
    }
    assert [(each.resource, each.field) for each in found.changes] == [("cluster ml group a", "kubernetes_config.labels")]
    assert not plan(desired, found.after(state()))


@pytest.mark.parametrize("purge", [False, True])
def test_undeclared_groups_are_removed_only_on_request(purge: bool) -> None:
    found = plan(wanted(GROUPS["a"], purge_groups=purge), state())
    assert [dict(step.arguments) for step in found.steps] == ([{"ClusterName": ARN, "InstanceGroupsToDelete": ["b"]}] if purge else [])
    assert set(found.after(state()).cluster.progress) == ({"a"} if purge else {"a", "b"})
    assert not plan(Desired("ml", purge_groups=True), state()), "without a list no group is removed"


MOVES = (
    ("the count of a group", wanted({"name": "a", "instance_count": 3})),
    ("another setting of a group", wanted({"name": "a", "threads_per_core": 1})),
    ("a new group", wanted(group("c"))),
    ("a removed group", wanted(GROUPS["a"], purge_groups=True)),
)


@pytest.mark.parametrize("desired", [desired for _name, desired in MOVES], ids=[name for name, _desired in MOVES])
def test_no_group_is_sent_while_nodes_move_between_groups(desired: Desired) -> None:
    """UpdateCluster sends a group with its count, which would undo the move."""
    plan(desired, state())
    moving = dataclasses.replace(state(), moving=("i-00000001", "i-00000002"))
    with pytest.raises(Refused, match=r"^Nodes of cluster ml are moving between instance groups \(i-00000001, i-00000002\)") as refused:
        plan(desired, moving)
    assert "set instance_count of the groups" in str(refused.value)


def test_other_settings_can_be_changed_while_nodes_move() -> None:
    moving = dataclasses.replace(state(), moving=("i-00000001",))
    assert plan(wanted(GROUPS["a"], settings={"node_recovery": "None"}, tags={"x": "y"}), moving).steps
    assert not plan(wanted(*GROUPS.values()), moving)
    assert plan(Desired("ml", present=False), moving).steps


def test_a_new_group_is_added_to_the_existing_ones() -> None:
    found = plan(wanted(group("c")), state())
    (step,) = found.steps
    assert [each["InstanceGroupName"] for each in step.arguments["InstanceGroups"]] == ["c"]
    assert [(each.action, each.resource) for each in found.changes] == [("create", "cluster ml group c")]
    assert set(found.after(state()).cluster.groups["instance_groups"]) == {"a", "b", "c"}


def test_the_autoscaler_is_changed_by_a_separate_call() -> None:
    settings = {"auto_scaling": {"mode": "Enable", "auto_scaler_type": "Karpenter"}, "cluster_role": OTHER, "node_recovery": "None"}
    desired = wanted(settings=settings)
    found = plan(desired, state())
    assert [dict(step.arguments) for step in found.steps] == [
        {"ClusterName": ARN, "NodeRecovery": "None"},
        {"ClusterName": ARN, "ClusterRole": OTHER, "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter"}},
    ]
    assert not plan(desired, found.after(state()))


ON: dict[str, t.Any] = {"auto_scaling": {"mode": "Enable"}, "cluster_role": OTHER}


def uncounted(name: str, **more: t.Any) -> dict[str, t.Any]:
    return {option: value for option, value in group(name, **more).items() if option != "instance_count"}


def test_an_autoscaled_group_starts_without_nodes_and_keeps_its_count_later() -> None:
    desired = wanted(uncounted("a"), settings={**SETTINGS, **ON})
    made = plan(desired, State())
    (step,) = made.steps
    assert [each["InstanceCount"] for each in step.arguments["InstanceGroups"]] == [0]
    assert made.changes[0].after["instance_groups"][0]["instance_count"] == 0
    assert made.after(State()).cluster.progress == {"a": Progress("InService", 0, 0)}
    assert not plan(desired, state(**ON)), "the group has two nodes meanwhile"


@pytest.mark.parametrize("settings", [{}, ON], ids=["of the cluster", "that is switched on now"])
def test_an_autoscaled_group_added_later_starts_without_nodes(settings: dict[str, t.Any]) -> None:
    found = plan(wanted(uncounted("c"), {"name": "a"}, settings=settings), state(**({} if settings else ON)))
    sent = found.steps[0].arguments["InstanceGroups"]
    assert [(each["InstanceGroupName"], each["InstanceCount"]) for each in sent] == [("c", 0)]


@pytest.mark.parametrize("settings", [{}, {"auto_scaling": {"mode": "Disable"}}])
def test_without_an_autoscaler_a_new_group_needs_a_count(settings: dict[str, t.Any]) -> None:
    for have in (State(), state(**ON) if settings else state()):
        with pytest.raises(Refused, match=r"^instance_groups\.c\.instance_count: missing; .*unless auto_scaling.mode is Enable"):
            plan(wanted(uncounted("c"), settings={**SETTINGS, **settings}), have)


def test_the_role_of_an_enabled_autoscaler_cannot_change() -> None:
    on = state(auto_scaling={"mode": "Enable"}, cluster_role=ROLE)
    with pytest.raises(Refused, match="cluster_role: .*karpenter.* AWS cannot change the role while the autoscaler is enabled"):
        plan(wanted(settings={"cluster_role": OTHER}), on)
    assert plan(wanted(settings={"auto_scaling": {"mode": "Disable"}}), on).steps


def test_tags_are_added_and_removed() -> None:
    have = state(tags={"a": "1", "b": "2", "aws:x": "y"})
    steps = plan(wanted(tags={"a": "3", "c": "4"}), have).steps
    assert [step.operation for step in steps] == ["AddTags", "DeleteTags"]
    assert steps[0].arguments["Tags"] == [{"Key": "a", "Value": "3"}, {"Key": "c", "Value": "4"}]
    assert steps[1].arguments["TagKeys"] == ["b"]
    assert plan(wanted(tags={"a": "3", "c": "4"}), have).after(have).cluster.tags == {"a": "3", "c": "4", "aws:x": "y"}
    assert [step.operation for step in plan(wanted(tags={"c": "4"}, purge_tags=False), have).steps] == ["AddTags"]
    assert not plan(wanted(), have)


@pytest.mark.parametrize(
    ("desired", "sentence"),
    [
        (wanted(settings={"vpc_config": {"subnets": ["subnet-9"]}}), "vpc_config: {'subnets': ['subnet-9']} is not allowed"),
        (wanted(settings={"orchestrator": {"slurm": {}}}), "orchestrator: ['slurm'] is not allowed"),
        (
            wanted(settings={"orchestrator": {"eks": {"cluster_arn": "arn:aws:eks:us-west-2:111111111111:cluster/two"}}}),
            "orchestrator.eks.cluster_arn: ",
        ),
        (wanted({"name": "a", "capacity_requirements": {"spot": {}}}), "instance_groups.a.capacity_requirements: {'spot': {}}"),
        (wanted({"name": "a", "override_vpc_config": SETTINGS["vpc_config"]}), "instance_groups.a.override_vpc_config: "),
        (wanted({"name": "b", "min_instance_count": 3}), "instance_groups.b.min_instance_count: 3"),
        (wanted(cluster_arn=ARN.replace("abc", "xyz")), "cluster_arn: "),
    ],
)
def test_impossible_changes_are_refused_by_name(desired: Desired, sentence: str) -> None:
    with pytest.raises(Refused) as caught:
        plan(desired, state())
    assert str(caught.value).startswith(sentence), caught.value


@pytest.mark.parametrize("status", ["Failed", "Deleting"])
def test_a_cluster_that_cannot_be_changed_any_more_is_refused(status: str) -> None:
    with pytest.raises(Refused, match=f"cluster ml is {status}.*state: absent"):
        plan(wanted(), state(status))


def test_absent_reports_everything_it_removes() -> None:
    gone = Desired("ml", present=False, cluster_arn=ARN)
    volume = {"volume_size_in_gb": 500}
    found = state("Failed")
    groups = {"a": GROUPS["a"], "b": group("b", instance_storage_configs=[{"ebs_volume_config": volume}, {"fsx_lustre_config": {}}])}
    found = State(found.having(groups={"instance_groups": groups}).cluster, nodes={"a": ("i-1", "i-2"), "b": ("i-3",)})
    (change,) = plan(gone, found).changes
    assert (change.action, change.before["cluster_arn"]) == ("delete", ARN)
    assert change.before["groups"] == {
        "a": {"nodes": 2, "node_ids": ["i-1", "i-2"], "volumes": []},
        "b": {"nodes": 2, "node_ids": ["i-3"], "volumes": [volume]},
    }
    assert not plan(gone, state("Deleting")) and not plan(gone, State())
    with pytest.raises(Refused, match="while it has compute quota research. Delete these first"):
        plan(gone, state(blockers=("compute quota research",)))


@pytest.mark.parametrize(
    ("found", "described"),
    [
        (Found(ARN, "ml", "InService", {}, {}, {}, PROGRESS), None),
        (Found(ARN, "ml", "Updating", {}, {}, {}, PROGRESS), "Updating"),
        (Found(ARN, "ml", "InService", {}, {}, {}, {"a": Progress("InService", 1, 2)}), "InService, a 1/2 InService"),
        (Found(ARN, "ml", "InService", {}, {}, {}, {"a": Progress("InService", 2, 2, 1)}), "InService, a 2/2 InService"),
        (Found(ARN, "ml", "InService", {}, {}, {}, {}, "", "Creating"), "InService, autoscaler Creating"),
    ],
)
def test_a_cluster_in_service_may_not_have_settled(found: Found, described: str | None) -> None:
    assert found.settled == (described is None) and (described is None or found.described == described)


def test_a_creation_has_the_expected_request_and_change() -> None:
    planned = plan(wanted(group("a"), settings=SETTINGS, tags={"x": "y"}), State())
    (step,) = planned.steps
    assert (step.operation, step.arguments["ClusterName"], step.arguments["Tags"]) == ("CreateCluster", "ml", [{"Key": "x", "Value": "y"}])
    after = {**SETTINGS, "instance_groups": [group("a")], "tags": {"x": "y"}}
    assert step.changes == (Change("create", "cluster ml", after=after),)
    made = planned.after(State()).cluster
    assert (made.status, made.tags, made.progress) == ("InService", {"x": "y"}, {"a": Progress("InService", 2, 2)})


def test_a_removal_has_the_expected_request_and_change() -> None:
    groups = {name: {"nodes": 2, "node_ids": [], "volumes": []} for name in GROUPS}
    change = Change("delete", "cluster ml", before={"cluster_arn": ARN, "groups": groups})
    planned = plan(Desired("ml", present=False), state())
    assert planned.steps == (Step("DeleteCluster", {"ClusterName": ARN}, (change,)),)
    assert planned.after(state()) == State()


def test_added_and_removed_groups_have_the_expected_request_and_changes() -> None:
    planned = plan(wanted(GROUPS["a"], group("c"), purge_groups=True, settings={"node_recovery": "None"}), state())
    (step,) = planned.steps
    sent = {"InstanceGroupName": "c", "InstanceType": "ml.m5.large", "InstanceCount": 2, "ExecutionRole": ROLE}
    assert (step.operation, step.arguments) == (
        "UpdateCluster",
        {"ClusterName": ARN, "NodeRecovery": "None", "InstanceGroups": [sent], "InstanceGroupsToDelete": ["b"]},
    )
    assert step.changes == (
        Change("update", "cluster ml", "node_recovery", "Automatic", "None"),
        Change("create", "cluster ml group c", after=group("c")),
        Change("delete", "cluster ml group b", before={"nodes": 2}),
    )
    assert planned.after(state()).cluster.progress["c"] == Progress("InService", 2, 2)


def test_counts_are_kept_while_an_autoscaler_is_on() -> None:
    found = plan(wanted(group("c"), settings=ON), state())
    assert [each["InstanceCount"] for each in found.steps[0].arguments["InstanceGroups"]] == [2]


@pytest.mark.parametrize("role", [None, ROLE])
def test_the_role_of_an_autoscaler_may_be_repeated(role: str | None) -> None:
    settings = {"auto_scaling": {"mode": "Enable", "auto_scaler_type": "Karpenter"}, **({"cluster_role": role} if role else {})}
    on = state(auto_scaling={"mode": "Enable", "auto_scaler_type": "Other"}, cluster_role=ROLE)
    (step,) = plan(wanted(settings=settings), on).steps
    assert step.arguments["AutoScaling"]["AutoScalerType"] == "Karpenter"


def test_a_cluster_without_an_orchestrator_has_slurm() -> None:
    groups = {"instance_groups": {}, "restricted_instance_groups": {}}
    old = State(Found(ARN, "ml", "InService", {}, groups, {}, {}))
    with pytest.raises(Refused, match="^instance_groups: missing"):
        plan(wanted(settings={"orchestrator": {"slurm": {}}}), old)
    with pytest.raises(Refused, match="orchestrator: .*Allowed: slurm, or"):
        plan(wanted(settings={"orchestrator": SETTINGS["orchestrator"]}), old)
