# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad options are refused with option, value and what is allowed; the documentation says what the tables say."""

from __future__ import annotations

import copy

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.load_balancer import (
    model as load_balancer_model,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.security_group_rule import (
    plan as security_group_rule,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.target_group import (
    model as target_group_model,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets import model as targets_model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.modules import (
    login_targets,
    network_load_balancer,
    target_group,
)
from ansible_collections.mlfleet.hyperpod.plugins.modules import (
    security_group_rule as rule_module,
)

OWNER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
GROUP = "sg-0123456789abcdef0"
SUBNET = "subnet-0123456789abcdef0"
LISTENER = {"port": 22, "tcp_idle_timeout": None, "target_group_name": "tg", "target_group_arn": None}


def defaults(module) -> dict:
    return {option: copy.copy(spec.get("default")) for option, spec in module.ARGUMENTS.items()}


def mapping(subnet: str, address: str | None = None) -> dict:
    return {"subnet_id": subnet, "private_ipv4_address": address}


BALANCER = [
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
TARGET_GROUP = [
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
TARGETS = [
    ({"target_group": "a b"}, "target_group", "a b"),
    ({"port": 70000}, "port", "65535"),
    ({"minimum_healthy": -1}, "minimum_healthy", "0 or more"),
    ({"verified": ["ml-1"]}, "verified", "i-"),
    ({"drained": ["10.1.1.1"]}, "drained", "i-"),
    ({"cluster_arn": "ml"}, "cluster_arn", "arn:aws"),
]
RULE = [
    ({"group_id": "x"}, "group_id", "sg-"),
    ({"group_id": None, "group_name": "x"}, "group_name", "vpc_id"),
    ({"group_id": None, "group_name": "x", "vpc_id": "v"}, "vpc_id", "vpc-"),
    ({"from_port": 0}, "from_port", "65535"),
    ({"from_port": None}, "from_port", "65535"),
    ({"to_port": 21}, "to_port", "22"),
    ({"to_port": 65536}, "to_port", "65535"),
    ({"protocol": "all"}, "from_port", "no ports"),
    ({"cidr": "10.1.1.1/16"}, "cidr", "prefix"),
    ({"cidr": "everyone"}, "cidr", "network"),
    ({"description": "x" * 256}, "description", "255"),
    ({"cluster_arn": "ml"}, "cluster_arn", "arn:aws"),
]


def refused(desired, params: dict, option: str, words: str) -> None:
    with pytest.raises(Refused) as caught:
        desired.from_params(params)
    assert str(caught.value).startswith(option)
    assert words in str(caught.value)


@pytest.mark.parametrize(("bad", "option", "words"), BALANCER)
def test_load_balancer(bad, option, words):
    params = {**defaults(network_load_balancer), "name": "lb", **bad}
    names = ("subnets", "subnet_mappings")
    assert not all(params[name] for name in names)
    with pytest.raises(Refused) as caught:
        load_balancer_model.Desired.from_params(params)
    assert option in str(caught.value).partition(":")[0] and words in str(caught.value)


@pytest.mark.parametrize(("bad", "option", "words"), TARGET_GROUP)
def test_target_group(bad, option, words):
    refused(target_group_model.Desired, {**defaults(target_group), "name": "tg", **bad}, option, words)


@pytest.mark.parametrize(("bad", "option", "words"), TARGETS)
def test_login_targets(bad, option, words):
    refused(targets_model.Desired, {**defaults(login_targets), "target_group": "tg", **bad}, option, words)


@pytest.mark.parametrize(("bad", "option", "words"), RULE)
def test_security_group_rule(bad, option, words):
    good = {"group_id": GROUP, "from_port": 22, "cidr": "10.1.0.0/16", "cluster_arn": OWNER}
    security_group_rule.Desired.from_params({**defaults(rule_module), **good})
    refused(security_group_rule.Desired, {**defaults(rule_module), **good, **bad}, option, words)


@pytest.mark.parametrize(
    ("module", "path", "table"),
    [
        (target_group, (), target_group_model.PROPERTIES),
        (target_group, ("health_check",), target_group_model.HEALTH_CHECK),
        (target_group, ("attributes",), target_group_model.ATTRIBUTES),
        (network_load_balancer, ("attributes",), load_balancer_model.ATTRIBUTES),
        (network_load_balancer, (), load_balancer_model.PROTECTION),
    ],
)
def test_documentation_follows_the_table(module, path, table):
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    for name in path:
        options = options[name]["suboptions"]
        assert set(options) == {field.option for field in table}
    for field in table:
        documented = options[field.option]
        text = " ".join(documented["description"])
        assert documented["type"] == field.type
        assert tuple(documented.get("choices", ())) == field.choices
        assert field.about in text
        for bound in (field.low, field.high, field.word):
            assert bound is None or str(bound) in text


@pytest.mark.parametrize("module", [login_targets, network_load_balancer, rule_module, target_group])
def test_every_option_is_documented_as_it_is(module):
    options = yaml.safe_load(module.DOCUMENTATION)["options"]
    assert set(options) == set(module.ARGUMENTS)
    for option, spec in module.ARGUMENTS.items():
        for key in ("type", "default", "choices", "elements", "aliases"):
            assert options[option].get(key) == spec.get(key), f"{option}: {key}"
        assert bool(options[option].get("required")) is bool(spec.get("required"))


@pytest.mark.parametrize(
    ("key", "readable"),
    [
        ("ml", "ml-"),
        ("prod_west.2", "prod-west-2-"),
        ("a-very-long-cluster-key", "a-very-long-clus-"),
        ("fifteen-letters-", "fifteen-letters-"),
        ("___", ""),
    ],
)
def test_names_fit_and_are_allowed(key, readable):
    name = model.balancer_name(key, OWNER)
    assert name.startswith("hp-" + readable) and len(name) <= 28
    assert model.check_name("name", name) == name
    assert model.security_group_name(key, OWNER) == "mlfleet-hyperpod-" + name[3:]


def test_names_differ_by_arn():
    assert model.balancer_name("ml", OWNER) != model.balancer_name("ml", OWNER.replace("111111111111", "222222222222"))
