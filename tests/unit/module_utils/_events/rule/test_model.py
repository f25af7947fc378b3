# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The request for a target."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._events.rule.model import State, Target


def test_settings_that_are_not_set_are_not_sent() -> None:
    assert Target("arn").request == {"Id": "queue", "Arn": "arn"}
    full = Target("arn", "dead", 60).request
    assert (full["DeadLetterConfig"], full["RetryPolicy"]) == ({"Arn": "dead"}, {"MaximumEventAgeInSeconds": 60})


def test_a_rule_that_does_not_exist_has_no_values() -> None:
    assert State().having(description="x") == State()
