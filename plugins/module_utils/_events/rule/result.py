# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of a rule."""

from __future__ import annotations

import typing as t

from .model import ENABLED, TARGET_ID, Desired, Rule, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    if state.rule is None:
        return {"event_rule": {"exists": False, "name": desired.name}}
    return {"event_rule": {"exists": True, "name": desired.name, **to_result(state.rule)}}


def to_result(rule: Rule) -> dict[str, t.Any]:
    return {
        "event_rule_arn": rule.arn,
        "event_pattern": rule.pattern,
        "description": rule.description,
        "enabled": rule.state == ENABLED,
        "target": rule.target.to_result() if rule.target else None,
        "other_targets": sorted(set(rule.targets) - {TARGET_ID}),
        "tags": dict(rule.tags),
    }
