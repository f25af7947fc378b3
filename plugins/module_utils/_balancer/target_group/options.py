# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired target group from a module\'s options."""

from __future__ import annotations

import typing as t

from ..._aws.tags import desired_tags
from ..._core import fields
from ..._core.checks import check_id
from ..names import check_name
from .model import ATTRIBUTES, HEALTH_CHECK, PROPERTIES, Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    if params["vpc_id"] is not None:
        check_id("vpc_id", params["vpc_id"], "vpc")
    return Desired(
        name=check_name("name", params["name"]),
        present=params["state"] == "present",
        properties=fields.desired(PROPERTIES, params, within=""),
        health_check=fields.desired(HEALTH_CHECK, params["health_check"], within="health_check"),
        attributes=fields.desired(ATTRIBUTES, params["attributes"], within="attributes"),
        tags=desired_tags(params["tags"], cluster_arn=params["cluster_arn"]),
        purge_tags=params["purge_tags"],
        cluster_arn=params["cluster_arn"],
        adopt=params["adopt"],
    )
