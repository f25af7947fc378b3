# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Selected nodes, messages about drained ones, and the outcome of a wait for their sessions."""

from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drained, session_wait

A, B = "i-0123456789abcdef0", "i-0123456789abcdef1"
IDS = {A: f"ml-{A}", B: f"ml-{B}"}
RECORD = {"owner": "ops@bastion", "since": "2026-11-21T01:02:03Z", "reason": "memory errors, ticket 4711."}


@pytest.mark.parametrize(
    "wanted, hosts, unknown",
    [
        (A, [f"ml-{A}"], []),
        (f"{A}, ml-{B} ,", [f"ml-{A}", f"ml-{B}"], []),
        ([A, f"ml-{A}"], [f"ml-{A}"], []),
        (["i-9", A], [f"ml-{A}"], ["i-9"]),
        (5, [], ["5"]),
        ("", [], []),
        ([], [], []),
    ],
)
def test_nodes_are_selected_by_id_or_host(wanted, hosts, unknown):
    assert drained.chosen_nodes(wanted, IDS) == {"hosts": hosts, "unknown": unknown}


def test_refused_users_get_a_message():
    assert drained.refusal_message({**RECORD, "login_name": "login.example.com"}, A).splitlines() == [
        f"This login node ({A}) takes no new logins: memory errors, ticket 4711.",
        "It is drained (by ops@bastion, since 2026-11-21T01:02:03Z). "
        "Log in through login.example.com to reach another node.",
    ]
    assert drained.refusal_message({}, A) == ""
    assert "no reason was given. " not in drained.refusal_message(RECORD, A)
    assert "Log in as usual" in drained.refusal_message(RECORD, A)


def test_a_record_without_fields_is_tolerated():
    (found,) = drained.drained_notes({A: {}})
    assert found["text"] == f"{A} is drained (by an unknown owner, since an unknown time): no reason was given."
    assert (found["code"], found["node"], found["brief"]) == ("node-drained", A, found["text"].removeprefix(f"{A} "))
    assert drained.drained_notes({}) == []


@pytest.mark.parametrize(
    "whole, ended, parts",
    [
        ({}, False, ("Please finish your work and log out when you can.", "to reach another node.")),
        ({}, True, ("Sessions on this node will be terminated at 18:00 UTC.", "to reach another node.")),
        ({"whole_group": "true"}, False, ("Please log out by 18:00 UTC. The update waits until then and is postponed", "All login nodes")),
        ({"whole_group": "true"}, True, ("Sessions on this node will be terminated at 18:00 UTC.", "All login nodes get new software")),
    ],
)
def test_users_with_sessions_get_a_message(whole, ended, parts):
    message = drained.wall_message({**RECORD, **whole}, A, until="18:00 UTC", ended=ended)
    assert all(part in message for part in parts) and ("log out by" in message) == (bool(whole) and not ended)


def session(user: str, state: str = "active", since: str = "T2", commands: tuple[str, ...] = ()) -> dict:
    return {"user": user, "state": state, "since": since, "commands": list(commands)}


@pytest.mark.parametrize(
    "sessions, words",
    [
        ([], ""),
        ([session("bob")], "bob (1 session since T2)"),
        ([session("bob"), session("alice"), session("bob", since="T1")], "alice (1 session since T2), bob (2 sessions since T1)"),
        ([session("bob", "closing", commands=("tmux: server", "python"))], "bob (left running: python, tmux: server)"),
        ([session("bob"), session("bob", "closing")], "bob (1 session since T2; left running: processes)"),
    ],
)
def test_open_sessions_are_described(sessions, words):
    assert session_wait.who(sessions) == words


@pytest.mark.parametrize(
    "sessions, ended, check_mode, state, report",
    [
        ([], False, False, "empty", None),
        ([], True, False, "ended", None),
        ([session("bob")], False, False, "timed_out", ("pending", "sessions-open", "still has sessions after 61 s, which were not terminated: bob")),
        ([session("bob")], True, False, "ended", ("pending", "sessions-not-ended", "could not be terminated: bob")),
        ([session("bob")], False, True, "not_waited", ("note", "sessions-open", "the run would wait up to 60 s for them: bob")),
    ],
)
def test_the_outcome_of_a_wait_is_reported(sessions, ended, check_mode, state, report):
    assert session_wait.state_of(sessions, ended=ended, check_mode=check_mode) == state
    started = datetime.datetime(2026, 11, 21, 1, 2, 3, tzinfo=datetime.timezone.utc)
    wait = session_wait.outcome(sessions, state=state, started=started, elapsed=61.2, timeout=60)
    assert (wait["elapsed"], wait["deadline"]) == (61, "2026-11-21T01:03:03Z")
    found = session_wait.findings(sessions, wait=wait)
    assert [(each.kind, each.code) for each in found] == ([report[:2]] if report else [])
    assert all(report[2] in each.text for each in found)


def test_names_of_processes_are_printable():
    text = session_wait.who([session("bob", "closing", commands=("x\x1b]52;c;eA==\x07", "a\nml  unchanged"))])
    assert text == "bob (left running: a?ml  unchanged, x?]52;c;eA==?)"
