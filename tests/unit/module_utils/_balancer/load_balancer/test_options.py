# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad options of network_load_balancer are refused with option, value and what is allowed."""

from __future__ import annotations

import copy

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.modules import network_load_balancer

SUBNET = "subnet-0123456789abcdef0"
LISTENER = {"port": 22, "tcp_idle_timeout": None, "target_group_name": "tg", "target_group_arn": None}


def mapping(subnet: str, address: str | None = None) -> dict:
    return {"subnet_id": subnet, "private_ipv4_address": address}


BAD = [
    ({"name": "under_score"}, "name", "under_score"),
    ({"name": "internal-x"}, "name", "internal-x"),
    ({"name": "-x"}, "name", "-x"),
    ({"name": "x" * 33}, "name", "32"),
    ({"subnets": []}, "subnets", "at least one"),
    ({"subnets": ["subnet-1"]}, "subnets", "subnet-1"),
    ({"subnets": [SUBNET, SUBNET]}, "subnets", "once"),
    ({"subnet_mappings": [mapping("vpc-0123456789abcdef0")]}, "subnet_mappings.subnet_id", "subnet-"),
    ({"subnet_mappings": [mapping(SUBNET, "10.1.1")]}, "private_ipv4_address", "IPv4"),
    ({"security_groups": []}, "security_groups", "never"),
    ({"security_groups": ["default"]}, "security_groups", "sg-"),
    ({"listeners": [{**LISTENER, "port": 0}]}, "listeners.port", "65535"),
    ({"listeners": [{**LISTENER, "port": 65536}]}, "listeners.port", "65535"),
    ({"listeners": [LISTENER, LISTENER]}, "listeners.port", "once"),
    ({"listeners": [{**LISTENER, "tcp_idle_timeout": 59}]}, "listeners.tcp_idle_timeout", "60 to 6000"),
    ({"listeners": [{**LISTENER, "tcp_idle_timeout": 6001}]}, "listeners.tcp_idle_timeout", "60 to 6000"),
    ({"listeners": [{**LISTENER, "target_group_name": "a_b"}]}, "listeners.target_group_name", "a_b"),
    ({"tags": {"aws:x": "1"}}, "tags", "aws:"),
    ({"tags": {"a": "x" * 257}}, "tags.a", "256"),
    ({"tags": {str(number): "" for number in range(51)}}, "tags", "50"),
    ({"cluster_arn": "ml"}, "cluster_arn", "arn:aws"),
]


@pytest.mark.parametrize(("bad", "option", "words"), BAD)
def test_invalid_options_are_refused(bad, option, words):
    params = {option: copy.copy(spec.get("default")) for option, spec in network_load_balancer.SPEC.items()}
    params.update(name="lb")
    options.desired(params)
    with pytest.raises(Refused) as caught:
        options.desired({**params, **bad})
    assert option in str(caught.value).partition(":")[0] and words in str(caught.value)
