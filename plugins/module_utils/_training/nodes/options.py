# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Checks the options of ``training_node_info``."""

from __future__ import annotations

import re
import typing as t

from ..._core.checks import check_number, check_unique
from ..._core.failure import refuse_option
from ..._kubernetes.names import IMAGE, IMAGE_ALLOWED, INSTANCE_TYPE, INSTANCE_TYPE_ALLOWED, OBJECT, OBJECT_ALLOWED
from ..job.options import MOST_NODES, OF_JOB
from .model import Desired

SPEC: dict[str, dict[str, t.Any]] = {
    "nodes": {"type": "list", "elements": "str", "required": True},
    "instance_type": {"type": "str", "required": True},
    "gpus": {"type": "int", "required": True},
    "efa_devices": {"type": "int", "default": 0},
    "images": {"type": "list", "elements": "str", "default": []},
    "idle": {"type": "bool", "default": False},
}
MOST_EFA = 64


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    nodes = tuple(params["nodes"])
    if not 1 <= len(nodes) <= MOST_NODES:
        refuse_option("nodes", f"{len(nodes)} nodes", f"1 to {MOST_NODES}")
    for each in nodes:
        if not re.fullmatch(OBJECT, each):
            refuse_option("nodes", each, OBJECT_ALLOWED)
    check_unique("nodes", nodes)
    if not re.fullmatch(INSTANCE_TYPE, params["instance_type"]):
        refuse_option("instance_type", params["instance_type"], INSTANCE_TYPE_ALLOWED)
    check_number("gpus", params["gpus"], *OF_JOB["gpus"])
    check_number("efa_devices", params["efa_devices"], 0, MOST_EFA)
    images = tuple(params["images"])
    for each in images:
        if not re.fullmatch(IMAGE, each):
            refuse_option("images", each, IMAGE_ALLOWED)
    check_unique("images", images)
    return Desired(nodes, params["instance_type"], params["gpus"], params["efa_devices"], images, params["idle"])
