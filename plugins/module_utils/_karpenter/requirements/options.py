# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the request from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.arn import ClusterArn
from ..._core.checks import check_unique
from ..._core.failure import Refused, refuse_option
from .model import Requested, Trigger

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_GROUP = re.compile(r"[A-Za-z0-9](-*[A-Za-z0-9]){0,62}")


def asked(params: t.Mapping[str, t.Any]) -> Requested:
    """:raises Refused: for the first invalid option."""
    arn, name, groups = ClusterArn.parse(params["cluster_arn"]).text, params["node_class"], params["instance_groups"]
    if not _NAME.fullmatch(name):
        refuse_option("node_class", name, "a Kubernetes name: at most 253 lower-case letters, digits, hyphens and dots")
    if not groups:
        raise Refused("instance_groups: missing; list at least one group.", option="instance_groups")
    for group in groups:
        if not _GROUP.fullmatch(group):
            refuse_option("instance_groups", group, "the name of an instance group: at most 63 letters, digits and hyphens")
    check_unique("instance_groups", groups)
    triggers = tuple(Trigger(each["type"], each["authenticated"]) for each in params["keda_triggers"])
    return Requested(arn, name, tuple(groups), triggers)
