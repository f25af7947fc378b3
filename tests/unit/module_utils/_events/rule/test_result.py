# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The return values of a rule."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.model import Desired, Rule, State, Target
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.result import result


def test_a_missing_rule_and_a_rule_with_other_targets() -> None:
    assert result(Desired("events"), State()) == {"event_rule": {"exists": False, "name": "events"}}
    rule = Rule("arn", {"source": ["a"]}, state="DISABLED", targets={"b": Target("x"), "a": Target("y")}, tags={"t": "u"})
    assert result(Desired("events"), State(rule))["event_rule"] == {
        "exists": True,
        "name": "events",
        "event_rule_arn": "arn",
        "event_pattern": {"source": ["a"]},
        "description": "",
        "enabled": False,
        "target": None,
        "other_targets": ["a", "b"],
        "tags": {"t": "u"},
    }
