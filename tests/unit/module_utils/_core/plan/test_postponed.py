# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps that can't be done yet."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import plan as _plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Plan, Postponed, Step


class Module:
    check_mode = False
    result: dict[str, t.Any]

    def warn(self, note: str) -> None:
        raise AssertionError(note)

    def exit_json(self, **result: t.Any) -> t.NoReturn:
        self.result = result
        raise SystemExit(0)


@pytest.mark.parametrize(
    ("postponed", "told"), [((), ["delete a", "delete b"]), (("a",), ["delete b"]), (("a", "b"), [])]
)
def test_a_postponed_step_is_no_change(monkeypatch: pytest.MonkeyPatch, postponed: tuple, told: list) -> None:
    monkeypatch.setattr(_plan, "APPLIED", [])
    steps = tuple(Step(name, {}, (Change("delete", name, None, 1, None),)) for name in "ab")
    module = Module()

    def apply(step: Step) -> None:
        if step.operation in postponed:
            raise Postponed("not yet")

    with pytest.raises(SystemExit):
        _plan.converge(
            module, observe=lambda: "state", plan=lambda _state: Plan(steps), apply=apply, describe=lambda state: {"is": state}
        )
    assert [f"{change['action']} {change['resource']}" for change in module.result["changes"]] == told
    assert (module.result["changed"], module.result["diff"]["before"].count("\n")) == (bool(told), len(told))
