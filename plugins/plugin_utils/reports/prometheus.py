# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of a report for the text file collector of Prometheus' node_exporter. No I/O."""

from __future__ import annotations

import typing as t

Rows = t.Iterable[tuple[t.Mapping[str, str], int]]
"""Pairs of labels and a value."""


def metric(name: str, text: str, rows: Rows) -> list[str]:
    """The lines of a gauge."""
    return [f"# HELP {name} {text}", f"# TYPE {name} gauge", *(f"{name}{_labels(labels)} {value}" for labels, value in rows)]


def label(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _labels(labels: t.Mapping[str, str]) -> str:
    pairs = ",".join(f'{name}="{label(value)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""
