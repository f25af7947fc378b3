# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags of a new endpoint, and how its parts are returned."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.model import Network, Route, Rule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.identity import identity_tags

VPC = "vpc-0123456789abcdef0"


def test_a_new_endpoint_has_identifying_tags_and_a_console_name():
    assert model.own_tags(VPC) == {"Name": f"mlfleet-client-vpn-{VPC}", **identity_tags(VPC)}
    assert len(identity_tags(VPC)) > 0 and model.resource_name(VPC) == f"client VPN endpoint of {VPC}"


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (
            Network("cvpn-assoc-1", "subnet-1", "associated"),
            {"association_id": "cvpn-assoc-1", "subnet_id": "subnet-1", "status": "associated"},
        ),
        (Rule("10.1.0.0/16"), {"cidr": "10.1.0.0/16", "group": None, "description": "", "status": "active"}),
        (
            Rule("10.1.0.0/16", "S-1-5", "one"),
            {"cidr": "10.1.0.0/16", "group": "S-1-5", "description": "one", "status": "active"},
        ),
        (
            Route("10.9.0.0/16", "subnet-1", "two"),
            {"cidr": "10.9.0.0/16", "subnet": "subnet-1", "description": "two", "origin": "add-route", "status": "active"},
        ),
    ],
)
def test_a_part_is_returned_under_the_option_names(part, expected):
    assert part.to_result() == expected
