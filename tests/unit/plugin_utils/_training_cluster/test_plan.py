# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan, from declared clusters and observed resources."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.access import policies_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import Addon, Declared, Group, Network
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import Observed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.plan import (
    Foreseen,
    Names,
    Priced,
    Row,
    planned,
    rows,
)

NEW = Network("", (), "", "10.0.0.0/16", "")
THEIRS = Network("vpc-1", ("subnet-1", "subnet-2"), "subnet-1", "10.0.0.0/16", "")
GROUPS = (Group("system", "m7i.xlarge", 2, 0, 2), Group("gpu", "p5.48xlarge", 4, 0, 4))
CLUSTER = Declared("ml", NEW, GROUPS, (), {"storage_capacity": 1200}, ("arn:admin",), ({"principal_arn": "arn:team", "policy": "View"},))
NOTHING = Foreseen()
ADMINS = [{"policy": "arn/AmazonEKSClusterAdminPolicy", "namespaces": []}]
NAMES = Names("ml", ("ml-us-west-2-cluster", "ml-us-west-2-nodes"))


def resource(kind: str, name: str, *, ours: bool = True, status: str = "", **details: t.Any) -> dict[str, t.Any]:
    return {"kind": kind, "name": name, "id": name, "ours": ours, "status": status, "details": details}


def of(declared: Declared = CLUSTER, *resources: dict[str, t.Any], foreseen: Foreseen = NOTHING) -> list[Row]:
    return rows(declared, Observed(resources), NAMES, foreseen)


def made(found: t.Iterable[Row]) -> list[dict[str, t.Any]]:
    """The resources of a plan, created."""
    nodes = {each.name: each.nodes for each in GROUPS}
    granted = {arn: [dict(each) for each in policies] for arn, policies in policies_of(CLUSTER).items()}
    details = {"version": "1.34", "storage_capacity": 1200}
    return [
        resource(each.kind, each.name, desired=nodes.get(each.name), access_policies=granted.get(each.name), **details) for each in found
    ]


def actions(found: t.Iterable[Row], kind: str = "") -> dict[str, str]:
    return {each.name: each.action for each in found if each.kind == kind}


def test_in_an_empty_account_everything_is_created_in_order() -> None:
    found = of()
    kinds = [each.kind for each in found]
    assert {each.action for each in found} == {"create"}
    network = ["vpc", *3 * ["subnet"], "internet_gateway", "elastic_ip", "nat_gateway", "route_table", "route_table", "vpc_endpoint"]
    assert kinds[:12] == [*network, "iam_role", "iam_role"]
    groups = 2 * ["launch_template", "eks_nodegroup"]
    entries, first = 2 * ["eks_access_entry"], 3 * ["eks_addon"]
    assert kinds[12:] == ["eks_cluster", *entries, *first, *groups, *first, "security_group", "file_system"]


def test_everything_exists_after_the_plan_was_carried_out() -> None:
    again = of(CLUSTER, *made(of()))
    assert {each.action for each in again} == {"keep"} and not any(each.changes for each in again)
    assert planned(again) == planned(of())


def test_an_interrupted_run_creates_only_what_is_missing() -> None:
    everything = made(of())
    for count in range(len(everything)):
        found = of(CLUSTER, *everything[:count])
        assert [each.name for each in found if each.action == "create"] == [each["name"] for each in everything[count:]]


def test_a_nat_gateway_that_failed_is_created_again() -> None:
    everything = [{**each, "status": "failed"} if each["kind"] == "nat_gateway" else each for each in made(of())]
    assert [each.kind for each in of(CLUSTER, *everything) if each.changes] == ["nat_gateway"]


