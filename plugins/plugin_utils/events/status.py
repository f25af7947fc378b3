# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether events arrive and are received, as a line and as findings. ``found`` is the result of ``event_queue_info``. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import Finding, pending

Found = t.Mapping[str, t.Any]
UNKNOWN = "unknown"
OFF = "off"


def line(found: Found | None) -> str:
    """One line. A value that could not be read is unknown, and a queue that does not exist has no values."""
    if found is None:
        return "not read"
    if is_off(found):
        return OFF
    queue, dead = found["queue"], found["dead_letter_queue"]
    active = {True: "on", False: "do not arrive", None: UNKNOWN}[found["active"]]
    return ", ".join((active, f"messages: {_count(queue)}{_age(queue)}", f"dead letters: {_count(dead)}"))


def is_off(found: Found) -> bool:
    """Whether neither the rule nor the queue exists."""
    return found["rule"]["exists"] is False and found["queue"]["exists"] is False


def findings(found: Found, *, place: str, minutes: int, arrival: bool = True) -> list[Finding]:
    """
    :param place: the account and Region, for messages.
    :param minutes: the age of the oldest message after which ansible-rulebook counts as down.
    :param arrival: whether to report that events do not arrive.
    """
    arriving: t.Iterable[Finding] = _arriving(found, place) if arrival else ()
    return [*_unread(found), *arriving, *_received(found, place, minutes), *_dead(found, place)]


def _unread(found: Found) -> t.Iterator[Finding]:
    for each in found["problems"]:
        what = f"the {each['part']} of events ({each['reason']})"
        yield pending("status-not-read", f"this part of the status could not be read: {what}", subject=what)


def _arriving(found: Found, place: str) -> t.Iterator[Finding]:
    if found["active"] is not False or is_off(found):
        return
    rule = found["rule"]
    why = (
        f"the queue {found['name']} does not exist"
        if found["queue"]["exists"] is False
        else f"the event rule {found['name']} does not exist"
        if not rule["exists"]
        else f"the event rule {found['name']} is disabled"
        if not rule["enabled"]
        else f"the event rule {found['name']} does not send to the queue"
    )
    text = f"Events of {place} do not arrive: {why}. Run the playbook events."
    yield pending("events-do-not-arrive", text, subject=found["name"])


def _received(found: Found, place: str, minutes: int) -> t.Iterator[Finding]:
    """The age is a few minutes old. So it counts only while the queue still has messages."""
    age, messages = found["queue"]["oldest_message_age"], found["queue"]["messages"]
    if age is None or age <= minutes * 60 or messages == 0:
        return
    text = (
        f"Events of {place} are not received: the oldest message in the queue {found['name']} is {age // 60} minutes old. Check "
        "that ansible-rulebook runs with a rulebook that has this account and Region. Until then, only the timer repairs clusters."
    )
    yield pending("events-not-received", text, subject=found["name"])


def _dead(found: Found, place: str) -> t.Iterator[Finding]:
    name, messages = found["dead_letter_queue"]["name"], found["dead_letter_queue"]["messages"]
    if messages:
        text = (
            f"The queue {name} of {place} has dead letters: {messages}. EventBridge could not deliver them, or they "
            "ended ansible-rulebook. Read them, correct the cause, and purge the queue."
        )
        yield pending("events-dead-letters", text, subject=name)


def _count(queue: Found) -> str:
    if queue["exists"] is False:
        return "no queue"
    return UNKNOWN if queue["messages"] is None else str(queue["messages"])


def _age(queue: Found) -> str:
    age = queue["oldest_message_age"]
    return "" if not queue["messages"] else f" (the oldest {UNKNOWN if age is None else f'{age} s'})"
