# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Injected faults: rules that select requests and define their failure.

A rule is a JSON object. Selection: ``method`` (``*`` by default, ``change`` for all methods but GET) and ``path``, the beginning
of the path after ``/api/v2/``. Frequency: ``after`` N matching requests, at most ``times``. Effect, ``kind``:

=========== ==================================================================================
unavailable 503; no effect
refuse      the connection closes without a reply; no effect
lost        the request takes effect, then the connection closes without a reply
expired     401, and no token is valid any more
lag         the object that the request creates is missing in the next ``lists`` lists
edit        before it, the administrator sends ``request``: its method, its path and its body
dead        from then on all connections close without a reply, until the rules are cleared
=========== ==================================================================================

With ``{"kind": "dead", "method": "change", "after": 3}``, three requests change AWX, and nothing is answered afterwards.
"""

from __future__ import annotations

import dataclasses
import typing as t

KINDS = ("unavailable", "refuse", "lost", "expired", "lag", "edit", "dead")


@dataclasses.dataclass
class Rule:
    """A rule with its counters."""

    kind: str
    method: str = "*"
    path: str = ""
    after: int = 0
    times: int | None = None
    lists: int = 1
    request: tuple[str, str, t.Any] = ("", "", None)
    seen: int = 0
    fired: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind {self.kind!r}; known: {', '.join(KINDS)}")

    def strikes(self, method: str, path: str) -> bool:
        """Count a matching request; return whether the rule applies to it."""
        methods = ("POST", "PUT", "PATCH", "DELETE") if self.method == "change" else (self.method,)
        if self.kind == "dead" and self.seen >= self.after:
            self.fired += 1
            return True
        if (self.method != "*" and method not in methods) or not path.startswith(self.path):
            return False
        self.seen += 1
        if self.kind == "dead" or self.seen <= self.after or (self.times is not None and self.fired >= self.times):
            return False
        self.fired += 1
        return True


class Faults:
    """The active rules."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []

    def add(self, rules: t.Iterable[t.Mapping[str, t.Any]]) -> None:
        """Add rules to the active ones.

        :raises ValueError: for an unknown kind.
        :raises TypeError: for an unknown field.
        """
        self._rules += [Rule(**rule) for rule in rules]

    def clear(self) -> None:
        self._rules.clear()

    def listed(self) -> list[dict[str, t.Any]]:
        """The rules with their counters."""
        return [dataclasses.asdict(each) for each in self._rules]

    def take(self, method: str, path: str) -> Rule | None:
        """The first rule that applies to a request. All matching rules count it."""
        struck = [each for each in self._rules if each.strikes(method, path)]
        return struck[0] if struck else None
