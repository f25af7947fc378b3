# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""AWS's placeholders for missing values, in connections and in the connection log."""

from __future__ import annotations

import typing as t

NOTHING = ("", "-", "NA", "N/A")


def said(value: t.Any) -> str:
    """The text; empty for a placeholder."""
    text = str(value or "").strip()
    return "" if text in NOTHING else text
