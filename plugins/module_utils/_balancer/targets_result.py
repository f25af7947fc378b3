# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What ``login_targets`` returns: a row for each target, and the sentences for the report."""

from __future__ import annotations

import typing as t

from .targets_model import HEALTHY, Desired, State
from .targets_plan import HOLD, IN, Decision, all_unhealthy, decide, is_complete

FAIL_OPEN = (
    "All targets of {resource} are unhealthy, so the load balancer sends logins to all of them, "
    "unverified nodes included."
)


def result(desired: Desired, state: State, *, waited: bool) -> dict[str, t.Any]:
    """``waited``: a target that is still initial had its time, so it is news."""
    decisions = decide(desired, state)
    alarm = all_unhealthy(state)
    return {
        "targets": [each.to_result() for each in decisions],
        "target_group_arn": state.target_group_arn,
        "complete": is_complete(state),
        "all_unhealthy": alarm,
        "hyperpod_report": {
            "pending": _pending(desired, decisions, waited=waited),
            "failures": [],
            "notes": [FAIL_OPEN.format(resource=desired.resource)] if alarm else [],
        },
    }


def absent_result(state: State) -> dict[str, t.Any]:
    rows = [
        Decision(target.ip, target.port, "out", "nothing is wanted", health=target.health).to_result()
        for target in state.registered
    ]
    return {
        "targets": rows,
        "target_group_arn": state.target_group_arn,
        "complete": True,
        "all_unhealthy": False,
        "hyperpod_report": {"pending": [], "failures": [], "notes": []},
    }


def _pending(desired: Desired, decisions: tuple[Decision, ...], *, waited: bool) -> list[str]:
    """In phase ``deregister`` nodes are yet to be configured: only a removal that did not happen is news."""
    if desired.phase == "deregister":
        return [f"{each.subject} of {desired.resource} stays: {each.reason}." for each in decisions if each.withheld]
    fine = (HEALTHY,) if waited else (HEALTHY, "initial")
    sentences = [f"{each.subject} is held: {each.reason}." for each in decisions if each.decision == HOLD]
    sentences += [
        f"{each.subject} is registered but {each.health or 'not seen yet'}."
        for each in decisions
        if each.decision == IN and each.health not in fine
    ]
    return sentences
