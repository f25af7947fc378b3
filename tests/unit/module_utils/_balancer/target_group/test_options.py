# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad options of target_group are refused with option, value and what is allowed."""

from __future__ import annotations

import copy

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.modules import target_group

BAD = [
    ({"port": 0}, "port", "65535"),
    ({"vpc_id": "vpc"}, "vpc_id", "vpc-"),
    ({"health_check": {"port": "ssh"}}, "health_check.port", "traffic-port"),
    ({"health_check": {"port": "65536"}}, "health_check.port", "65535"),
    ({"health_check": {"interval": 4}}, "health_check.interval", "5 to 300"),
    ({"health_check": {"interval": 301}}, "health_check.interval", "5 to 300"),
    ({"health_check": {"timeout": 121}}, "health_check.timeout", "2 to 120"),
    ({"health_check": {"healthy_threshold": 1}}, "health_check.healthy_threshold", "2 to 10"),
    ({"health_check": {"unhealthy_threshold": 11}}, "health_check.unhealthy_threshold", "2 to 10"),
    ({"attributes": {"deregistration_delay": 3601}}, "attributes.deregistration_delay", "0 to 3600"),
    ({"attributes": {"deregistration_delay": -1}}, "attributes.deregistration_delay", "0 to 3600"),
    ({"attributes": {"unhealthy_draining_interval": 360001}}, "attributes.unhealthy_draining_interval", "360000"),
    ({"attributes": {"dns_failover_minimum_percentage": "101"}}, "attributes.dns_failover", "off"),
    ({"attributes": {"dns_failover_minimum_count": "none"}}, "attributes.dns_failover_minimum_count", "off"),
    ({"attributes": {"unhealthy_routing_minimum_count": 0}}, "attributes.unhealthy_routing", "1 or more"),
]


@pytest.mark.parametrize(("bad", "option", "words"), BAD)
def test_invalid_options_are_refused(bad, option, words):
    params = {option: copy.copy(spec.get("default")) for option, spec in target_group.SPEC.items()}
    params.update(name="tg")
    options.desired(params)
    with pytest.raises(Refused) as caught:
        options.desired({**params, **bad})
    assert str(caught.value).startswith(option) and words in str(caught.value)
