# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the request from the module's options."""

from __future__ import annotations

import re
import typing as t

from ..._core.arn import ClusterArn
from ..._core.checks import check_unique
from ..._core.failure import refuse_option
from .model import Desired

NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
NAME_ALLOWED = "a Kubernetes name: at most 253 lower-case letters, digits, hyphens and dots"


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    arn = ClusterArn.parse(params["cluster_arn"]).text
    return Desired(arn, params["wait_for"], _names("node_pools", params), _names("node_classes", params))


def _names(option: str, params: t.Mapping[str, t.Any]) -> tuple[str, ...] | None:
    if params[option] is None:
        return None
    for name in params[option]:
        if not NAME.fullmatch(name):
            refuse_option(option, name, NAME_ALLOWED)
    check_unique(option, params[option])
    return tuple(params[option])
