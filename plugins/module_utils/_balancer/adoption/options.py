# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the description of the resources to adopt from a module's options."""

from __future__ import annotations

import typing as t

from ..._aws.tags import desired_tags
from ..._core.checks import check_port
from ..names import check_reference
from .model import Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    return Desired(
        load_balancer=check_reference("load_balancer", params["load_balancer"]),
        target_group=check_reference("target_group", params["target_group"]),
        cluster_arn=params["cluster_arn"],
        present=params["state"] == "present",
        port=check_port("port", params["port"]),
        scheme=params["scheme"],
        tags=desired_tags(params["tags"], cluster_arn=params["cluster_arn"]) or {},
    )
