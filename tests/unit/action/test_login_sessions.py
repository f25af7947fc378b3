# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for people's sessions, poll by poll."""

from __future__ import annotations

import pytest
import reported
from ansible.errors import AnsibleConnectionFailure
from ansible_collections.mlfleet.hyperpod.plugins.action.login_sessions import ActionModule
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import asked_again
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.asked_again import LOST_LOOKS

SESSION = {"user": "alice", "state": "active", "since": "2026-01-02T03:04:05Z", "commands": []}
VARIABLES = {"hyperpod_instance_id": "i-1", "inventory_hostname": "ml-i-1"}
WAIT = {"wait_timeout": 3600, "poll_interval": 0}


def lost(times: int) -> list[Exception]:
    return [AnsibleConnectionFailure(f"look {number}") for number in range(times)]


def seen(*sessions: dict) -> dict:
    return {"login_sessions": list(sessions), "changed": False}


@pytest.mark.parametrize(
    "polls",
    [
        [*lost(LOST_LOOKS - 1), seen()],
        [*lost(LOST_LOOKS - 1), seen(SESSION), *lost(LOST_LOOKS - 1), seen()],
        [seen(SESSION), *lost(1), seen(SESSION), seen()],
    ],
)
def test_a_short_interruption_does_not_end_the_wait(action, polls):
    waiting, node = action(ActionModule, WAIT, *polls)
    result = waiting.run(task_vars=VARIABLES)
    assert (result["session_wait"]["state"], result["hyperpod_findings"], node.results) == ("empty", [], [])


@pytest.mark.parametrize("before", [[], [seen(SESSION)]])
def test_a_node_that_stays_disconnected_is_unreachable(action, before):
    waiting, node = action(ActionModule, WAIT, *before, *lost(LOST_LOOKS), seen())
    with pytest.raises(AnsibleConnectionFailure, match=f"look {LOST_LOOKS - 1}"):
        waiting.run(task_vars=VARIABLES)
    assert node.results == [seen()]


def test_people_receive_the_notice_once(action):
    waiting, node = action(ActionModule, {**WAIT, "notice": "soon"}, *lost(1), seen(SESSION), *lost(1), seen())
    waiting.run(task_vars=VARIABLES)
    assert [(each["state"], each["notice"]) for each in node.calls] == [("reported", each) for each in ("soon", "soon", "", "")]


@pytest.mark.parametrize("left", [[], [SESSION]])
def test_remaining_sessions_are_terminated_only_with_state_ended(action, left):
    waiting, node = action(ActionModule, {"state": "ended", "wait_timeout": 0}, seen(SESSION), seen(*left))
    result = waiting.run(task_vars=VARIABLES)
    assert [each["state"] for each in node.calls] == ["reported", "ended"]
    assert result["session_wait"]["state"] == "ended" and result["session_wait"]["timeout"] == 0
    text = "has sessions that could not be terminated: alice (1 session since 2026-01-02T03:04:05Z)."
    assert reported.texts_of(result, "pending") == ([text] if left else [])


@pytest.mark.parametrize(
    ("arguments", "check", "state"),
    [({"wait_timeout": 0}, False, "timed_out"), (WAIT, True, "not_waited"), ({**WAIT, "state": "reported"}, True, "not_waited")],
)
def test_no_session_is_terminated_by_default(action, arguments, check, state):
    waiting, node = action(ActionModule, arguments, seen(SESSION), check=check)
    result = waiting.run(task_vars=VARIABLES)
    assert result["session_wait"]["state"] == state and len(node.calls) == 1
    assert "alice" in str(result["hyperpod_findings"])


@pytest.mark.parametrize("before", [[], [seen(SESSION)]])
def test_a_failure_of_the_module_is_returned(action, before):
    arguments = {"state": "ended", "wait_timeout": 0} if before else WAIT
    waiting, _node = action(ActionModule, arguments, *before, {"failed": True, "msg": "no"})
    assert waiting.run(task_vars=VARIABLES) == {"failed": True, "msg": "no"}


def test_the_people_are_shown_when_they_change(action, monkeypatch):
    lines = []
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    other = {**SESSION, "user": "bob"}
    waiting, _node = action(ActionModule, WAIT, seen(SESSION), seen(SESSION), seen(SESSION, other), seen())
    waiting.run(task_vars=VARIABLES)
    alice, bob = (f"{user} (1 session since 2026-01-02T03:04:05Z)" for user in ("alice", "bob"))
    assert [line.partition(" s of 3600 s for ")[2] for line in lines] == [alice, f"{alice}, {bob}"]


def test_pauses_follow_poll_interval_and_the_last_poll_is_at_the_timeout(action, clock, monkeypatch):
    monkeypatch.setattr(asked_again, "time", clock)
    polls = [seen(SESSION), *lost(1), *[seen(SESSION)] * 2]
    waiting, node = action(ActionModule, {"wait_timeout": 25, "poll_interval": 10}, *polls)
    result = waiting.run(task_vars=VARIABLES)
    assert (clock.slept, node.results) == ([10, 10, 5], [])
    assert (result["session_wait"]["elapsed"], result["session_wait"]["state"]) == (25, "timed_out")


def test_an_unreachable_node_is_polled_again_after_a_full_pause(action, clock, monkeypatch):
    """This holds after the timeout as well, because the remaining sessions must be known."""
    monkeypatch.setattr(asked_again, "time", clock)
    waiting, _node = action(ActionModule, {"wait_timeout": 3, "poll_interval": 10}, *lost(2), seen())
    waiting.run(task_vars=VARIABLES)
    assert clock.slept == [10, 10]


def test_the_people_are_shown_again_after_a_minute(action, clock, monkeypatch):
    lines = []
    monkeypatch.setattr(asked_again, "time", clock)
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    waiting, _node = action(ActionModule, {"wait_timeout": 3600, "poll_interval": 30}, *[seen(SESSION)] * 5, seen())
    waiting.run(task_vars=VARIABLES)
    assert [line.partition(" s of ")[0] for line in lines] == ["i-1: waited 0", "i-1: waited 60", "i-1: waited 120"]
