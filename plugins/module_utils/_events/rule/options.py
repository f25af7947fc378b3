# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired rule from a module's options."""

from __future__ import annotations

import json
import typing as t

from ..._core.checks import check_length, check_number
from ..._core.failure import Refused, refuse_option
from ..identity import check_name, check_queue_arn, tags_to_ensure
from .model import Desired, Target

LONGEST_PATTERN = 4096
LONGEST_DESCRIPTION = 512
SHORTEST_AGE, LONGEST_AGE = 60, 86400


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    name, present = check_name("name", params["name"]), params["state"] == "present"
    if params["description"] is not None:
        check_length("description", params["description"], LONGEST_DESCRIPTION)
    if present:
        _check_pattern(params["event_pattern"])
    return Desired(
        name=name,
        present=present,
        pattern=params["event_pattern"] or {},
        description=params["description"],
        target=_target(params) if present else None,
        tags=tags_to_ensure(params["tags"]),
        purge_tags=params["tags"] is not None and params["purge_tags"],
        adopt=params["adopt"],
    )


def _check_pattern(pattern: t.Mapping[str, t.Any] | None) -> None:
    if not pattern:
        allowed = "a dictionary such as {source: [aws.sagemaker]}"
        refuse_option("event_pattern", pattern, allowed, "an empty pattern would select the events of all AWS services")
    check_length("event_pattern", json.dumps(pattern), LONGEST_PATTERN)


def _target(params: t.Mapping[str, t.Any]) -> Target:
    if params["queue_arn"] is None:
        raise Refused("queue_arn: missing; a rule without a target has no effect.", option="queue_arn")
    dead = params["dead_letter_queue_arn"]
    age = check_number("maximum_event_age", params["maximum_event_age"], SHORTEST_AGE, LONGEST_AGE)
    return Target(
        arn=check_queue_arn("queue_arn", params["queue_arn"]),
        dead_letter_arn=check_queue_arn("dead_letter_queue_arn", dead) if dead else "",
        maximum_event_age=age,
    )
