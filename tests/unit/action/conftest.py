# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Action plugins as Ansible creates them; tests give the results of modules."""

from __future__ import annotations

import dataclasses
import types
import typing as t

import pytest
from ansible.plugins.action import ActionBase


@dataclasses.dataclass
class Node:
    """Replaces the execution of modules: results in order, and the calls."""

    results: list[t.Any]
    calls: list[dict[str, t.Any]] = dataclasses.field(default_factory=list)
    """The arguments of each module."""
    before: t.Callable[[dict[str, t.Any]], None] = lambda _arguments: None
    """Side effect of the module."""

    def execute(self, *, module_args: dict[str, t.Any], **_more: t.Any) -> dict[str, t.Any]:
        self.calls.append(module_args)
        self.before(module_args)
        result = self.results.pop(0)
        if isinstance(result, BaseException):
            raise result
        return result


class Connection:
    """The part of a connection that action plugins use."""

    has_pipelining = True

    def __init__(self, transport: str) -> None:
        self.transport = transport
        self.options: dict[str, t.Any] = {}
        self.resets = 0
        self._shell = types.SimpleNamespace(tmpdir="/nowhere")
        self._play_context = types.SimpleNamespace(no_log=False)

    def set_option(self, name: str, value: t.Any) -> None:
        self.options[name] = value

    def get_option(self, name: str) -> t.Any:
        return self.options.get(name)

    def reset(self) -> None:
        self.resets += 1


@dataclasses.dataclass
class Clock:
    """A clock that advances only by ``sleep``."""

    now: float = 1000.0
    slept: list[float] = dataclasses.field(default_factory=list)

    def monotonic(self) -> float:
        return self.now

    def strftime(self, _form: str, _moment: object) -> str:
        return "2026-11-20T10:00:00Z"

    def gmtime(self) -> None:
        return None

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    """A replacement for a plugin's module ``time``."""
    return Clock()


@pytest.fixture
def action(monkeypatch: pytest.MonkeyPatch) -> t.Callable[..., tuple[ActionBase, Node]]:
    """A function that creates an action plugin with the arguments of its task, and its node."""

    def make(
        kind: type[ActionBase], arguments: dict[str, t.Any], *results: t.Any, check: bool = False, transport: str = "local"
    ) -> tuple[ActionBase, Node]:
        task = types.SimpleNamespace(args=arguments, check_mode=check, async_val=0, delegate_to=None, action="it", _role=None)
        made, node = kind(task, Connection(transport), None, None, None, None), Node(list(results))
        monkeypatch.setattr(made, "_execute_module", node.execute)
        return made, node

    return make
