# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``login_sessions``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import asdict

from .model import Session, State


def result(state: State) -> dict[str, t.Any]:
    return {"login_sessions": [session_to_result(each) for each in state]}


def session_to_result(session: Session) -> dict[str, t.Any]:
    shown = asdict(session)
    del shown["pids"]
    return {**shown, "commands": list(session.commands), "processes": len(session.pids)}
