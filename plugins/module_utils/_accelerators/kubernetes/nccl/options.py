# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``nccl_jobs``."""

from __future__ import annotations

import re
import typing as t

from ...._core.checks import check_id, check_length, check_number, check_unique
from ...._core.failure import Refused, refuse_option
from ...._kubernetes.names import IMAGE, IMAGE_ALLOWED, OBJECT, OBJECT_ALLOWED
from ...._kubernetes.namespace import check_name
from ...node.nccl.model import Desired as Test
from ...node.nccl.options import MOST_NODES, RANGES, SPEC as OF_TEST, check_ranges
from ...node.nccl.references import usual_bytes
from .model import Desired

OF_BOTH = ("instance_type", "gpus", "bytes", "efa", "reference", "floor_percent", "timeout")
SPEC: dict[str, dict[str, t.Any]] = {
    "instance_ids": {"type": "list", "elements": "str", "required": True},
    "nodes": {"type": "list", "elements": "str", "default": []},
    "image": {"type": "str", "required": True},
    "namespace": {"type": "str", "default": "mlfleet-hyperpod"},
    **{name: OF_TEST[name] for name in OF_BOTH},
    "queue_timeout": OF_TEST["queue_timeout"],
    "start_timeout": {"type": "int", "default": 900},
}


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    if not re.fullmatch(IMAGE, check_length("image", params["image"], 255)):
        refuse_option("image", params["image"], IMAGE_ALLOWED)
    check_name(params["namespace"])
    check_ranges(params, [name for name in RANGES if name in SPEC])
    ids = tuple(check_id("instance_ids", each, "i") for each in params["instance_ids"])
    check_unique("instance_ids", ids)
    if len(ids) < 2:
        text = f"instance_ids: too few nodes ({len(ids)}), because a test between nodes requires at least two."
        raise Refused(text, option="instance_ids")
    if len(ids) > MOST_NODES:
        refuse_option("instance_ids", f"{len(ids)} nodes", f"at most {MOST_NODES}")
    given = {name: params[name] for name in OF_BOTH if name != "bytes"}
    return Desired(
        test=Test(addresses=ids, bytes=params["bytes"] or usual_bytes(params["instance_type"]), mpi="", **given),
        image=params["image"],
        namespace=params["namespace"],
        queue_timeout=params["queue_timeout"],
        start_timeout=check_number("start_timeout", params["start_timeout"], 10, 3600),
        names=_names(params.get("nodes") or (), len(ids)),
    )


def _names(names: t.Sequence[str], count: int) -> tuple[str, ...]:
    for each in names:
        if not re.fullmatch(OBJECT, each):
            refuse_option("nodes", each, OBJECT_ALLOWED)
    check_unique("nodes", names)
    if names and len(names) != count:
        refuse_option("nodes", f"{len(names)} names", f"{count} names, one for each of instance_ids")
    return tuple(names)
