# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Times as text, in the ISO 8601 form for UTC that ends with Z."""

from __future__ import annotations

import datetime


def iso_seconds(moment: datetime.datetime) -> str:
    return moment.astimezone(datetime.timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")


def iso_epoch(seconds: float) -> str:
    """The time that is ``seconds`` after the start of 1970."""
    return iso_seconds(datetime.datetime.fromtimestamp(int(seconds), datetime.timezone.utc))


def iso_now() -> str:
    return iso_seconds(datetime.datetime.now(datetime.timezone.utc))


def moment_of(text: str) -> datetime.datetime:
    """Parse a time.

    :raises ValueError: if the text is not a time.
    """
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def iso_time(moment: datetime.datetime | str | None) -> str:
    """The time in UTC with milliseconds. A text is returned unchanged, and None gives an empty text."""
    if not moment:
        return ""
    if isinstance(moment, str):
        return moment
    return moment.astimezone(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
