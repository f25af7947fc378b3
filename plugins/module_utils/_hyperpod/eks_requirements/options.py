# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the EKS cluster and the subnets from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.checks import check_id
from ..._core.failure import refuse_option

_ARN = re.compile(r"arn:aws[a-z-]*:eks:(?P<region>[a-z0-9-]+):\d{12}:cluster/(?P<name>[0-9A-Za-z][A-Za-z0-9_-]{0,99})")


def cluster_name(params: t.Mapping[str, t.Any], *, region: str | None) -> str:
    """The name of the EKS cluster.

    :raises Refused: for the ARN of a different kind of resource, and for an ARN in a different Region.
    """
    arn = params["eks_cluster_arn"]
    match = _ARN.fullmatch(arn)
    if match is None:
        refuse_option("eks_cluster_arn", arn, "the ARN of an EKS cluster")
    if match["region"] != region:
        refuse_option("eks_cluster_arn", arn, f"an EKS cluster in {region}", "it is in a different Region")
    return match["name"]


def subnets(params: t.Mapping[str, t.Any]) -> list[str]:
    """:raises Refused: for an empty list and for an invalid ID."""
    if not params["subnets"]:
        refuse_option("subnets", params["subnets"], "at least one ID")
    return [check_id("subnets", each, "subnet") for each in params["subnets"]]
