# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in a variable that is a list or a string with commas. No I/O."""

from __future__ import annotations

import typing as t


def given_names(given: t.Any) -> list[str]:
    """The names without duplicates, in their order. A value of any other type becomes one name, so that a refusal can show it."""
    if given is None:
        return []
    words = given if isinstance(given, (list, tuple)) else str(given).split(",")
    return list(dict.fromkeys(name for name in (str(word).strip() for word in words) if name))
