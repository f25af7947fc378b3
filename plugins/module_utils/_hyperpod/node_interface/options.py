# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired attachment from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.arn import ClusterArn
from ..._core.failure import refuse_option
from ..model import INSTANCE_ID
from .model import Desired

INTERFACE_ID = r"eni-[0-9a-f]{8}(?:[0-9a-f]{9})?"


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    node_id, interface_id = params["node_id"], params["network_interface_id"]
    if not re.fullmatch(INSTANCE_ID, node_id):
        refuse_option("node_id", node_id, "an instance ID such as i-0123456789abcdef0")
    if not re.fullmatch(INTERFACE_ID, interface_id):
        refuse_option("network_interface_id", interface_id, "an interface ID such as eni-0123456789abcdef0")
    return Desired(ClusterArn.parse(params["cluster_arn"]).text, node_id, interface_id)
