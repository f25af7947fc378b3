# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The common sequence of a module's test: check mode predicts, a run applies, and the next run changes nothing."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings import report_text
from steps import step

from . import documented

COMMON = documented.COMMON | {"mutating", "problems"}
"""Values that are not specific to a module."""


class World(t.Protocol):
    """The target of module runs: a simulated AWS, or a bare node."""

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        """The module's result."""

    def changes(self) -> list[str]:
        """Changes of the last run."""

    def problems(self) -> list[str]:
        """Faults of the last run's requests."""


def one_shape(
    world: World,
    module: str,
    *,
    present: t.Mapping[str, t.Any],
    absent: t.Mapping[str, t.Any],
    unforeseen: t.Collection[str] = (),
    passing: t.Collection[str] = (),
) -> tuple[dict[str, t.Any], dict[str, t.Any]]:
    """Results of the runs that create and remove a resource; ``unforeseen`` and ``passing`` as for ``changes_once``."""
    with step("present"):
        made = changes_once(world, module, unforeseen=unforeseen, passing=passing, **present)
    with step("absent"):
        gone = changes_once(world, module, unforeseen=unforeseen, passing=passing, **absent)
    return made, gone


def changes_once(
    world: World, module: str, /, *, unforeseen: t.Collection[str] = (), passing: t.Collection[str] = (), **options: t.Any
) -> dict[str, t.Any]:
    """The result of the first run.

    :param unforeseen: Names of values with dots (``changes.after.since``) that check mode cannot know and does not
        report as unknown.
    :param passing: Values about the run itself, which differ in the next run.
    """
    with step("check mode"):
        foreseen = _run(world, module, check=True, **options)
        assert foreseen["changed"] and world.changes() == [], foreseen
    with step("run"):
        done = _run(world, module, **options)
        assert done["changed"] and world.changes(), done
        assert world.problems() == []
        differences = _differences(_compared(foreseen, unforeseen), _compared(done, unforeseen))
        assert foreseen["changes"] and not differences, "\n".join(differences)
        assert report_text.OTHER not in report_text.kinds(done["changes"]), done["changes"]
    for again, check in (("again", False), ("check mode again", True)):
        with step(again):
            result = reads(world, module, check=check, **options)
            assert result.get("changes", []) == [] and _own(result, passing) == _own(done, passing)
    return done


def reads(world: World, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
    """The result of a run that changes nothing."""
    result = _run(world, module, check=check, **options)
    assert (result["changed"], world.changes(), world.problems()) == (False, [], []), result
    return result


def _run(world: World, module: str, /, **options: t.Any) -> dict[str, t.Any]:
    result = world.run(module, **options)
    assert not result.get("failed"), result["msg"]
    return result


def _compared(result: t.Mapping[str, t.Any], without: t.Collection[str]) -> dict[str, t.Any]:
    """The module's own values, and its changes."""
    return {**_own(result, without), **_without({"changes": result["changes"]}, without)}


def _own(result: t.Mapping[str, t.Any], without: t.Collection[str]) -> dict[str, t.Any]:
    return {name: value for name, value in _without(result, without).items() if name not in COMMON}


def _without(value: t.Any, names: t.Collection[str], where: str = "") -> t.Any:
    if isinstance(value, list):
        return [_without(each, names, where) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: _without(part, names, f"{where}{name}.") for name, part in value.items() if where + name not in names}


def _differences(foreseen: t.Any, real: t.Any, where: str = "") -> list[str]:
    """Differences of two values; a value that is known after apply equals any other."""
    if foreseen in (real, KNOWN_AFTER_APPLY):
        return []
    if isinstance(foreseen, dict) and isinstance(real, dict) and foreseen.keys() == real.keys():
        return [difference for name in real for difference in _differences(foreseen[name], real[name], f"{where}.{name}")]
    if isinstance(foreseen, list) and isinstance(real, list) and len(foreseen) == len(real):
        return [difference for at, each in enumerate(real) for difference in _differences(foreseen[at], each, f"{where}[{at}]")]
    return [f"{where or 'the result'}: foreseen {foreseen!r}, real {real!r}"]
