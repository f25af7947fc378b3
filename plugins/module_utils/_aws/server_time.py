# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The time of AWS, which the clock of the control node may differ from. Times of events are times of AWS."""

from __future__ import annotations

import email.utils
import typing as t

from .._core.times import iso_seconds
from .client import Api


class ServerTime:
    """The time of the first reply to a client, from the header Date. Empty before the first reply, or without a valid header."""

    def __init__(self, api: Api) -> None:
        self.first = ""
        self._is_seen = False
        api.client.meta.events.register("after-call", self._see)

    def _see(self, http_response: t.Any, **_more: t.Any) -> None:
        if self._is_seen:
            return
        self._is_seen = True
        try:
            moment = email.utils.parsedate_to_datetime(http_response.headers["date"])
        except (KeyError, TypeError, ValueError):
            return
        if moment.tzinfo is not None:
            self.first = iso_seconds(moment)
