# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The writes of a record: only what differs, and the head at the end."""

from __future__ import annotations

import dataclasses

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.model import Head, Member, Record, Wave
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.rollout.plan import plan

TIME = "2026-11-30T12:00:00Z"
RECORD = Record(Head("reconcile", "v", "1.0.0", TIME, "ops", TIME, 2), (Wave({"a": Member("1")}), Wave({"b": Member("2")})))


def names(before: Record | None, after: Record) -> list[tuple[str, bool]]:
    return [
        (step.arguments["name"].removeprefix("/mlfleet/hyperpod/rollouts/keys/"), step.arguments["exists"])
        for step in plan(before, after, name="keys").steps
    ]


def test_a_new_record_has_its_head_at_the_end() -> None:
    assert names(None, RECORD) == [("waves/1", False), ("waves/2", False), ("head", False)]


def test_only_changed_parts_are_written() -> None:
    wave = dataclasses.replace(RECORD.waves[1], started=TIME)
    assert names(RECORD, RECORD) == []
    assert names(RECORD, RECORD.with_wave(1, wave)) == [("waves/2", True)]
    head = dataclasses.replace(RECORD.head, aborted=TIME)
    assert names(RECORD, dataclasses.replace(RECORD, head=head)) == [("head", True)]


def test_a_restart_with_more_waves_creates_the_new_ones() -> None:
    more = Record(dataclasses.replace(RECORD.head, waves=3), (*RECORD.waves, Wave({"c": Member("3")})))
    assert names(RECORD, more) == [("waves/3", False), ("head", True)]


def test_a_head_that_does_not_fit_is_refused_before_anything_is_written() -> None:
    approvals = {str(number): {"by": "ops@bastion" * 20, "at": TIME, "plan": "p"} for number in range(20)}
    with pytest.raises(Refused, match="The record of rollout keys has more than 4096 characters"):
        plan(RECORD, dataclasses.replace(RECORD, head=dataclasses.replace(RECORD.head, approvals=approvals)), name="keys")


def test_changes_show_the_outcomes() -> None:
    done = RECORD.with_wave(0, RECORD.waves[0].with_outcomes({"a": "done"}, TIME))
    (change,) = plan(RECORD, done, name="keys").changes
    assert (change.action, change.resource, change.field) == ("update", "rollout keys", "wave 1")
    assert (change.before, change.after) == ({"a": "pending"}, {"a": "done"})
