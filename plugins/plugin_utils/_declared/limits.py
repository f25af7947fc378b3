# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares numbers and texts with the limits of a role. Messages name the public variables."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text

from .variables import Known, set_by

Values = t.Mapping[str, t.Any]
"""Values, keyed by variable of the role."""


def range_problems(values: Values, ranges: t.Mapping[str, t.Sequence[int]], known: Known) -> list[str]:
    """Refusals of numbers outside ``ranges`` (minimum and maximum, keyed by variable). Variables without a value are skipped."""
    return [
        refusal_text(set_by(name, known), str(values[name]), f"{first} to {last}")
        for name, (first, last) in ranges.items()
        if name in values and not first <= int(values[name]) <= last
    ]


def text_problems(values: Values, rules: t.Mapping[str, t.Mapping[str, str]], known: Known) -> list[str]:
    """Refusals of texts. ``rules`` has, for each variable, the ``pattern`` of its texts and ``allowed`` for the message."""
    sentences = []
    for name, rule in ((name, rule) for name, rule in rules.items() if name in values):
        value = values[name]
        given = [str(each) for each in (value if isinstance(value, (list, tuple)) else [value])]
        wrong = [each for each in given if not re.match(rule["pattern"], each)]
        if wrong:
            sentences.append(refusal_text(set_by(name, known), ", ".join(wrong), rule["allowed"]))
    return sentences


def overlapping(cidr: str, networks: t.Sequence[str]) -> list[str]:
    """The ``networks`` that share addresses with ``cidr``."""
    wanted = ipaddress.ip_network(cidr, strict=False)
    return [str(each) for each in networks if wanted.overlaps(ipaddress.ip_network(str(each), strict=False))]
