# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of the previous run, for comparison."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path


def earlier(path: str, schema: int) -> dict[str, t.Any] | None:
    """The report of the last run from this control node; None if there is no readable report with this schema."""
    try:
        found: dict[str, t.Any] = json.loads(Path(path).expanduser().read_text(encoding="utf-8"))
        return found if found["schema"] == schema else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
