# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired targets from a module\'s options."""

from __future__ import annotations

import typing as t

from ..._core.arn import ClusterArn
from ..._core.checks import check_id, check_port
from ..._core.failure import refuse_option
from ..names import check_reference
from .model import Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    if params["cluster_arn"] is not None:
        ClusterArn.parse(params["cluster_arn"])
    check_reference("target_group", params["target_group"])
    if params["minimum_healthy"] < 0:
        refuse_option("minimum_healthy", params["minimum_healthy"], "0 or more")
    return Desired(
        target_group=params["target_group"],
        present=params["state"] == "present",
        cluster_arn=params["cluster_arn"],
        group=params["group"],
        node_types=params["node_types"] or {},
        verified=_instance_ids("verified", params["verified"]),
        drained=_instance_ids("drained", params["drained"]),
        failed=_instance_ids("failed", params["failed"]),
        port=22 if params["port"] is None else check_port("port", params["port"]),
        minimum_healthy=params["minimum_healthy"],
        phase=params["phase"],
    )


def _instance_ids(option: str, given: t.Sequence[str]) -> frozenset[str]:
    return frozenset(check_id(option, value, "i") for value in given)
