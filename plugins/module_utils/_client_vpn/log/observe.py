# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the lines of a connection log about attempts to connect."""

from __future__ import annotations

import time

from ..._aws.client import Api, AwsError
from .model import Desired

ATTEMPTS = '{ $.connection-log-type = "connection-attempt" }'
DAY = 24 * 3600


def observe(logs: Api, desired: Desired) -> tuple[str, ...] | None:
    """The lines; None if the log group does not exist."""
    start = int(time.time() - desired.days * DAY) * 1000
    settings = {"logGroupName": desired.log_group, "startTime": start, "filterPattern": ATTEMPTS}
    try:
        events = logs.pages("FilterLogEvents", "events", about=desired.log_group, **settings)
    except AwsError as error:
        if error.code == "ResourceNotFoundException":
            return None
        raise
    return tuple(str(event.get("message") or "") for event in events)
