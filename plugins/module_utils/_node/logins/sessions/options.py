# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``login_sessions``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from ...._core.failure import refuse_option
from ...._core.text import lines_of
from .model import Desired

_RANGES = {"wait_timeout": (0, 86400), "poll_interval": (1, 300)}
_LONGEST_NOTICE = 2000


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    for option, (lowest, highest) in _RANGES.items():
        if not lowest <= params[option] <= highest:
            refuse_option(option, params[option], f"seconds from {lowest} to {highest}")
    return Desired(params["state"] == "ended", _notice(params["notice"]), params["operations_user"])


def _notice(text: str) -> str:
    if len(text) > _LONGEST_NOTICE or not all(line.isprintable() for line in lines_of(text)):
        refuse_option("notice", text, f"at most {_LONGEST_NOTICE} printable characters and line breaks")
    return text
