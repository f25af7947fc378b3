# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The common sequence of modules' tests detects faulty modules, and a failure names its step."""

from __future__ import annotations

import typing as t

import pytest
from simulated import shape
from steps import step

UNKNOWN = "(known after apply)"


class World:
    """A module that manages one object, and may have a fault."""

    def __init__(self, fault: str = "") -> None:
        self.fault, self.exists, self.count = fault, False, 0
        self.calls: list[str] = []

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        wanted = options.get("state") != "absent"
        changed = wanted != self.exists or self.fault == "changes again"
        self.calls = ["Call"] if changed and (not check or self.fault == "calls in check mode") else []
        if changed and not check:
            self.exists, self.count = wanted, self.count + 1
        id_and_status = (UNKNOWN, "made") if check and changed else (self.count, "exists")
        name = "another" if check and self.fault == "predicts another name" else module
        thing = {"exists": wanted, "name": name, **dict(zip(("id", "status"), id_and_status))}
        changes = [{"action": "create", "resource": "file x", "field": None}] if changed and self.fault != "reports no change" else []
        failed = {"failed": True, "msg": "no"} if self.fault == "fails" else {}
        return {"changed": changed, "changes": changes, "thing": thing, **failed}

    def changes(self) -> list[str]:
        return self.calls

    def problems(self) -> list[str]:
        return ["a tag without a key"] if self.fault == "sends a wrong request" else []


def one_shape(world: World, **options: t.Any) -> t.Any:
    return shape.one_shape(world, "module", present={}, absent={"state": "absent"}, **options)


def test_a_correct_module_passes() -> None:
    made, gone = one_shape(World(), unforeseen=["thing.status"])
    assert (made["thing"]["exists"], gone["thing"]["exists"]) == (True, False)


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        ("", "run"),  # its status differs from the prediction
        ("calls in check mode", "check mode"),
        ("predicts another name", "run"),
        ("reports no change", "run"),
        ("sends a wrong request", "run"),
        ("changes again", "again"),
        ("fails", "check mode"),
    ],
)
def test_a_faulty_module_fails_in_the_right_step(fault: str, where: str) -> None:
    with pytest.raises(AssertionError) as raised:
        one_shape(World(fault), unforeseen=["thing.status"] if fault else [])
    assert raised.value.__notes__ == [f"in step: {where}", "in step: present"]


def test_a_module_that_only_reads_must_not_change_anything() -> None:
    with pytest.raises(AssertionError):
        shape.reads(World(), "module")
    world = World()
    world.exists = True
    assert shape.reads(world, "module")["thing"]["exists"]


def test_only_the_failed_step_is_named() -> None:
    with step("first"):
        pass
    with pytest.raises(KeyError) as raised, step("second"):
        raise KeyError
    assert raised.value.__notes__ == ["in step: second"]
