# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation of declared structures. Each refusal names the path of the value, such as ``karpenter_node_pools[0].name``. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option, refuse_shown
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import made, parts

from .nearest import did_you_mean

STATES = ("present", "absent")
Given = t.Mapping[str, t.Any]


def fields(option: str, given: t.Any, known: t.Sequence[str], *, required: t.Sequence[str] = ()) -> dict[str, t.Any]:
    """A copy of the object. An object with unknown fields or without a required field is refused."""
    if not isinstance(given, dict):
        refuse_option(option, given, f"an object with {', '.join(known)}")
    with parts() as part:
        for name in given:
            with part:
                _check_known(f"{option}.{name}", str(name), known)
        for name in required:
            with part:
                if given.get(name) in (None, ""):
                    raise Refused(f"{option}.{name}: missing.", option=f"{option}.{name}")
    return dict(given)


def _check_known(option: str, name: str, known: t.Sequence[str]) -> None:
    if name not in known:
        raise Refused(f"{option}: unknown{did_you_mean(name, known)}Allowed: {', '.join(known)}.", option=option)


def each_of(make: t.Callable[[str, t.Any], t.Any], option: str, given: t.Iterable[t.Any]) -> list[t.Any]:
    """The results of ``make`` for each item of a list. ``make`` gets the path and the value of the item."""
    return made(lambda each: make(f"{option}[{each[0]}]", each[1]), enumerate(given))


def items(option: str, given: t.Any, most: int | None = None) -> list[t.Any]:
    if not isinstance(given, list):
        refuse_option(option, given, "a list")
    if most is not None and len(given) > most:
        refuse_shown(option, f"a list of {len(given)}", f"{most} at most")
    return given


def one_of(option: str, given: t.Any, allowed: t.Sequence[str]) -> str:
    if given not in allowed:
        refuse_option(option, given, ", ".join(allowed))
    return str(given)


def number(option: str, given: t.Any, low: int, high: int) -> int:
    if isinstance(given, bool) or not isinstance(given, int) or not low <= given <= high:
        refuse_option(option, given, f"{low} to {high}")
    return given
