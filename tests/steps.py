# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a long test: a failure names the step in which it happened."""

from __future__ import annotations

import contextlib
import typing as t


@contextlib.contextmanager
def step(name: str) -> t.Iterator[None]:
    try:
        yield
    except BaseException as error:
        error.add_note(f"in step: {name}")
        raise
