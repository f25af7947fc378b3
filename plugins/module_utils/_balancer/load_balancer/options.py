# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired load balancer from a module\'s options."""

from __future__ import annotations

import typing as t

from ..._aws.tags import desired_tags
from ..._core import fields
from ..._core.checks import check_id, check_ipv4, check_number, check_port, check_unique
from ..._core.failure import refuse_option
from ..._core.plan import KNOWN_AFTER_APPLY
from ..names import check_name
from .model import ATTRIBUTES, PROTECTION, Desired, DesiredListener, SubnetMapping

Params = t.Mapping[str, t.Any]


def desired(params: Params) -> Desired:
    """:raises Refused: for the first invalid option."""
    attributes = fields.desired(ATTRIBUTES, params["attributes"], within="attributes")
    return Desired(
        name=check_name("name", params["name"]),
        present=params["state"] == "present",
        scheme=params["scheme"],
        subnets=_subnets(params),
        purge_subnets=params["purge_subnets"],
        security_groups=_security_groups(params["security_groups"]),
        purge_security_groups=params["purge_security_groups"],
        listeners=_listeners(params["listeners"]),
        purge_listeners=params["purge_listeners"],
        attributes={**attributes, **fields.desired(PROTECTION, params, within="")},
        tags=desired_tags(params["tags"], cluster_arn=params["cluster_arn"]),
        purge_tags=params["purge_tags"],
        cluster_arn=params["cluster_arn"],
        adopt=params["adopt"],
        force_delete=params["force_delete"],
    )


def _subnets(params: Params) -> tuple[SubnetMapping, ...] | None:
    if params["subnets"] is not None:
        mappings = [SubnetMapping(check_id("subnets", each, "subnet")) for each in params["subnets"]]
        option = "subnets"
    elif params["subnet_mappings"] is not None:
        mappings = [_mapping(each) for each in params["subnet_mappings"]]
        option = "subnet_mappings"
    else:
        return None
    if not mappings:
        refuse_option(option, [], "at least one subnet")
    check_unique(option, (mapping.subnet_id for mapping in mappings))
    addresses = [mapping.private_ipv4_address for mapping in mappings if mapping.private_ipv4_address]
    check_unique("subnet_mappings.private_ipv4_address", addresses)
    return tuple(mappings)


def _mapping(given: Params) -> SubnetMapping:
    address = given["private_ipv4_address"]
    if address is not None:
        address = check_ipv4("subnet_mappings.private_ipv4_address", address)
    return SubnetMapping(check_id("subnet_mappings.subnet_id", given["subnet_id"], "subnet"), address)


def _security_groups(given: list[str] | None) -> tuple[str, ...] | None:
    if given is None:
        return None
    if not given:
        why = "a load balancer that was created without security groups can never get any"
        refuse_option("security_groups", [], "at least one security group", why)
    check_unique("security_groups", given)
    # In check mode, a play may name a security group that it would create first.
    return tuple(
        sorted(each if each == KNOWN_AFTER_APPLY else check_id("security_groups", each, "sg") for each in given)
    )


def _listeners(given: list[Params] | None) -> tuple[DesiredListener, ...] | None:
    if given is None:
        return None
    listeners = tuple(_listener(each) for each in given)
    check_unique("listeners.port", (listener.port for listener in listeners))
    return listeners


def _listener(given: Params) -> DesiredListener:
    port = check_port("listeners.port", given["port"])
    timeout = given["tcp_idle_timeout"]
    if timeout is not None:
        check_number("listeners.tcp_idle_timeout", timeout, 60, 6000)
    if given["target_group_name"] is not None:
        check_name("listeners.target_group_name", given["target_group_name"])
    target_group = given["target_group_arn"] or given["target_group_name"]
    if not target_group:
        refuse_option("listeners", port, "ports with target_group_name or target_group_arn", "this port has no target group")
    return DesiredListener(port, target_group, timeout)
