# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wait for users' sessions on a node to end: its messages and its result. No I/O."""

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import Finding, note, pending
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.model import CLOSING

EMPTY, TIMED_OUT, ENDED, NOT_WAITED = "empty", "timed_out", "ended", "not_waited"
Session = t.Mapping[str, t.Any]


def who(sessions: t.Sequence[Session]) -> str:
    """Users and their sessions for a message. The text is made printable, because users choose the names of processes."""
    return printable(
        ", ".join(
            f"{user} ({'; '.join(_words([each for each in sessions if each['user'] == user]))})"
            for user in sorted({each["user"] for each in sessions})
        )
    )


def state_of(sessions: t.Sequence[Session], *, ended: bool, check_mode: bool) -> str:
    """The state of the wait. ``ended``: whether the run terminates sessions that remain."""
    if ended:
        return ENDED
    if not sessions:
        return EMPTY
    return NOT_WAITED if check_mode else TIMED_OUT


def outcome(
    sessions: t.Sequence[Session], *, state: str, started: datetime.datetime, elapsed: float, timeout: int
) -> dict[str, t.Any]:
    """The value of the result's key ``session_wait``."""
    return {
        "state": state,
        "elapsed": round(elapsed),
        "timeout": timeout,
        "deadline": iso_seconds(started + datetime.timedelta(seconds=timeout)),
        "who": who(sessions),
    }


def findings(sessions: t.Sequence[Session], *, wait: t.Mapping[str, t.Any]) -> list[Finding]:
    """Findings about remaining sessions."""
    if not sessions:
        return []
    if wait["state"] == NOT_WAITED:
        return [note("sessions-open", f"has sessions; the run would wait up to {wait['timeout']} s for them: {wait['who']}.")]
    if wait["state"] == ENDED:
        return [pending("sessions-not-ended", f"has sessions that could not be terminated: {wait['who']}.")]
    return [pending("sessions-open", f"still has sessions after {wait['elapsed']} s, which were not terminated: {wait['who']}.")]


def _words(sessions: t.Sequence[Session]) -> t.Iterator[str]:
    at_work = [each for each in sessions if each["state"] != CLOSING]
    left = [each for each in sessions if each["state"] == CLOSING]
    if at_work:
        count = "1 session" if len(at_work) == 1 else f"{len(at_work)} sessions"
        yield f"{count} since {min(each['since'] for each in at_work)}"
    if left:
        commands = sorted({command for each in left for command in each["commands"]})
        yield f"left running: {', '.join(commands) or 'processes'}"
