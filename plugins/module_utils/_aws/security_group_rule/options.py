# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Converts a module's options to the desired rule, and refuses invalid ones."""

from __future__ import annotations

import typing as t

from ..._core.checks import check_id, check_length, check_network, check_port
from ..._core.failure import refuse_option
from ..tags import desired_tags
from .model import ALL_PROTOCOLS, Desired, GroupReference

Params = t.Mapping[str, t.Any]

_DESCRIPTION_LENGTH = 255


def desired(params: Params) -> Desired:
    """:raises Refused: for the first invalid option."""
    protocol = ALL_PROTOCOLS if params["protocol"] == "all" else params["protocol"]
    from_port, to_port = _ports(protocol, params["from_port"], params["to_port"])
    source = None
    if params["source_group_id"] is not None or params["source_group_name"] is not None:
        source = _group(params, "source_group_id", "source_group_name")
    if params["description"] is not None:
        check_length("description", params["description"], _DESCRIPTION_LENGTH)
    return Desired(
        present=params["state"] == "present",
        group=_group(params, "group_id", "group_name"),
        egress=params["direction"] == "egress",
        protocol=protocol,
        from_port=from_port,
        to_port=to_port,
        cidr=None if params["cidr"] is None else check_network("cidr", params["cidr"]),
        source=source,
        description=params["description"],
        tags=desired_tags(params["tags"], cluster_arn=params["cluster_arn"]) or {},
        cluster_arn=params["cluster_arn"],
    )


def _group(params: Params, id_option: str, name_option: str) -> GroupReference:
    if params[id_option] is not None:
        return GroupReference(id=check_id(id_option, params[id_option], "sg"))
    if params["vpc_id"] is None:
        refuse_option(name_option, params[name_option], "a name together with vpc_id", "a name is unique only within a VPC")
    return GroupReference(name=params[name_option], vpc_id=check_id("vpc_id", params["vpc_id"], "vpc"))


def _ports(protocol: str, from_port: int | None, to_port: int | None) -> tuple[int, int]:
    if protocol == ALL_PROTOCOLS:
        for option, port in (("from_port", from_port), ("to_port", to_port)):
            if port is not None:
                refuse_option(option, port, "no ports with protocol all")
        return -1, -1
    if from_port is None:
        refuse_option("from_port", None, "1 to 65535", f"protocol {protocol} requires a port")
    check_port("from_port", from_port)
    if to_port is None:
        return from_port, from_port
    if check_port("to_port", to_port) < from_port:
        refuse_option("to_port", to_port, f"{from_port} (from_port) to 65535")
    return from_port, to_port
