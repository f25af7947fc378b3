# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired changes of nodes from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.arn import ClusterArn
from ..._core.checks import check_number, check_unique
from ..._core.failure import Refused, refuse_option
from ..model import INSTANCE_ID, INSTANCE_ID_ALLOWED, check_node_types
from .model import API, BY_WORDS, VERBS, Addition, Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    state, ids, groups = params["state"], params["node_ids"], params["instance_groups"]
    adds = state == "added"
    option, other = ("instance_groups", "node_ids") if adds else ("node_ids", "instance_groups")
    if not params[option]:
        raise Refused(f"{option}: missing; state: {state} requires it.", option=option)
    if params[other]:
        refuse_option(other, params[other], f"no value with state: {state}")
    if params["route"] != API and state not in BY_WORDS:
        refuse_option("route", params["route"], f"{API} with state: {state}")
    for node_id in ids or ():
        if not re.fullmatch(INSTANCE_ID, node_id):
            refuse_option("node_ids", node_id, INSTANCE_ID_ALLOWED)
    check_unique("node_ids", ids or ())
    additions = tuple(_addition(group) for group in groups or ())
    check_unique("instance_groups", [each.group for each in additions])
    return Desired(
        cluster_arn=ClusterArn.parse(params["cluster_arn"]).text,
        state=state,
        node_ids=tuple(ids or ()),
        additions=additions,
        node_types=check_node_types(params["node_types"]),
        route=params["route"],
    )


def _addition(group: t.Mapping[str, t.Any]) -> Addition:
    """The addition. ``count`` is limited to the number of nodes that AWS adds to a group in one call."""
    place = f"instance_groups.{group['name']}"
    return Addition(
        group["name"],
        check_number(f"{place}.count", group["count"], 1, VERBS["added"].most),
        tuple(group["availability_zones"] or ()),
        tuple(group["instance_types"] or ()),
    )
