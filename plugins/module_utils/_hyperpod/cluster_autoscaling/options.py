# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired autoscaler from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.arn import ClusterArn
from ..._core.failure import Refused, refuse_option
from ..cluster.parts import ROLE, ROLE_ALLOWED
from .model import Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    arn, role, present = ClusterArn.parse(params["cluster_arn"]).text, params["cluster_role"], params["state"] == "present"
    if present and role is None:
        raise Refused("cluster_role: missing; state=present requires an IAM role for the autoscaler.", option="cluster_role")
    if role is not None and not re.fullmatch(ROLE, role):
        refuse_option("cluster_role", role, ROLE_ALLOWED)
    return Desired(cluster_arn=arn, present=present, role=role or "", replace_role=params["replace_role"])
