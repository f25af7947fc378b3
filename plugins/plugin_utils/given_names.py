# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names given as a list or as a string with commas. Pure."""

from __future__ import annotations

import typing as t


def given_names(given: t.Any) -> list[str]:
    """Each name once, in the order given. Any other value counts as one name, so that a refusal can show it."""
    if given is None:
        return []
    words = given if isinstance(given, (list, tuple)) else str(given).split(",")
    return list(dict.fromkeys(name for name in (str(word).strip() for word in words) if name))
