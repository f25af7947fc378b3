# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The claim of this run: the value that it writes into a lock when it acquires the lock."""

from __future__ import annotations

import datetime
import getpass
import os
import socket

from .._core.failure import Refused
from .._core.times import iso_seconds
from .model import Claim
from .process import RunProcess

DEFAULT_TTL = 3600


def own_token(token: str | None = None) -> str | None:
    """The identity of this run: ``token`` if given, otherwise that of the running ansible command; None if there is neither."""
    process = RunProcess.current()
    if token is None and process is not None:
        return f"{process.host}/{process.place}/{process.pid}/{process.started}"
    return token


def own_claim(*, owner: str | None = None, token: str | None = None, ttl: int = DEFAULT_TTL) -> Claim:
    """The claim that this run would write now.

    :raises Refused: if nothing identifies this run.
    """
    process, own = RunProcess.current(), own_token(token)
    if own is None:
        raise Refused("token: missing; it is required because no running ansible command was found to identify the run.")
    now = datetime.datetime.now(datetime.timezone.utc)
    return Claim(
        owner=owner or own_name(),
        token=own,
        host=socket.gethostname(),
        place=process.place if process else "",
        pid=process.pid if process else 0,
        started=process.started if process else 0,
        acquired=iso_seconds(now),
        expires=iso_seconds(now + datetime.timedelta(seconds=ttl)),
    )


def own_name() -> str:
    """The user and host of this run, for people to read. In a container, the UID may have no name."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}"
