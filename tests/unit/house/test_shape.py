# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one shape of modules' tests notices a module that does not have it, and a step is named by what fails in it."""

from __future__ import annotations

import typing as t

import pytest
from simulated import shape
from steps import step

UNKNOWN = "(known after apply)"


class World:
    """A module that keeps one thing, and may have a fault."""

    def __init__(self, fault: str = "") -> None:
        self.fault, self.there, self.made = fault, False, 0
        self.calls: list[str] = []

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        wanted = options.get("state") != "absent"
        changed = wanted != self.there or self.fault == "changes again"
        self.calls = ["Call"] if changed and (not check or self.fault == "calls in check mode") else []
        if changed and not check:
            self.there, self.made = wanted, self.made + 1
        id_and_status = (UNKNOWN, "made") if check and changed else (self.made, "there")
        name = "another" if check and self.fault == "foresees another name" else module
        thing = {"exists": wanted, "name": name, **dict(zip(("id", "status"), id_and_status))}
        changes = [{"action": "create", "resource": "file x", "field": None}] if changed and self.fault != "tells no change" else []
        failed = {"failed": True, "msg": "no"} if self.fault == "fails" else {}
        return {"changed": changed, "changes": changes, "thing": thing, **failed}

    def changes(self) -> list[str]:
        return self.calls

    def problems(self) -> list[str]:
        return ["a tag without a key"] if self.fault == "asks AWS wrongly" else []


def one_shape(world: World, **options: t.Any) -> t.Any:
    return shape.one_shape(world, "module", present={}, absent={"state": "absent"}, **options)


def test_a_module_that_has_the_shape() -> None:
    made, gone = one_shape(World(), unforeseen=["thing.status"])
    assert (made["thing"]["exists"], gone["thing"]["exists"]) == (True, False)


@pytest.mark.parametrize(
    ("fault", "where"),
    [
        ("", "run"),  # its status is not as foreseen
        ("calls in check mode", "check mode"),
        ("foresees another name", "run"),
        ("tells no change", "run"),
        ("asks AWS wrongly", "run"),
        ("changes again", "again"),
        ("fails", "check mode"),
    ],
)
def test_a_module_that_has_it_not(fault: str, where: str) -> None:
    with pytest.raises(AssertionError) as raised:
        one_shape(World(fault), unforeseen=["thing.status"] if fault else [])
    assert raised.value.__notes__ == [f"in step: {where}", "in step: present"]


def test_a_module_that_only_reads() -> None:
    with pytest.raises(AssertionError):
        shape.reads(World(), "module")
    world = World()
    world.there = True
    assert shape.reads(world, "module")["thing"]["exists"]


def test_the_step_that_fails_is_named_and_no_other() -> None:
    with step("first"):
        pass
    with pytest.raises(KeyError) as raised, step("second"):
        raise KeyError
    assert raised.value.__notes__ == ["in step: second"]
