# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prometheus' text format, for the text file collector of node_exporter. No I/O."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import lines_of

PREFIX = "mlfleet_hyperpod"
_VALUE = r'"((?:[^"\\]|\\[\\"n])*)"'
_ESCAPES = {"\\": "\\\\", "\n": "\\n", '"': '\\"'}
_ESCAPED = {escaped: plain for plain, escaped in _ESCAPES.items()}


@dataclass(frozen=True)
class Family:
    """A gauge. The names of its labels are the same for all samples."""

    name: str
    """The name without ``PREFIX``."""
    text: str
    labels: tuple[str, ...] = ()

    @property
    def full_name(self) -> str:
        return f"{PREFIX}_{self.name}"


Samples = t.Mapping[tuple[str, ...], int]
"""The values of a family, keyed by the values of its labels."""


def rendered(families: t.Mapping[Family, Samples]) -> str:
    return "".join(f"{line}\n" for family, samples in families.items() for line in _lines(family, samples))


def parsed(text: str, families: t.Iterable[Family]) -> dict[Family, dict[tuple[str, ...], int]]:
    """The samples of these families, in the form that ``rendered`` writes. All other lines are ignored."""
    patterns = {family: re.compile(_pattern(family)) for family in families}
    found: dict[Family, dict[tuple[str, ...], int]] = {family: {} for family in patterns}
    by_name = {family.full_name: family for family in patterns}
    for line in lines_of(text):
        family = by_name.get(re.split("[ {]", line, maxsplit=1)[0])
        match = patterns[family].fullmatch(line) if family else None
        if family and match and line.isprintable():
            *labels, value = match.groups()
            found[family][tuple(_plain(each) for each in labels)] = int(value)
    return found


def _lines(family: Family, samples: Samples) -> list[str]:
    name = family.full_name
    rows = [f"{name}{_labels(family.labels, values)} {value}" for values, value in samples.items()]
    return [f"# HELP {name} {family.text}", f"# TYPE {name} gauge", *rows]


def _labels(names: t.Sequence[str], values: t.Sequence[str]) -> str:
    if len(names) != len(values):
        raise ValueError(f"{len(values)} values for the labels {names}")
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in zip(names, values))
    return f"{{{pairs}}}" if pairs else ""


def _pattern(family: Family) -> str:
    pairs = ",".join(f"{name}={_VALUE}" for name in family.labels)
    labels = rf"\{{{pairs}\}}" if pairs else ""
    return rf"{family.full_name}{labels} ([0-9]{{1,15}})"


def _escaped(value: str) -> str:
    return re.sub(r'[\\\n"]', lambda found: _ESCAPES[found[0]], value)


def _plain(value: str) -> str:
    return re.sub(r'\\[\\"n]', lambda found: _ESCAPED[found[0]], value)
