# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NAT gateways that EC2 is deleting."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import leaving

from .given import resource, variables

LEAVING = resource("nat_gateway", "ml", status="deleting")
REMOVES, CREATES = ("its address, its subnet and the VPC were not removed", "no new NAT gateway was created")


def test_only_gateways_that_ec2_is_deleting_are_waited_for() -> None:
    found = leaving.leaving(variables(LEAVING, resource("vpc", "ml"), wait_timeout=60))
    assert found == leaving.Leaving(["nat_gateway-1"], 13)
    assert leaving.leaving(variables(resource("nat_gateway", "ml", status="deleted"))).nat_gateways == []


@pytest.mark.parametrize(("state", "result"), [("absent", REMOVES), ("present", CREATES)])
@pytest.mark.parametrize(
    ("read", "text"),
    [
        ({"result": [{"nat_gateway_id": "nat-1"}], "failed": True}, "EC2 is still deleting NAT gateway nat-1 after 3600 s"),
        ({"msg": "no\x1b", "failed": True}, "NAT gateway nat_gateway-1 could not be read (no?)"),
        ({"result": [], "failed": False}, ""),
    ],
)
def test_a_gateway_that_is_not_deleted_in_time_is_a_failure(read: dict[str, t.Any], text: str, state: str, result: str) -> None:
    found = leaving.still_leaving(variables(LEAVING, state=state, __training_cluster_leaving_gateways=read))
    expected = [("failure", f"{text}, so {result}. Run training_cluster again later; it continues.")] if text else []
    assert [(each["kind"], each["text"]) for each in found] == expected
