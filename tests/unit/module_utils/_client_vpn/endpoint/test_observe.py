# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of an endpoint that are changing state, described in words."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.model import Endpoint, Network, Route, Rule
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._client_vpn.endpoint.observe import under_way

CALM = Endpoint("cvpn-endpoint-1", "available", "", "vpc-1")


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ({}, ""),
        ({"status": "pending-associate"}, ""),
        ({"status": "pending"}, "the endpoint pending"),
        ({"status": "deleting"}, "the endpoint deleting"),
        ({"networks": (Network("a", "subnet-1", "associated"),)}, ""),
        ({"networks": (Network("a", "subnet-1", "associating"),)}, "target network subnet-1 associating"),
        ({"networks": (Network("a", "subnet-1", "disassociating"),)}, "target network subnet-1 disassociating"),
        ({"rules": (Rule("10.1.0.0/16", status="authorizing"),)}, "authorizing"),
        ({"rules": (Rule("10.1.0.0/16", status="revoking"),)}, "revoking"),
        ({"rules": (Rule("10.1.0.0/16"),)}, ""),
        ({"routes": (Route("10.2.0.0/16", "subnet-1", status="creating"),)}, "creating"),
        ({"routes": (Route("10.2.0.0/16", "subnet-1", status="deleting"),)}, "deleting"),
        ({"routes": (Route("10.2.0.0/16", "subnet-1"),)}, ""),
    ],
)
def test_a_changing_part_is_described(part, words):
    described = under_way(dataclasses.replace(CALM, **part))
    assert len(described) == bool(words) and words in "".join(described)
