# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors on a node: a message for expected errors, a traceback for others."""

from __future__ import annotations

import dataclasses
import subprocess
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import converge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change, Plan, Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.child import Hung
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run import read_node, run_node
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import CommandFailed


class Failed(Exception):
    pass


class Module:
    check_mode = False
    params: dict[str, t.Any] = {}

    def warn(self, warning: str) -> None:
        raise AssertionError(warning)

    def exit_json(self, **result: t.Any) -> t.NoReturn:
        raise AssertionError(result)

    def fail_json(self, msg: str, **result: t.Any) -> t.NoReturn:
        raise Failed({"msg": msg, **result})


STEPS = tuple(Step(name, {}, (Change("create", f"file {name}"),)) for name in "ab")


def resource(error: Exception) -> Resource:
    """A resource whose first step succeeds and whose second one fails."""

    def apply(step: Step) -> None:
        if step.operation == "b":
            raise error

    return Resource(
        observe=lambda: None,
        plan=lambda _state: Plan(STEPS),
        apply=apply,
        result=lambda _state: {},
        failed=lambda error: {"about": type(error).__name__},
    )


@pytest.mark.parametrize(
    "error",
    [Refused("no"), CommandFailed("no"), Hung("no"), OSError("no"), subprocess.TimeoutExpired("no", 1)],
    ids=lambda error: type(error).__name__,
)
def test_an_expected_error_lists_the_changes_before_it(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    monkeypatch.setattr(converge, "APPLIED", applied := [])
    monkeypatch.setattr("ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.run.APPLIED", applied)
    with pytest.raises(Failed) as failed:
        run_node(Module(), lambda _module: resource(error), lock=False)
    (result,) = failed.value.args
    assert "no" in result["msg"] and result["about"] == type(error).__name__
    assert (result["changed"], [each["resource"] for each in result["changes"]]) == (True, ["file a"])


def test_options_are_refused_before_the_resource_is_created() -> None:
    def make(_module: t.Any) -> Resource:
        raise Refused("uid: 0 is not allowed. Allowed: 1 to 9.")

    with pytest.raises(Failed, match="uid: 0 is not allowed"):
        run_node(Module(), make, lock=False)


def test_begin_is_called_after_the_options_and_before_observe() -> None:
    order = []

    def make(_module: t.Any) -> Resource:
        order.append("options")
        return dataclasses.replace(resource(Refused("no")), observe=lambda: order.append("observe"))

    with pytest.raises(Failed):
        run_node(Module(), make, begin=lambda _module: order.append("begin"), lock=False)
    assert order == ["options", "begin", "observe"]


def test_an_expected_error_of_a_reading_module_is_a_message() -> None:
    def read(_module: t.Any) -> dict[str, t.Any]:
        raise CommandFailed("last is not installed on this node.")

    with pytest.raises(Failed, match="last is not installed"):
        read_node(Module(), read)


def test_an_unexpected_error_is_a_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        run_node(Module(), lambda _module: resource(ZeroDivisionError()), lock=False)
