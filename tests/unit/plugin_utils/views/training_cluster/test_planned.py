# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan, its price and its quotas."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import planned, unfit

from .given import GROUP, TYPES, cluster, resource, seen, variables

CIDRS = {"public_access_cidrs": ["203.0.113.0/24"]}
OPEN = {**CIDRS, "zone": "us-west-2b"}


def priced(price: float | None = 1.0, *resources: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    """Variables with a price for each resource of the plan."""
    given = variables(*resources, **more)
    planned_now = planned.plan(given).priced
    prices = [{"instance_type": "", "gib": 0, **each, "price_per_hour": price} for each in planned_now]
    unknown = [each["kind"] for each in prices] if price is None else []
    return {**given, "__training_cluster_prices": {"prices": prices, "currency": "USD", "unknown": unknown}}


def codes(findings: t.Iterable[dict[str, str]]) -> list[tuple[str, str]]:
    return [(each["kind"], each["code"]) for each in findings]


def test_quotas_are_needed_for_what_is_added() -> None:
    found = planned.plan(variables())
    assert found.changes and (found.vpcs, found.eks_clusters, found.elastic_ips) == (1, 1, 1)
    assert found.nat_gateways == [{"zone": "us-west-2b", "count": 1}]
    assert found.instances == [
        {"instance_type": "m7i.xlarge", "count": 2, "market": "on_demand"},
        {"instance_type": "p5.48xlarge", "count": 2, "market": "on_demand"},
    ]


@pytest.mark.parametrize(
    ("now", "more", "added"),
    [
        (None, {"spot": True}, [("p5.48xlarge", 2, "spot")]),
        (None, {"capacity_reservation_id": "cr-1"}, []),
        (resource("eks_nodegroup", "gpu", desired=1, version="1.34"), {}, [("p5.48xlarge", 1, "on_demand")]),
        (resource("eks_nodegroup", "gpu", desired=3, version="1.34"), {}, []),
        (resource("eks_nodegroup", "gpu", ours=False, desired=0, version="1.34"), {}, []),
    ],
)
def test_instances_to_add(now: dict[str, t.Any] | None, more: dict[str, t.Any], added: list[tuple[t.Any, ...]]) -> None:
    found = planned.plan(variables(*([now] if now else []), groups=[{**GROUP, **more}], system={}))
    assert [tuple(each.values()) for each in found.instances] == added


def test_a_version_in_extended_support_costs_more_and_is_refused_for_a_new_cluster() -> None:
    extended = {"kind": "eks_extended_support", "count": 1}
    assert extended in planned.plan(variables(cluster(version="1.33"))).priced
    assert extended not in planned.plan(variables(cluster())).priced
    (refusal,) = planned.budget(priced(0.5, version="1.33", accept_cost=100)).findings
    assert "'1.33' is not allowed: Kubernetes 1.33 is in extended support, which costs 0.50 USD more for each hour" in refusal["text"]
    assert "training_cluster_extended_support=true" in refusal["text"] and refusal["kind"] == "failure"
    (unknown,) = planned.budget(priced(None, version="1.33")).findings
    assert "costs an unknown price for each hour" in unknown["text"]
    assert planned.budget(priced(0.5, version="1.33", accept_cost=100, extended_support=True)).findings == []
    assert codes(planned.budget(priced(0.5, cluster(version="1.33"))).findings) == [("note", "training-cluster-planned")]


def test_the_nodes_are_in_a_zone_that_offers_their_types() -> None:
    assert (planned.zone(variables()), planned.second_zone(variables())) == ("us-west-2b", "us-west-2a")
    assert planned.zone(variables(zone="us-west-2c")) == "us-west-2c"
    there = resource("subnet", "ml.nodes", availability_zone="us-west-2z")
    assert planned.zone(variables(there)) == "us-west-2z"
    assert planned.second_zone(variables(resource("subnet", "ml.control-plane", availability_zone="us-west-2y"))) == "us-west-2y"
    nowhere = [{**each, "zones": []} for each in TYPES]
    (refusal,) = unfit.unfit(variables(__training_cluster_types={"instance_types": nowhere}, **CIDRS))
    assert "training_cluster_zone: '' is not allowed" in refusal["text"]
    (without,) = unfit.unfit(variables(zone="us-west-2a", **CIDRS))
    assert "training_cluster_zone: 'us-west-2a' is not allowed: EC2 does not offer all instance types of the groups there" in without["text"]
    everywhere = [{**each, "zones": ["us-west-2d"]} for each in TYPES]
    (closed,) = unfit.unfit(variables(zone="us-west-2d", __training_cluster_types={"instance_types": everywhere}, **CIDRS))
    assert "training_cluster_zone: 'us-west-2d' is not allowed. Allowed: us-west-2a, us-west-2b, us-west-2c." in closed["text"]


def test_without_groups_the_zone_must_be_declared() -> None:
    (refusal,) = unfit.unfit(variables(groups=[], system={}, __training_cluster_types={}, **CIDRS))
    assert "training_cluster_zone: missing; without node groups, no instance type determines the zone" in refusal["text"]
    assert unfit.unfit(variables(groups=[], system={}, zone="us-west-2a", __training_cluster_types={}, **CIDRS)) == []


def test_the_plan_names_a_nat_gateway_that_it_waits_for() -> None:
    lines = planned.budget(priced(1.0, resource("nat_gateway", "ml", status="deleting"))).lines
    assert "wait: nat_gateway ml (EC2 is deleting it)" in lines and "create: nat_gateway ml (also billed by traffic, 1.00 USD an hour)" in lines


def test_zones_without_eks_are_not_used() -> None:
    zones = [{"zone_name": "us-east-1e", "zone_id": "use1-az3"}, {"zone_name": "us-east-1f", "zone_id": "use1-az5"}]
    everywhere = [{**each, "zones": ["us-east-1e", "us-east-1f"]} for each in TYPES]
    more = {"__training_cluster_zones": {"availability_zones": zones}, "__training_cluster_types": {"instance_types": everywhere}}
    assert planned.zone(variables(**more)) == "us-east-1f"


def test_without_an_accepted_cost_the_run_ends_after_the_plan() -> None:
    found = planned.budget(priced())
    assert (found.goes_on, codes(found.findings)) == (False, [("note", "training-cluster-planned")])
    assert found.lines[0] == "create: vpc ml (10.0.0.0/16)"
    assert found.lines[-1] == "Total: 11.00 USD an hour at list prices, without usage-based charges."
    assert "create: eks_nodegroup gpu (p5.48xlarge, 2 nodes, 4.00 USD an hour)" in found.lines


@pytest.mark.parametrize(
    ("accepted", "price", "check", "goes_on", "code"),
    [
        (10.99, 1.0, False, True, "training-cluster-cost"),
        (11.0, 1.0, False, True, ""),
        (11.0, 1.0, True, False, ""),
        (11.0, None, False, True, "training-cluster-cost"),
    ],
)
def test_the_cost_must_be_accepted(accepted: float, price: float | None, check: bool, goes_on: bool, code: str) -> None:
    """A finding about the cost is a failure, so the run ends before the next task."""
    found = planned.budget(priced(price, check=check, accept_cost=accepted))
    assert (found.goes_on, codes(found.findings)) == (goes_on, [("failure", code)] if code else [])


@pytest.mark.parametrize(
    ("resources", "accepted", "check", "expected"),
    [
        ([], 100, True, (True, False)),
        ([cluster(status="ACTIVE")], 100, True, (True, True)),
        ([cluster(status="UPDATING", ours=False)], 100, True, (True, True)),
        ([cluster(status="CREATING")], 100, True, (True, False)),
        ([cluster(status="CREATING")], 100, False, (True, True)),
        ([cluster(status="ACTIVE")], 0, True, (False, False)),
        ([cluster(status="ACTIVE")], 0, False, (False, False)),
    ],
)
def test_check_mode_goes_on_if_the_cluster_can_be_read(
    resources: list[t.Any], accepted: float, check: bool, expected: tuple[bool, bool]
) -> None:
    found = planned.budget(priced(1.0, *resources, check=check, accept_cost=accepted, node_subnet_id="subnet-7"))
    assert (found.accepted, found.goes_on) == expected


@pytest.mark.parametrize(
    ("more", "check", "ends"),
    [({"logging": ["api"]}, False, True), ({"logging": ["api"]}, True, True), ({**CIDRS, "tags": {"team": "a"}}, False, False)],
)
def test_only_changes_of_billed_settings_need_an_accepted_cost(more: dict[str, t.Any], check: bool, ends: bool) -> None:
    every = [resource("eks_addon", name) for name in ("vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns", "eks-node-monitoring-agent")]
    roles = [resource("iam_role", f"ml-us-west-2-{part}") for part in ("cluster", "vpc-cni")]
    given = {"groups": [], "admins": [], "system": {}, "vpc_id": "vpc-1", "subnet_ids": ["a", "b"], "node_subnet_id": "a", **more}
    found = planned.budget(priced(1.0, cluster(status="ACTIVE", logging=[]), *every, *roles, check=check, **given))
    assert (found.goes_on, codes(found.findings)) == (not ends, [("note", "training-cluster-planned")] if ends else [])


def test_unknown_prices_are_accepted_by_name() -> None:
    names = ["nat_gateway", "public_ipv4_address", "eks_cluster", "ec2_instance", "gp3_volume"]
    assert planned.budget(priced(None, accept_cost=1.0, accept_unknown_prices=names)).findings == []
    (left,) = planned.budget(priced(None, accept_cost=1.0, accept_unknown_prices=names[1:])).findings
    assert "The prices of these resources are unknown: nat_gateway. Nothing was changed." in left["text"]


def test_a_run_without_changes_needs_no_accepted_cost() -> None:
    resources = [cluster(), *(resource(kind, name) for kind, name in (("iam_role", "ml-us-west-2-cluster"),))]
    given = priced(1.0, *resources, groups=[], system={}, vpc_id="vpc-1", subnet_ids=["a", "b"], node_subnet_id="a")
    assert not planned.budget(given).goes_on
    every = [resource("eks_addon", name) for name in ("vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns", "eks-node-monitoring-agent")]
    roles = [resource("iam_role", f"ml-us-west-2-{part}") for part in ("cluster", "vpc-cni")]
    quiet = priced(1.0, cluster(), *every, *roles, groups=[], admins=[], system={}, vpc_id="vpc-1", subnet_ids=["a", "b"], node_subnet_id="a")
    assert planned.budget(quiet).goes_on and not planned.plan(quiet).changes and planned.budget(quiet).findings == []


def test_quotas_that_are_too_low_end_the_run_and_unknown_ones_are_reported() -> None:
    low = {"name": "Running On-Demand P instances", "value": 96.0, "used": 0, "planned": 384, "sufficient": False, "next_step": "Request 384."}
    unknown = {**low, "name": "of mac", "sufficient": None}
    found = planned.room(variables(__training_cluster_quotas={"quotas": [low, unknown, {**low, "sufficient": True}]}))
    assert codes(found) == [("failure", "quota-too-low"), ("note", "quota-unknown")]
    assert "is 96, and 384 are needed. Nothing was changed. Request 384." in found[0]["text"]


@pytest.mark.parametrize(
    ("version", "resources", "upgrades"),
    [
        ("", [cluster()], False),
        ("1.34", [cluster()], False),
        ("1.35", [cluster()], True),
        ("1.35", [cluster(version="1.35"), resource("eks_nodegroup", "gpu", version="1.34", desired=2)], True),
        ("1.35", [cluster(version="1.35"), resource("eks_nodegroup", "gpu", ours=False, version="1.34", desired=2)], False),
        ("1.35", [cluster(version="1.35"), resource("eks_nodegroup", "undeclared", version="1.34", desired=2)], False),
        ("1.35", [], False),
    ],
)
def test_add_ons_are_upgraded_until_all_nodes_have_the_version(version: str, resources: list[t.Any], upgrades: bool) -> None:
    given = variables(*resources, resource("eks_addon", "coredns"), version=version)
    assert planned.upgrades(given) is upgrades
    assert [row.action for row in planned.rows(given) if row.name == "coredns"] == ["upgrade" if upgrades else "keep"]


@pytest.mark.parametrize(
    ("version", "resources", "changes"),
    [("", [cluster()], False), ("1.34", [cluster()], False), ("1.35", [], False), ("1.36", [cluster()], True)],
)
def test_only_another_version_of_an_existing_control_plane_is_validated(version: str, resources: list[t.Any], changes: bool) -> None:
    assert planned.changes_version(variables(*resources, version=version)) is changes


def test_templates_that_get_a_new_version_are_part_of_the_plan() -> None:
    there = [resource("eks_nodegroup", name, desired=2, version="1.34") for name in ("gpu", "system")]
    results = [
        {"item": {"name": "ml.gpu"}, "efa_launch_template": {"version": "(known after apply)"}},
        {"item": {"name": "ml.system"}, "efa_launch_template": {"version": 3}},
    ]
    found = planned.rows(variables(cluster(), *there, __training_cluster_planned_templates={"results": results}))
    assert [each.name for each in found if each.action == "replace nodes"] == ["gpu"]


def test_pods_on_nodes_that_end_are_named() -> None:
    there = [resource("eks_nodegroup", name, desired=2, version="1.34") for name in ("gpu", "system")]
    replaced = {"results": [{"item": {"name": "ml.gpu"}, "efa_launch_template": {"version": "(known after apply)"}}]}
    pods = [{"namespace": "a", "name": each, "node": "n", "node_group": each, "owner": "", "claims": []} for each in ("gpu", "system")]
    given = priced(1.0, cluster(), *there, **seen(pods=pods), __training_cluster_planned_templates=replaced)
    assert planned.plan(given).shrinking == ["gpu"]
    found = planned.budget(given)
    assert "end: Pod a/gpu (node group gpu)" in found.lines and "end: Pod a/system (node group system)" not in found.lines
    assert ("note", "training-cluster-ends") in codes(found.findings)
    assert planned.plan(variables(cluster(), *there)).shrinking == []
    assert planned.plan(variables(cluster(), *there, groups=[{**GROUP, "nodes": 1}])).shrinking == ["gpu"]
    assert planned.plan(variables(cluster(), *there, groups=[{**GROUP, "nodes": 3}])).shrinking == []


def test_the_plan_has_the_end_of_a_reservation() -> None:
    reservation = {"id": "cr-1", "type": "default", "end": "2026-12-08T11:30:00.000Z"}
    results = [{"item": {"name": "ml.gpu"}, "efa_launch_template": {"version": 1, "capacity_reservation": reservation}}]
    given = variables(groups=[{**GROUP, "capacity_reservation_id": "cr-1"}], __training_cluster_planned_templates={"results": results})
    assert ["cr-1 until 2026-12-08T11:30:00.000Z" in each.note for each in planned.rows(given) if each.name == "gpu"] == [True]
