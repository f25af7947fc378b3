# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for people's sessions, look by look."""

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
    "looks",
    [
        [*lost(LOST_LOOKS - 1), seen()],
        [*lost(LOST_LOOKS - 1), seen(SESSION), *lost(LOST_LOOKS - 1), seen()],
        [seen(SESSION), *lost(1), seen(SESSION), seen()],
    ],
)
def test_a_short_cut_ends_no_wait(action, looks):
    waiting, node = action(ActionModule, WAIT, *looks)
    answer = waiting.run(task_vars=VARIABLES)
    assert (answer["session_wait"]["state"], answer["hyperpod_findings"], node.answers) == ("empty", [], [])


@pytest.mark.parametrize("before", [[], [seen(SESSION)]])
def test_a_node_that_stays_away_is_unreachable(action, before):
    waiting, node = action(ActionModule, WAIT, *before, *lost(LOST_LOOKS), seen())
    with pytest.raises(AnsibleConnectionFailure, match=f"look {LOST_LOOKS - 1}"):
        waiting.run(task_vars=VARIABLES)
    assert node.answers == [seen()]


def test_people_get_a_notice_once_it_arrives(action):
    waiting, node = action(ActionModule, {**WAIT, "notice": "soon"}, *lost(1), seen(SESSION), *lost(1), seen())
    waiting.run(task_vars=VARIABLES)
    assert [(each["state"], each["notice"]) for each in node.asked] == [("reported", each) for each in ("soon", "soon", "", "")]


@pytest.mark.parametrize("left", [[], [SESSION]])
def test_sessions_that_are_left_are_ended_where_the_task_says_so(action, left):
    waiting, node = action(ActionModule, {"state": "ended", "wait_timeout": 0}, seen(SESSION), seen(*left))
    answer = waiting.run(task_vars=VARIABLES)
    assert [each["state"] for each in node.asked] == ["reported", "ended"]
    assert answer["session_wait"]["state"] == "ended" and answer["session_wait"]["timeout"] == 0
    text = "has sessions that could not be terminated: alice (1 session since 2026-01-02T03:04:05Z)."
    assert reported.texts_of(answer, "pending") == ([text] if left else [])


@pytest.mark.parametrize(
    ("arguments", "check", "state"),
    [({"wait_timeout": 0}, False, "timed_out"), (WAIT, True, "not_waited"), ({**WAIT, "state": "reported"}, True, "not_waited")],
)
def test_nobody_is_ended_unasked(action, arguments, check, state):
    waiting, node = action(ActionModule, arguments, seen(SESSION), check=check)
    answer = waiting.run(task_vars=VARIABLES)
    assert answer["session_wait"]["state"] == state and len(node.asked) == 1
    assert "alice" in str(answer["hyperpod_findings"])


@pytest.mark.parametrize("before", [[], [seen(SESSION)]])
def test_what_the_module_refuses_is_the_answer(action, before):
    arguments = {"state": "ended", "wait_timeout": 0} if before else WAIT
    waiting, _node = action(ActionModule, arguments, *before, {"failed": True, "msg": "no"})
    assert waiting.run(task_vars=VARIABLES) == {"failed": True, "msg": "no"}


def test_whom_it_waits_for_is_shown_when_that_changes(action, monkeypatch):
    lines = []
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    other = {**SESSION, "user": "bob"}
    waiting, _node = action(ActionModule, WAIT, seen(SESSION), seen(SESSION), seen(SESSION, other), seen())
    waiting.run(task_vars=VARIABLES)
    alice, bob = (f"{user} (1 session since 2026-01-02T03:04:05Z)" for user in ("alice", "bob"))
    assert [line.partition(" s of 3600 s for ")[2] for line in lines] == [alice, f"{alice}, {bob}"]


def test_pauses_are_as_asked_and_the_last_look_is_when_the_time_is_up(action, clock, monkeypatch):
    monkeypatch.setattr(asked_again, "time", clock)
    looks = [seen(SESSION), *lost(1), *[seen(SESSION)] * 2]
    waiting, node = action(ActionModule, {"wait_timeout": 25, "poll_interval": 10}, *looks)
    answer = waiting.run(task_vars=VARIABLES)
    assert (clock.slept, node.answers) == ([10, 10, 5], [])
    assert (answer["session_wait"]["elapsed"], answer["session_wait"]["state"]) == (25, "timed_out")


def test_a_node_that_is_away_is_asked_again_after_a_whole_pause(action, clock, monkeypatch):
    """Also when the time is up: who is left has to be known."""
    monkeypatch.setattr(asked_again, "time", clock)
    waiting, _node = action(ActionModule, {"wait_timeout": 3, "poll_interval": 10}, *lost(2), seen())
    waiting.run(task_vars=VARIABLES)
    assert clock.slept == [10, 10]


def test_whom_it_waits_for_is_shown_again_after_a_minute(action, clock, monkeypatch):
    lines = []
    monkeypatch.setattr(asked_again, "time", clock)
    monkeypatch.setattr(asked_again.display, "display", lines.append)
    waiting, _node = action(ActionModule, {"wait_timeout": 3600, "poll_interval": 30}, *[seen(SESSION)] * 5, seen())
    waiting.run(task_vars=VARIABLES)
    assert [line.partition(" s of ")[0] for line in lines] == ["i-1: waited 0", "i-1: waited 60", "i-1: waited 120"]