def test_prices_are_asked_for_once_for_each_kind_and_size() -> None:
    expected = [
        {"kind": "public_ipv4_address", "count": 1},
        {"kind": "nat_gateway", "count": 1},
        {"kind": "eks_cluster", "count": 1},
        {"kind": "ec2_instance", "instance_type": "m7i.xlarge", "count": 2},
        {"kind": "gp3_volume", "gib": 200, "count": 6},
        {"kind": "ec2_instance", "instance_type": "p5.48xlarge", "count": 4},
        {"kind": "lustre_file_system", "gib": 1200, "count": 1},
    ]
    assert planned(of()) == expected
    assert planned(of(foreseen=Foreseen(extended_support=True)))[3] == {"kind": "eks_extended_support", "count": 1}


@pytest.mark.parametrize(
    ("more", "note", "priced"),
    [
        ({"reservation": "cr-1"}, "p5.48xlarge, 4 nodes, covered by reservation cr-1", (Priced("gp3_volume", 4, gib=200),)),
        (
            {"spot": True},
            "p5.48xlarge, 4 nodes, Spot Instances for at most this price",
            (Priced("ec2_instance", 4, "p5.48xlarge"), Priced("gp3_volume", 4, gib=200)),
        ),
        ({"nodes": 0}, "p5.48xlarge, 0 nodes", ()),
    ],
)
def test_the_price_of_a_group(more: dict[str, t.Any], note: str, priced: tuple[Priced, ...]) -> None:
    group = Group(**{"name": "gpu", "instance_type": "p5.48xlarge", "nodes": 4, "smallest": 0, "largest": 4, **more})
    found = of(Declared("ml", THEIRS, (group,), (), {}, (), ()))
    assert [(each.note, each.priced) for each in found if each.kind == "eks_nodegroup"] == [(note, priced)]


def test_the_end_of_a_reservation_is_in_the_plan() -> None:
    group = Group("gpu", "p5.48xlarge", 4, 4, 4, reservation="cr-1")
    found = of(Declared("ml", THEIRS, (group,), (), {}, (), ()), foreseen=Foreseen(ends={"cr-1": "2026-12-08T11:30:00.000Z"}))
    (row,) = [each for each in found if each.kind == "eks_nodegroup"]
    assert row.note == "p5.48xlarge, 4 nodes, covered by reservation cr-1 until 2026-12-08T11:30:00.000Z"


def test_a_group_with_another_number_of_nodes_is_scaled() -> None:
    others = [each for each in made(of()) if each["name"] != "gpu"]
    scaled = of(CLUSTER, *others, resource("eks_nodegroup", "gpu", desired=1, version="1.34"))
    assert actions(scaled, "eks_nodegroup") == {"system": "keep", "gpu": "scale"}
    assert [each.note for each in scaled if each.changes] == ["p5.48xlarge, 1 to 4 nodes"]


def test_the_plan_lists_changes_of_access() -> None:
    others = [each for each in made(of()) if each["kind"] != "eks_access_entry"]
    admin, team, former = (
        resource("eks_access_entry", arn, access_policies=[{"policy": f"arn/{policy}", "namespaces": []}])
        for arn, policy in (("arn:admin", "AmazonEKSClusterAdminPolicy"), ("arn:team", "Edit"), ("arn:former", "Edit"))
    )
    found = of(CLUSTER, *others, admin, team, former)
    assert [(each.action, each.name, each.note) for each in found if each.changes] == [
        ("change", "arn:team", "adds View, removes Edit"),
        ("remove", "arn:former", "no longer declared, so the principal loses its access"),
    ]


def test_a_cluster_of_someone_else_gets_no_network_and_keeps_its_groups() -> None:
    theirs = [
        resource("eks_cluster", "ml", ours=False, version="1.34"),
        resource("eks_nodegroup", "gpu", ours=False, desired=1),
        resource("eks_access_entry", "arn:admin", ours=False, access_policies=ADMINS),
    ]
    found = of(CLUSTER, *theirs)
    assert "vpc" not in {each.kind for each in found}
    assert actions(found, "eks_cluster") == {"ml": "use"}
    assert actions(found, "eks_nodegroup") == {"system": "create", "gpu": "use"}
    assert actions(found, "eks_access_entry") == {"arn:admin": "use", "arn:team": "create"}
    assert actions(found, "eks_addon") == {"eks-pod-identity-agent": "create", "aws-fsx-csi-driver": "create"}
    assert actions(found, "launch_template") == {"ml.system": "create"}


