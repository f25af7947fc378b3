# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The two phases of a module that changes sshd, as its action plugin drives them.

``apply`` observes, plans, arms the rollback and changes; ``confirm`` runs over a new login and keeps the change.
Standard library and Ansible's module object only, Python 3.9 syntax.
"""

from __future__ import annotations

import typing as t

from ..._core.converge import APPLIED, Module, Resource, converge
from ..._core.failure import Refused, refuse_option
from ..._core.plan import Plan, Step
from ..._ssh.keys import BadKey
from ..lock import node_lock
from ..system import CommandFailed
from . import change as sshd_change

SHORTEST_CONFIRM_TIMEOUT, LONGEST_CONFIRM_TIMEOUT = 15, 900

Prepared = tuple[t.Callable[[], t.Any], t.Callable[[t.Any], Plan], t.Callable[[t.Any], t.Any]]
"""Observe, plan and describe."""


def arguments() -> dict[str, t.Any]:
    """The options that the modules with commit-confirm share."""
    return {
        "confirm": {"type": "bool", "default": True},
        "confirm_timeout": {"type": "int", "default": 60},
        "phase": {"type": "str", "choices": ["apply", "confirm", "status"], "default": "apply"},
        "token": {"type": "str", "no_log": False},
    }


def run_module(
    module: Module,
    *,
    noun: str,
    subject: str,
    prepare: t.Callable[[], Prepared],
) -> t.NoReturn:
    """Run one phase. ``prepare`` checks the options and returns observe, plan and describe.

    The only step of the plan carries ``files``, a list of ``FileWrite``.
    """
    try:
        with node_lock():
            if module.params["phase"] != "apply":
                _answer(module)
            _apply(module, noun=noun, subject=subject, prepare=prepare)
    except (Refused, CommandFailed, BadKey, OSError) as error:
        module.fail_json(msg=str(error), changes=APPLIED)


def _answer(module: Module) -> t.NoReturn:
    token = module.params["token"] or ""
    ask = sshd_change.confirm if module.params["phase"] == "confirm" else sshd_change.look
    module.exit_json(changed=False, sshd_change=ask(token).to_result())


def _apply(module: Module, *, noun: str, subject: str, prepare: t.Callable[[], Prepared]) -> t.NoReturn:
    timeout = module.params["confirm_timeout"]
    if not SHORTEST_CONFIRM_TIMEOUT <= timeout <= LONGEST_CONFIRM_TIMEOUT:
        refuse_option(
            "confirm_timeout",
            timeout,
            f"seconds from {SHORTEST_CONFIRM_TIMEOUT} to {LONGEST_CONFIRM_TIMEOUT} are allowed",
        )
    observe, plan, describe = prepare()
    _settle(module)
    outcome = [sshd_change.ChangeStatus(sshd_change.UNCHANGED)]

    def apply(step: Step) -> None:
        outcome[0] = sshd_change.apply(step.arguments["files"], subject=subject, confirm_timeout=timeout)
        if not module.params["confirm"]:
            outcome[0] = sshd_change.confirm(outcome[0].token, same_login_counts=True)

    converge(
        module,
        Resource(observe=observe,
        plan=plan,
        apply=apply,
        result=lambda state: {noun: describe(state), "sshd_change": outcome[0].to_result()}),
    )


def _settle(module: Module) -> None:
    """An unconfirmed change of a run that died must neither stay nor be overtaken by its own timer."""
    left = sshd_change.unconfirmed()
    if not left:
        return
    if module.check_mode:
        module.warn(f"An earlier run left a change unconfirmed, which would be rolled back first: {left}.")
        return
    sshd_change.roll_back_now()
    module.warn(f"An earlier run left a change unconfirmed; it was rolled back first: {left}.")
