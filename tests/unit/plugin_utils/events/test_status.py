# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The line and the findings about events: zero, unknown and missing are three different things."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events import status
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.codes import CODES

ARN = "arn:aws:sqs:us-west-2:111111111111:events"


def found(
    *,
    active: bool | None = True,
    rule: tuple[bool | None, bool | None, str | None] = (True, True, ARN),
    queue: tuple[bool | None, int | None, int | None] = (True, 0, None),
    dead: tuple[bool | None, int | None] = (True, 0),
    problems: t.Sequence[dict[str, str]] = (),
) -> dict[str, t.Any]:
    return {
        "name": "events",
        "active": active,
        "rule": dict(zip(("exists", "enabled", "queue_arn"), rule)),
        "queue": dict(zip(("exists", "messages", "oldest_message_age"), queue)),
        "dead_letter_queue": {"name": "events-dead", **dict(zip(("exists", "messages"), dead))},
        "problems": list(problems),
    }


OFF = found(active=False, rule=(False, None, None), queue=(False, None, None), dead=(False, None))
UNREAD = found(active=None, rule=(None, None, None), queue=(None, None, None), dead=(None, None), problems=[{"part": "queue", "reason": "denied"}])


@pytest.mark.parametrize(
    ("given", "line"),
    [
        (None, "not read"),
        (OFF, "off"),
        (UNREAD, "unknown, messages: unknown, dead letters: unknown"),
        (found(), "on, messages: 0, dead letters: 0"),
        (found(queue=(True, 3, 42)), "on, messages: 3 (the oldest 42 s), dead letters: 0"),
        (found(queue=(True, 3, None), dead=(True, 2)), "on, messages: 3 (the oldest unknown), dead letters: 2"),
        (found(dead=(False, None)), "on, messages: 0, dead letters: no queue"),
        (found(active=False, rule=(True, False, ARN)), "do not arrive, messages: 0, dead letters: 0"),
        (found(active=False, queue=(False, None, None)), "do not arrive, messages: no queue, dead letters: 0"),
    ],
)
def test_the_line_shows_each_value(given: dict[str, t.Any] | None, line: str) -> None:
    assert status.line(given) == line


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (found(), []),
        (OFF, []),
        (found(queue=(True, 3, 900)), []),
        (found(queue=(True, 3, 901)), [("events-not-received", "the oldest message in the queue events is 15 minutes old")]),
        (found(queue=(True, None, 901)), [("events-not-received", "is 15 minutes old")]),
        (found(queue=(True, 0, 901)), []),
        (found(dead=(True, 1)), [("events-dead-letters", "The queue events-dead of HERE has dead letters: 1")]),
        (found(active=False, rule=(True, False, ARN)), [("events-do-not-arrive", "the event rule events is disabled")]),
        (found(active=False, rule=(True, True, "")), [("events-do-not-arrive", "the event rule events does not send to the queue")]),
        (found(active=False, rule=(False, None, None)), [("events-do-not-arrive", "the event rule events does not exist")]),
        (found(active=False, queue=(False, None, None)), [("events-do-not-arrive", "the queue events does not exist")]),
    ],
)
def test_findings_name_the_place_and_the_next_step(given: dict[str, t.Any], expected: list[tuple[str, str]]) -> None:
    made = status.findings(given, place="HERE", minutes=15)
    assert [each.code for each in made] == [code for code, _text in expected]
    for finding, (code, text) in zip(made, expected):
        assert text in finding.text and "HERE" in finding.text and finding.kind in CODES[code].kinds


def test_parts_that_could_not_be_read_are_reported() -> None:
    (only,) = status.findings(UNREAD, place="HERE", minutes=15)
    assert (only.code, only.subject) == ("status-not-read", "the queue of events (denied)")
