# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads untrusted data from a node, which may have any form and size. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import LONGEST
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import one_line

Row = t.Mapping[str, t.Any]


def line(value: t.Any) -> str:
    """The value as one printable line; empty for None and for other empty values."""
    return one_line(value or "")[:LONGEST]


def entries(value: t.Any, most: int) -> t.Sequence[t.Any]:
    """The first ``most`` items of a list; empty if the value is not a list."""
    return value[:most] if isinstance(value, (list, tuple)) else ()


def rows(value: t.Any, most: int) -> list[Row]:
    return [each for each in entries(value, most) if isinstance(each, t.Mapping)]
