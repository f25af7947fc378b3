# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the requested proof from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.arn import ClusterArn
from ..._core.checks import check_length, check_number
from ..._core.failure import refuse_option
from ..._core.waits import Progress
from ..._hyperpod.cluster.parts import INSTANCE_TYPE, INSTANCE_TYPE_ALLOWED
from ..._kubernetes.names import IMAGE, IMAGE_ALLOWED, NAMESPACE, NAMESPACE_ALLOWED, OF_TEAMS
from .model import Desired

_POOL = r"[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?"
"""At most 63 characters instead of 253, because the pool's name is also the value of a label."""
LONGEST = 86400
"""The maximum of each timeout, in seconds."""


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    namespace, image = params["namespace"], check_length("image", params["image"], 255)
    if not re.fullmatch(_POOL, params["node_pool"]):
        allowed = "the name of a NodePool: at most 63 lower-case letters, digits, hyphens and dots"
        refuse_option("node_pool", params["node_pool"], allowed)
    if params["instance_type"] is not None and not re.fullmatch(INSTANCE_TYPE, params["instance_type"]):
        refuse_option("instance_type", params["instance_type"], INSTANCE_TYPE_ALLOWED)
    if not re.fullmatch(NAMESPACE, namespace):
        refuse_option("namespace", namespace, NAMESPACE_ALLOWED)
    if namespace.startswith(OF_TEAMS):
        refuse_namespace(namespace)
    if not re.fullmatch(IMAGE, image):
        refuse_option("image", image, IMAGE_ALLOWED)
    return Desired(
        cluster_arn=ClusterArn.parse(params["cluster_arn"]).text,
        node_pool=params["node_pool"],
        instance_type=params["instance_type"] or "",
        namespace=namespace,
        image=image,
        up_seconds=check_number("up_timeout", params["up_timeout"], 1, LONGEST),
        down_seconds=check_number("down_timeout", params["down_timeout"], 1, LONGEST),
        interval=check_number("poll_interval", params["poll_interval"], 1, 300),
    )


def progress(params: t.Mapping[str, t.Any]) -> Progress:
    return Progress(params["_progress_file"])


def refuse_namespace(namespace: str) -> t.NoReturn:
    why = "task governance manages the namespace, and AWS denies Pods there that are not in a queue"
    refuse_option("namespace", namespace, "a namespace that belongs to no team", why)
