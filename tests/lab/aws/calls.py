# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of all calls in order of arrival, for budgets and to prove that nothing was changed."""

from __future__ import annotations

import threading
import time
import typing as t

from .request import Call

SECRET = {
    "SecretString",
    "SecretBinary",
    "TokenValue",
    "SecretAccessKey",
    "SessionToken",
    "PrivateKey",
    "ClientRequestToken",
    "clientRequestToken",
}
LONGEST = 200


class CallLog:
    """Entries are plain dicts; ``status`` is None until the call has a reply."""

    def __init__(self) -> None:
        self._entries: list[dict[str, t.Any]] = []
        self._lock = threading.Lock()
        self._sequence = 0

    def begin(self, call: Call) -> dict[str, t.Any]:
        """Add a call; its sequence number is unique, even after :meth:`reset`."""
        with self._lock:
            self._sequence += 1
            call.sequence = self._sequence
            entry = {
                "sequence": call.sequence,
                "time": call.started,
                "account": call.account,
                "region": call.region,
                "service": call.service,
                "operation": call.operation,
                "kind": call.kind,
                "mutating": call.kind == "write",
                "arguments": _arguments(call),
                "status": None,
                "error": None,
                "seconds": None,
                "problems": [],
            }
            self._entries.append(entry)
            return entry

    def since(self, sequence: int = 0) -> list[dict[str, t.Any]]:
        """All calls after ``sequence``."""
        with self._lock:
            return [dict(entry) for entry in self._entries if entry["sequence"] > sequence]

    def reset(self) -> None:
        """Forget all calls."""
        with self._lock:
            self._entries.clear()


def end(entry: dict[str, t.Any], *, status: int | str, error: str | None = None) -> None:
    """Set the result: an HTTP status, or the failure of the connection."""
    entry.update(status=status, error=error, seconds=round(time.time() - entry["time"], 4))


def _arguments(call: Call) -> t.Any:
    hidden = SECRET | ({"Value"} if call.params.get("Type") == "SecureString" else set())
    return _shown(call.params, hidden)


def _shown(value: t.Any, hidden: set[str]) -> t.Any:
    if isinstance(value, dict):
        return {key: "***" if key in hidden else _shown(item, hidden) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(item, hidden) for item in value]
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    return str(value)[:LONGEST]
