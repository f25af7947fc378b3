# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Security groups and routes: what blocks nodes, and what stays unknown."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.model import Route, Subnet, Template
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.reach import routes, rules

from .seen import CONTROL_10250, DENIED, EVERY_ENDPOINT, NODES, NODES_443, Case, assert_found, network, own, port, seen

CASES: list[Case] = [
    (
        "a group without rules",
        own(),
        ["the nodes cannot reach the API server (no ingress rule of sg-cluster allows TCP 443 from sg-own", "TCP 10250 from sg-cluster"],
        [],
    ),
    ("rules by group", own(ingress=(CONTROL_10250,), plane=(NODES_443,)), [], []),
    ("a rule by network", own(ingress=(CONTROL_10250,), plane=(port(443, networks=("10.0.0.0/16",)),)), [], []),
    ("a rule for another network", own(ingress=(CONTROL_10250,), plane=(port(443, networks=("10.1.0.0/16",)),)), ["cannot reach the API"], []),
    ("another port", own(ingress=(port(10255, groups=("sg-cluster",)),), plane=(NODES_443,)), ["control plane cannot reach the kubelets"], []),
    ("no way out", own(ingress=(CONTROL_10250,), egress=(), plane=(NODES_443,)), ["no egress rule of sg-own allows TCP 443 to sg-cluster"], []),
    ("prefix lists", own(ingress=(CONTROL_10250,), plane=(port(443, prefix_lists=("pl-1",)),)), [], ["whether the ingress rules of sg-cluster"]),
    (
        "unread subnets",
        {**own(ingress=(CONTROL_10250,), plane=(port(443, networks=("10.0.0.0/16",)),)), "subnets": DENIED},
        [],
        ["TCP 443 from sg-own"],
    ),
    ("unread rules", {"security_groups": DENIED}, [], ["could not read it"]),
    ("no route", {"routes": {NODES: Route("rtb-1")}}, ["no default route (route table rtb-1) and no VPC endpoint for ec2, ecr.api"], []),
    ("endpoints instead", {"routes": {NODES: Route("rtb-1")}, "endpoints": EVERY_ENDPOINT}, [], []),
    ("endpoint of another table", {"routes": {NODES: Route("rtb-2")}, "endpoints": EVERY_ENDPOINT}, ["no VPC endpoint for s3:"], []),
    ("unread endpoints", {"routes": {NODES: Route("rtb-1")}, "endpoints": DENIED}, [], ["may replace it: could not read it"]),
    ("blackhole", {"routes": {NODES: Route("rtb-1", "nat-9", usable=False)}}, ["leads to nat-9, which does not exist"], []),
    ("internet gateway", {"routes": {NODES: Route("rtb-1", "igw-1")}}, ["but the nodes get no public address"], []),
    (
        "public subnet",
        {"routes": {NODES: Route("rtb-1", "igw-1")}, "subnets": {NODES: Subnet(NODES, "10.0.1.0/24", True)}},
        [],
        [],
    ),
    ("template with address", {"routes": {NODES: Route("rtb-1", "igw-1")}, "template": Template("t", public_address=True)}, [], []),
    ("transit gateway", {"routes": {NODES: Route("rtb-1", "tgw-1")}}, [], ["leads to tgw-1, behind which nothing was checked"]),
    ("unread routes", {"routes": DENIED}, [], ["could not read it"]),
    ("public endpoint", network(private=False, public_cidrs=("0.0.0.0/0",)), [], []),
    ("limited endpoint", network(private=False, public_cidrs=("203.0.113.0/24",)), [], ["public addresses are in 203.0.113.0/24"]),
    (
        "no way to a public endpoint",
        {**network(private=False, public_cidrs=("0.0.0.0/0",)), **own(ingress=(CONTROL_10250,), egress=(port(443, groups=("sg-cluster",)),))},
        ["cannot reach the public API server (no egress rule of sg-own allows TCP 443 to any network)"],
        [],
    ),
]


@pytest.mark.parametrize(("changed", "causes", "unknown"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_blocked_ways(changed: dict[str, t.Any], causes: list[str], unknown: list[str]) -> None:
    assert_found((*rules(seen(changed)), *routes(seen(changed))), causes, unknown)
