# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Injected faults: rules that select calls and define their failure.

A rule is a JSON object. Selection: ``service``, ``operation``, ``account``, ``region`` (each ``*`` by default),
``where`` (parameters that must have these values) and ``besides`` (services that the rule leaves alone). Frequency:
``after`` N matching calls, at most ``times``, each with ``probability`` (seeded by ``seed``). Effect, ``kind``:

=================== ==================================================================================
throttle, error500, the error of that name, as the service returns it; no effect. A denied action is also denied
deny                to a service that calls it for the caller (:mod:`lab.aws.checked`)
error               the error ``code`` (HTTP ``status``, default 400); no effect
fail_page           page ``page`` of a listing fails like error500, or with ``code``
cut_after           the call takes effect, then the connection closes without a reply
hold                the reply to the ``nth`` mutating call waits for a release
hang                no reply until the rules are cleared; no effect
refuse              the connection closes at once; no effect
polls               the state that the call starts lasts ``polls`` descriptions longer
fail_later          the state that the call starts ends in failure, ``code`` in its message (Client VPN)
partial             Batch* report the node ids in ``nodes`` (all without it) as failed with ``code``
ssm_empty_output    the session prints nothing of the command's output
ssm_refused_channel the session starts, but its data channel is refused: the plugin prints nothing
=================== ==================================================================================

``throttle``, ``error500``, ``deny``, ``error``, ``hang`` and ``refuse`` exempt the calls of this control interface.
"""

from __future__ import annotations

import dataclasses
import random
import threading
import typing as t

from .request import Call

BEFORE = ("hang", "refuse", "throttle", "error500", "deny", "error")
KINDS = (*BEFORE, "fail_page", "cut_after", "hold", "polls", "fail_later", "partial", "ssm_empty_output", "ssm_refused_channel")


@dataclasses.dataclass
class Rule:
    """A rule with its counters."""

    kind: str
    service: str = "*"
    operation: str = "*"
    account: str = "*"
    region: str = "*"
    where: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    besides: list[str] = dataclasses.field(default_factory=list)
    after: int = 0
    times: int | None = None
    probability: float = 1.0
    seed: int = 0
    code: str = ""
    status: int = 0
    page: int = 2
    nth: int = 1
    polls: int = 1
    nodes: list[str] = dataclasses.field(default_factory=list)
    seen: int = 0
    fired: int = 0

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"unknown kind {self.kind!r}; known: {', '.join(KINDS)}")
        self._random = random.Random(self.seed)

    def names(self, call: Call) -> bool:
        """Whether the rule matches this call."""
        wanted = ((self.service, call.service), (self.operation, call.operation))
        where = ((self.account, call.account), (self.region, call.region))
        named = all(rule in ("*", value) for rule, value in (*wanted, *where))
        if not named or call.service in self.besides:
            return False
        return all(call.params.get(key) == value for key, value in self.where.items())

    def strikes(self) -> bool:
        """Count a matching call; return whether the rule applies to it."""
        self.seen += 1
        if self.seen <= self.after or (self.times is not None and self.fired >= self.times):
            return False
        if self.kind == "hold" and self.seen != self.after + self.nth:
            return False
        if self._random.random() >= self.probability:
            return False
        self.fired += 1
        return True


class Faults:
    """The active rules, the known pages and the held replies."""

    def __init__(self) -> None:
        self._rules: list[Rule] = []
        self._lock = threading.Lock()
        self._cleared = threading.Event()
        self._released = threading.Event()
        self._held: dict[int, dict[str, t.Any]] = {}
        self._pages: dict[tuple[str, str, str, str], int] = {}

    def add(self, rules: t.Iterable[dict[str, t.Any]]) -> None:
        """Add rules to the active ones.

        :raises ValueError: for an unknown kind.
        :raises TypeError: for an unknown field.
        """
        made = [Rule(**rule) for rule in rules]
        with self._lock:
            self._rules.extend(made)

    def clear(self) -> None:
        """Remove all rules; calls that hang or are held continue."""
        with self._lock:
            self._rules.clear()
            self._pages.clear()
            self._cleared.set()
            self._cleared = threading.Event()
        self.release()

    def listed(self) -> list[dict[str, t.Any]]:
        """The rules with their counters."""
        with self._lock:
            return [dataclasses.asdict(rule) for rule in self._rules]

    def take(self, call: Call, *kinds: str) -> Rule | None:
        """The first rule of these kinds that applies to this call."""
        with self._lock:
            for rule in self._rules:
                if rule.kind in kinds and rule.names(call) and rule.strikes():
                    return rule
        return None

    def take_page(self, call: Call) -> Rule | None:
        """The ``fail_page`` rule that applies to this page of a listing."""
        page = self._pages.get(self._page_key(call, _token(call.params)), 1)
        with self._lock:
            for rule in self._rules:
                if rule.kind == "fail_page" and rule.page == page and rule.names(call) and rule.strikes():
                    return rule
        return None

    def learn_page(self, call: Call, answer: dict[str, t.Any]) -> None:
        """Record the page to which the token in a reply leads."""
        token = answer.get("NextToken") or answer.get("NextMarker")
        if token:
            page = self._pages.get(self._page_key(call, _token(call.params)), 1)
            self._pages[self._page_key(call, str(token))] = page + 1

    def hang(self) -> None:
        """Wait until the rules are cleared."""
        self._cleared.wait()

    def hold(self, call: Call) -> None:
        """Hold the reply of the call until the held replies are released."""
        about = {"sequence": call.sequence, "service": call.service, "operation": call.operation}
        with self._lock:
            released = self._released
            self._held[call.sequence] = {**about, "account": call.account}
        released.wait()

    def held(self) -> list[dict[str, t.Any]]:
        """The calls whose replies are held."""
        with self._lock:
            return list(self._held.values())

    def release(self) -> None:
        """Release the held replies; none is listed as held any more, even before its thread wakes up."""
        with self._lock:
            released, self._released = self._released, threading.Event()
            self._held.clear()
        released.set()

    @staticmethod
    def _page_key(call: Call, token: str) -> tuple[str, str, str, str]:
        return (call.account, call.service, call.operation, token)


def _token(params: dict[str, t.Any]) -> str:
    return str(params.get("NextToken") or params.get("Marker") or "")
