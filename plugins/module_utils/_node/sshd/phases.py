# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The two phases of a module that changes sshd. An action plugin runs them.

``apply`` observes, plans, starts the rollback timer and changes the files. ``confirm`` runs through a new login and keeps the
change.
Standard library and Ansible's module object only, Python 3.9 syntax.
"""

from __future__ import annotations

import typing as t

from ..._core.converge import Module, Resource
from ..._core.failure import refuse_option
from ..._core.plan import Step
from ..run import read_node, run_node
from . import change
from .model import UNCHANGED, ChangeStatus

SHORTEST_CONFIRM_TIMEOUT, LONGEST_CONFIRM_TIMEOUT = 15, 900

SPEC: dict[str, dict[str, t.Any]] = {
    "confirm": {"type": "bool", "default": True},
    "confirm_timeout": {"type": "int", "default": 60},
    "phase": {"type": "str", "choices": ["apply", "confirm", "status"], "default": "apply"},
    "token": {"type": "str", "no_log": False},
}
"""The options that all modules with commit-confirm have."""


class Applier:
    """Executes the plan's only step, whose argument ``files`` is a list of ``FileWrite``."""

    def __init__(self, params: t.Mapping[str, t.Any], *, subject: str) -> None:
        timeout = params["confirm_timeout"]
        if not SHORTEST_CONFIRM_TIMEOUT <= timeout <= LONGEST_CONFIRM_TIMEOUT:
            allowed = f"seconds from {SHORTEST_CONFIRM_TIMEOUT} to {LONGEST_CONFIRM_TIMEOUT}"
            refuse_option("confirm_timeout", timeout, allowed)
        self._timeout = timeout
        self._confirm = params["confirm"]
        self._subject = subject
        self._status = ChangeStatus(UNCHANGED)

    def __call__(self, step: Step) -> None:
        self._status = change.apply(step.arguments["files"], subject=self._subject, confirm_timeout=self._timeout)
        if not self._confirm:
            self._status = change.confirm(self._status.token, same_login_counts=True)

    def result(self) -> dict[str, t.Any]:
        return {"sshd_change": self._status.to_result()}


def run(module: Module, make: t.Callable[[Module], Resource]) -> t.NoReturn:
    if module.params["phase"] == "apply":
        run_node(module, make, begin=_roll_back)
    read_node(module, _answer, lock=True)


def _answer(module: Module) -> dict[str, t.Any]:
    token = module.params["token"] or ""
    ask = change.confirm if module.params["phase"] == "confirm" else change.look
    return {"sshd_change": ask(token).to_result()}


def _roll_back(module: Module) -> None:
    """Roll back the unconfirmed change of a dead run. The change must not stay, and its timer must not fire during this run."""
    left = change.unconfirmed()
    if not left:
        return
    if module.check_mode:
        module.warn(f"An earlier run did not confirm its change of {left}. Outside check mode, this run would first roll it back.")
        return
    change.roll_back_now()
    module.warn(f"An earlier run did not confirm its change of {left}. The change was rolled back.")
