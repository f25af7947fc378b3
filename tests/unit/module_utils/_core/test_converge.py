# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Executed and postponed steps, and the result in check mode."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import converge as _converge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource, converge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Postponed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Plan, Step


class Module:
    result: dict[str, t.Any]

    def __init__(self, *, check_mode: bool = False) -> None:
        self.check_mode = check_mode

    def warn(self, note: str) -> None:
        raise AssertionError(note)

    def exit_json(self, **result: t.Any) -> t.NoReturn:
        self.result = result
        raise SystemExit(0)


@pytest.mark.parametrize(
    ("postponed", "expected"), [((), ["delete a", "delete b"]), (("a",), ["delete b"]), (("a", "b"), [])]
)
def test_a_postponed_step_is_no_change(monkeypatch: pytest.MonkeyPatch, postponed: tuple, expected: list) -> None:
    monkeypatch.setattr(_converge, "APPLIED", [])
    steps = tuple(Step(name, {}, (Change("delete", name, None, 1, None),)) for name in "ab")
    module = Module()

    def apply(step: Step) -> None:
        if step.operation in postponed:
            raise Postponed("not yet")

    with pytest.raises(SystemExit):
        converge(
            module, Resource(observe=lambda: "state", plan=lambda _state: Plan(steps), apply=apply, result=lambda state: {"is": state})
        )
    assert [f"{change['action']} {change['resource']}" for change in module.result["changes"]] == expected
    assert (module.result["changed"], module.result["diff"]["before"].count("\n")) == (bool(expected), len(expected))


def test_check_mode_returns_the_predicted_state() -> None:
    steps = tuple(
        Step("Append", {}, (Change("update", "list", None, None, name),), effect=lambda state, name=name: (*state, name))
        for name in "bc"
    )
    module = Module(check_mode=True)
    applied: list[Step] = []
    with pytest.raises(SystemExit):
        converge(
            module,
            Resource(
                observe=lambda: ("a",),
                plan=lambda _state: Plan(steps),
                apply=applied.append,
                result=lambda state: {"is": state},
            ),
        )
    assert (module.result["is"], module.result["changed"], applied) == (("a", "b", "c"), True, [])


def test_the_state_observed_after_the_steps_is_returned() -> None:
    module, state = Module(), ["a"]
    with pytest.raises(SystemExit):
        converge(
            module,
            Resource(
                observe=lambda: tuple(state),
                plan=lambda _state: Plan((Step("Append", {}, (), effect=lambda seen: (*seen, "predicted")),)),
                apply=lambda _step: state.append("done"),
                result=lambda seen: {"is": seen},
            ),
        )
    assert module.result["is"] == ("a", "done")
