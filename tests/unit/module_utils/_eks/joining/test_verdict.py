# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text of causes and of unknown parts."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.joining.verdict import Cause, Unknown, text


def test_causes_are_listed_with_their_steps() -> None:
    found = [Unknown("whether a"), Cause("b is missing", "add b"), Cause("c is missing", "add c"), Unknown("whether d")]
    assert text(found, ["i-1"]) == "cause: b is missing: add b; cause: c is missing: add c; not known: whether a, whether d"


def test_without_a_cause_the_console_log_is_the_next_step() -> None:
    said = text([Unknown("whether a")], ["asg", "i-1"])
    assert said.startswith("the cause is not known (policies") and "; not known: whether a; read the console log" in said
    assert said.endswith("aws ec2 get-console-output --latest --instance-id i-1")
    assert text([], []).endswith("--instance-id ID")
