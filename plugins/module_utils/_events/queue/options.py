# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired queue from a module's options."""

from __future__ import annotations

import typing as t

from ..._core.checks import check_number
from ..._core.failure import refuse_option
from ..identity import check_queue_arn, check_queue_name, tags_to_ensure
from .model import Desired, Policy, Redrive, Settings

SHORTEST_RETENTION, LONGEST_RETENTION = 60, 1209600
LONGEST_WAIT = 20
MOST_RECEIVES = 1000


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    return Desired(
        name=check_queue_name("name", params["name"]),
        present=params["state"] == "present",
        settings=Settings(
            policy=_policy(params["policy"]),
            redrive=_redrive(params),
            retention=_number(params, "message_retention_period", SHORTEST_RETENTION, LONGEST_RETENTION),
            receive_wait=_number(params, "receive_wait_time", 0, LONGEST_WAIT),
        ),
        tags=tags_to_ensure(params["tags"]),
        purge_tags=params["tags"] is not None and params["purge_tags"],
        adopt=params["adopt"],
    )


def _policy(policy: Policy | None) -> Policy | None:
    if policy is not None and not policy.get("Statement"):
        refuse_option("policy", policy, "a policy with at least one statement, or no option to leave the policy unchanged")
    return policy


def _redrive(params: t.Mapping[str, t.Any]) -> Redrive | None:
    arn = params["dead_letter_queue_arn"]
    if arn is None:
        return None
    most = check_number("max_receive_count", params["max_receive_count"], 1, MOST_RECEIVES)
    return Redrive(check_queue_arn("dead_letter_queue_arn", arn), most)


def _number(params: t.Mapping[str, t.Any], option: str, low: int, high: int) -> int | None:
    return None if params[option] is None else check_number(option, params[option], low, high)
