# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``sshd_config``."""

from __future__ import annotations

import typing as t

from ..files import DROP_IN
from .model import State


def result(state: State) -> dict[str, t.Any]:
    shown = {
        "path": DROP_IN,
        "state": "absent" if state.text is None else "present",
        "content": state.text,
        "refusal": state.refusal,
    }
    return {"sshd_config": shown}
