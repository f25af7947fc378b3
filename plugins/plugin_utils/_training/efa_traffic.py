# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bytes that EFA devices sent during a job, in words."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import GREW, NO_DEVICES, UNCHANGED
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count

NOT_KNOWN, NONE = "not known", "no EFA devices"
UNITS = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
Row = t.Mapping[str, t.Any]
"""An entry of ``efa_traffic`` in the result of ``training_job``."""


def of_node(row: Row) -> str:
    if row["counters"] in (GREW, UNCHANGED):
        return size(row["sent_bytes"])
    return NONE if row["counters"] == NO_DEVICES else NOT_KNOWN


def of_job(job: t.Mapping[str, t.Any]) -> str:
    """The traffic of all nodes of a job; empty if the job did not measure it."""
    rows: t.Sequence[Row] = job.get("efa_traffic") or ()
    sent = [row["sent_bytes"] for row in rows if row["counters"] == GREW]
    parts = [f"{_range(min(sent), max(sent))} by {_of(len(sent), rows)}"] if sent else []
    for words in (size(0), NOT_KNOWN, NONE):
        found = sum(of_node(row) == words for row in rows)
        parts += [f"{words} on {_of(found, rows)}"] if found else []
    return ", ".join(parts)


def _range(low: int, high: int) -> str:
    return size(low) if size(low) == size(high) else f"{size(low)} to {size(high)}"


def _of(number: int, rows: t.Sequence[Row]) -> str:
    return count(number, "node") if number < len(rows) or number == 1 else f"each of {number} nodes"


def size(number: int) -> str:
    for unit, name in UNITS:
        if number >= unit:
            return f"{number / unit:.3g} {name}"
    return f"{number} bytes"