def test_names_of_others_do_not_hide_resources_of_ours() -> None:
    both = [resource("vpc", "ml", ours=False), resource("vpc", "ml")]
    assert actions(of(CLUSTER, *both), "vpc") == {"ml": "keep"}
    assert Observed(both).ours("vpc") == both[1:]


def test_a_given_network_is_not_created() -> None:
    found = of(Declared("ml", THEIRS, (), (), {}, (), ()))
    assert [each.kind for each in found if each.kind in ("vpc", "subnet", "nat_gateway", "vpc_endpoint")] == []


def changes(found: t.Iterable[Row]) -> list[tuple[str, str, str]]:
    return [(each.kind, each.name, each.action) for each in found if each.changes]


def test_a_changed_launch_template_replaces_all_nodes_of_the_group() -> None:
    found = of(CLUSTER, *made(of()), foreseen=Foreseen(templates=frozenset({"ml.gpu"})))
    assert changes(found) == [("launch_template", "ml.gpu", "change"), ("eks_nodegroup", "gpu", "replace nodes")]
    assert [each.note for each in found if each.name == "gpu"] == ["p5.48xlarge, 4 nodes, EKS replaces all of them"]


def test_an_upgrade_changes_the_cluster_and_then_its_nodes() -> None:
    found = of(CLUSTER, *made(of()), foreseen=Foreseen(version="1.35"))
    nodes = [("eks_nodegroup", name, "replace nodes") for name in ("system", "gpu")]
    assert changes(found) == [("eks_cluster", "ml", "upgrade"), *nodes]
    assert [each.note for each in found if each.kind == "eks_cluster"] == ["Kubernetes 1.34 to 1.35"]
    assert changes(of(CLUSTER, *made(of()), foreseen=Foreseen(version="1.34"))) == []


def test_changes_of_billed_settings_are_part_of_the_plan() -> None:
    addon = Addon("amazon-cloudwatch-observability", configuration={"a": 1})
    wanted = dataclasses.replace(CLUSTER, file_system={"storage_capacity": 2400}, logging=("api",), addons=(addon,))
    found = of(wanted, *made(of(dataclasses.replace(CLUSTER, addons=(addon,)))))
    assert [(each.kind, each.action, each.note) for each in found if each.changes] == [
        ("eks_cluster", "change", "turns on the logs api, logs are billed by use"),
        ("eks_addon", "change", "other settings, logs and metrics are billed by use"),
        ("file_system", "change", "2400 GiB of Lustre, storage 1200 to 2400 GiB"),
    ]
    upgraded = of(wanted, *made(of()), foreseen=Foreseen(version="1.35"))
    (row,) = [each for each in upgraded if each.kind == "eks_cluster"]
    assert (row.action, row.note) == ("upgrade", "Kubernetes 1.34 to 1.35, turns on the logs api, logs are billed by use")


def test_a_group_whose_creation_failed_is_created_again() -> None:
    failed = [{**each, "status": "CREATE_FAILED"} if each["name"] == "gpu" else each for each in made(of())]
    assert changes(of(CLUSTER, *failed)) == [("eks_nodegroup", "gpu", "create")]
    notes = [each.note for each in of(CLUSTER, *failed) if each.name == "gpu"]
    assert notes == ["p5.48xlarge, 4 nodes, after the removal of the group whose creation failed"]


def test_resources_that_aws_is_deleting_are_created_again() -> None:
    leaving = [{**each, "status": "DELETING"} if each["name"] == "gpu" or each["kind"] == "file_system" else each for each in made(of())]
    found = of(dataclasses.replace(CLUSTER, file_system={"storage_capacity": 2400}), *leaving)
    assert changes(found) == [("eks_nodegroup", "gpu", "create"), ("file_system", "ml", "create")]
    notes = [each.note for each in found if each.changes]
    assert notes == ["p5.48xlarge, 4 nodes, after EKS has deleted the earlier group", "2400 GiB of Lustre"]


