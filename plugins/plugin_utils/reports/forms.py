# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A report as JSON for programs, as CSV for auditors, and as a table for the screen. No I/O."""

from __future__ import annotations

import csv
import io
import json
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable

NOT_READ = "not read"
"""The state of parts that were not read. It shows that a report is incomplete."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def json_text(document: t.Any) -> str:
    return json.dumps(document, indent=2, sort_keys=True) + "\n"


def csv_text(columns: t.Sequence[str], rows: t.Iterable[t.Mapping[str, str]]) -> str:
    """The rows as CSV. A cell that a row lacks is empty."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name, "")) for name in columns] for row in rows)
    return stream.getvalue()


def table(head: t.Sequence[str], rows: t.Iterable[t.Sequence[str]]) -> list[str]:
    """The lines of a table. Each column is as wide as its longest cell."""
    shown = [head, *([printable(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*shown)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in shown]


def _cell(value: str) -> str:
    """The printable value of a cell, escaped so that a spreadsheet does not evaluate user input as a formula."""
    text = printable(value)
    return f"'{text}" if text.startswith(_FORMULA) else text
