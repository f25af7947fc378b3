# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Approval of a plan by its number, or of every plan."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.given_names import given_names

ALL = "all"
NUMBER = re.compile(r".+:[0-9a-f]{8}")
"""The key of a cluster, and a hash of the planned actions."""


def problems(option: str, given: t.Any) -> list[str]:
    allowed = f"{ALL}, or the number of a plan that a run reported, such as ml:0a1b2c3d"
    return [not_allowed(option, each, allowed) for each in given_names(given) if each != ALL and not NUMBER.fullmatch(each)]


def approved(given: t.Any, number: str) -> bool:
    """Whether the plan is approved. ``number`` is the plan's number; empty if nothing is planned."""
    return bool(number) and bool({number, ALL} & set(given_names(given)))