def test_resources_that_are_no_longer_declared_stay_and_cost_money() -> None:
    less = Declared("ml", NEW, GROUPS[:1], (), {}, ("arn:admin",), CLUSTER.teams)
    template = resource("launch_template", "ml.gpu", instance_type="p5.48xlarge", volume_size=500)
    group = resource("eks_nodegroup", "gpu", desired=4, version="1.34", launch_template={"id": "ml.gpu"})
    others = [each for each in made(of()) if each["name"] not in ("gpu", "ml.gpu")]
    found = of(less, *others, template, group)
    left = {(each.kind, each.name): each.priced for each in found if each.note.startswith("no longer declared")}
    assert left == {
        ("eks_nodegroup", "gpu"): (Priced("ec2_instance", 4, "p5.48xlarge"), Priced("gp3_volume", 4, gib=500)),
        ("file_system", "ml"): (Priced("lustre_file_system", 1, gib=1200),),
    }
    assert changes(found) == []


def test_a_group_that_is_listed_for_its_removal_goes_last_and_costs_nothing() -> None:
    template = resource("launch_template", "ml.old", instance_type="p5.48xlarge", volume_size=500)
    old = resource("eks_nodegroup", "old", desired=3, status="ACTIVE", launch_template={"id": "ml.old"})
    wanted = dataclasses.replace(CLUSTER, removed_groups=("gone", "old"))
    found = of(wanted, *made(of()), old, template)
    removed = [Row("eks_nodegroup", "old", "remove", "3 nodes, drained first"), Row("launch_template", "ml.old", "remove")]
    assert found == [*of(CLUSTER, *made(of())), *removed] and [each for each in found if each.changes] == removed
    assert of(wanted, *made(of()), template)[-1:] == removed[1:], "an interrupted run continues"
    assert of(wanted, *made(of())) == of(CLUSTER, *made(of()))


def test_a_group_is_replaced_by_one_with_another_name() -> None:
    spot = dataclasses.replace(GROUPS[1], name="spot", spot=True)
    wanted = dataclasses.replace(CLUSTER, groups=(GROUPS[0], spot), removed_groups=("gpu",))
    created = [("launch_template", "ml.spot", "create"), ("eks_nodegroup", "spot", "create")]
    removed = [("eks_nodegroup", "gpu", "remove"), ("launch_template", "ml.gpu", "remove")]
    found = of(wanted, *made(of()))
    assert changes(found) == [*created, *removed]
    assert planned(found) == planned(of()), "the price is that after the run"


def test_an_upgrade_upgrades_add_ons_that_exist_and_have_no_version_of_their_own() -> None:
    pinned = (Addon("coredns", version="v1.12.4-eksbuild.1"), Addon("vpc-cni", version="v1.22.4-eksbuild.1"))
    wanted = dataclasses.replace(CLUSTER, addons=(*pinned, Addon("metrics-server", version="latest")))
    there = [each for each in made(of(wanted)) if each["name"] not in ("eks-node-monitoring-agent", "coredns")]
    there.append(resource("eks_addon", "coredns", version="v1.12.4-eksbuild.1"))
    found = [each for each in of(wanted, *there, foreseen=Foreseen(version="1.35", upgrades=True)) if each.kind == "eks_addon"]
    assert {each.name for each in found if each.action == "upgrade"} == {
        *("eks-pod-identity-agent", "vpc-cni", "kube-proxy", "aws-fsx-csi-driver", "metrics-server")
    }
    assert {each.name: each.action for each in found}["coredns"] == "keep"
    newer = "if EKS has a newer version for Kubernetes 1.35"
    assert {each.note for each in found if each.action == "upgrade"} == {newer, "1.34 to v1.22.4-eksbuild.1"}
    assert {each.name: each.action for each in found}["eks-node-monitoring-agent"] == "create"
