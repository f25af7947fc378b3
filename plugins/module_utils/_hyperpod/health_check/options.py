# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the requested checks from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.checks import check_unique
from ..._core.failure import Refused, refuse_option
from ..model import INSTANCE_ID, INSTANCE_ID_ALLOWED
from .model import Check

_MOST_GROUPS, _MOST_NODES = 99, 500


def checks(params: t.Mapping[str, t.Any]) -> tuple[Check, ...]:
    """:raises Refused: for the first invalid option."""
    groups = params["instance_groups"]
    if not groups:
        raise Refused("instance_groups: missing; the module requires the groups to check.", option="instance_groups")
    if len(groups) > _MOST_GROUPS:
        refuse_option("instance_groups", len(groups), f"at most {_MOST_GROUPS} groups")
    check_unique("instance_groups", [group["name"] for group in groups])
    return tuple(_check(group) for group in groups)


def _check(group: t.Mapping[str, t.Any]) -> Check:
    place, ids = f"instance_groups.{group['name']}", group["node_ids"] or ()
    if not group["checks"]:
        refuse_option(f"{place}.checks", [], "at least one check")
    if len(ids) > _MOST_NODES:
        refuse_option(f"{place}.node_ids", len(ids), f"at most {_MOST_NODES} nodes")
    for node_id in ids:
        if not re.fullmatch(INSTANCE_ID, node_id):
            refuse_option(f"{place}.node_ids", node_id, INSTANCE_ID_ALLOWED)
    return Check(group["name"], tuple(group["checks"]), tuple(ids))
