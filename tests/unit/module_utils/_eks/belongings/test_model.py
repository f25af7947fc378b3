# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources in the same form for all kinds, and their order."""

from __future__ import annotations

import re
import typing as t

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings import model
from ansible_collections.mlfleet.hyperpod.plugins.modules.eks_cluster_resource_info import RETURN
from botocore.exceptions import ClientError

OWNER = model.Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
TAG = "mlfleet.hyperpod/cluster"


@pytest.mark.parametrize(("tags", "ours"), [({TAG: OWNER.arn}, True), ({TAG: f"{OWNER.arn}2"}, False), ({}, False)])
def test_only_the_arn_of_the_cluster_makes_a_resource_ours(tags: dict[str, str], ours: bool) -> None:
    assert OWNER.resource("vpc", "vpc-1", tags=tags, details={}).ours is ours


def test_texts_of_others_are_printable() -> None:
    tags = {model.COMPONENT_TAG: "a\x1b[2J"}
    found = OWNER.resource("vpc", "vpc-1", tags=tags, name="b\n", status="c\x00", details={"cidr_block": "10.0.0.0/16"}).to_result()
    assert found == {
        "kind": "vpc",
        "id": "vpc-1",
        "ours": False,
        "name": "b?",
        "status": "c?",
        "component": "a?[2J",
        "details": {"cidr_block": "10.0.0.0/16"},
    }


def test_resources_are_ordered_by_kind_and_id() -> None:
    made = [model.Resource(kind, name, True) for kind, name in (("vpc", "b"), ("eks_addon", "c"), ("vpc", "a"), ("eks_cluster", "z"))]
    assert [each.id for each in model.in_order(made)] == ["z", "c", "a", "b"]


def test_interfaces_are_those_of_the_details() -> None:
    assert model.Resource("nat_gateway", "nat-1", True, details={"network_interface_ids": ["eni-1"]}).interfaces == ["eni-1"]
    assert list(model.Resource("vpc", "vpc-1", True).interfaces) == []


def failing(code: str) -> t.Callable[[], t.NoReturn]:
    def read() -> t.NoReturn:
        raise AwsError(message="no", exception=ClientError({"Error": {"Code": code, "Message": "no"}}, "Describe"))

    return read


def test_only_the_given_codes_mean_that_a_resource_was_removed() -> None:
    assert model.unless_gone(lambda: 1, "Gone") == 1
    assert model.unless_gone(failing("Gone"), "Absent", "Gone") is None
    with pytest.raises(AwsError):
        model.unless_gone(failing("Throttling"), "Gone")


def test_the_documentation_has_the_details_of_each_kind() -> None:
    """In the order of the kinds."""
    lines = yaml.safe_load(RETURN)["resources"]["contains"]["details"]["description"][1:]
    documented = {}
    for line in lines:
        kind, _dash, rest = line.partition(" - ")
        documented[kind] = re.findall(r"C\(([a-z_]+)\)", rest)
    assert list(documented) == [f"C({kind})" for kind in model.DETAILS]
    for kind, names in model.DETAILS.items():
        extra = ["id", "name", "version"] if kind == "eks_nodegroup" else []
        assert sorted([*names, *extra]) == sorted(documented[f"C({kind})"]), kind
