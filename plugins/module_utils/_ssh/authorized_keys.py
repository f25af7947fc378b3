# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The managed authorized_keys file of one account: converts its entries to text, and text to entries."""

from __future__ import annotations

import datetime
import time
import typing as t
from dataclasses import dataclass

from .._core.text import lines_of
from .._core.times import iso_epoch, moment_of
from . import key_options, user_key
from .public_key import BadKey, PublicKey

HEADER = "# Managed by mlfleet.hyperpod.accounts; changes made here are lost.\n"
_EXPIRY_FORMATS = ("%Y%m%d", "%Y%m%d%H%M", "%Y%m%d%H%M%S")
EXPIRES_ALLOWED = "a date YYYY-MM-DD or a time YYYY-MM-DDTHH:MM[:SS], in UTC unless it has an offset"


@dataclass(frozen=True)
class Entry:
    key: PublicKey
    options: str = ""
    expires: int | None = None
    """In seconds since 1970. From this time on, sshd no longer accepts the key."""

    def line(self) -> str:
        options = [self.options] if self.options else []
        if self.expires is not None:
            # Without Z, the time is the node's local time. OpenSSH 8.9 of Ubuntu 22.04 does not support Z.
            local = time.strftime("%Y%m%d%H%M%S", time.localtime(self.expires))
            options.append(f'expiry-time="{local}"')
        return " ".join(part for part in (",".join(options), str(self.key)) if part)

    def expired(self, now: int) -> bool:
        return self.expires is not None and self.expires <= now

    def summary(self) -> str:
        """The entry as a plan shows it, with enough detail to recognize and compare it."""
        parts = [self.key.algorithm, self.key.fingerprint, self.key.comment, self.options]
        if self.expires is not None:
            parts.append(f"expires {iso_epoch(self.expires)}")
        return " ".join(part for part in parts if part)

    def to_result(self) -> dict[str, t.Any]:
        return {
            "type": self.key.algorithm,
            "fingerprint": self.key.fingerprint,
            "comment": self.key.comment,
            "options": self.options,
            "expires": None if self.expires is None else iso_epoch(self.expires),
        }


def render(entries: t.Iterable[Entry], *, now: int) -> str:
    """The file's text, without expired keys. Empty if no key remains; the file is then removed."""
    lines = [entry.line() + "\n" for entry in entries if not entry.expired(now)]
    return HEADER + "".join(lines) if lines else ""


def read(text: str) -> tuple[Entry, ...]:
    """The entries of an existing text, without lines that OpenSSH would not accept."""
    entries = []
    for line in lines_of(text):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            entry = _read_line(stripped)
            if entry is not None:
                entries.append(entry)
    return tuple(entries)


def parse_expires(text: str) -> int:
    """Seconds since 1970 for an ISO time, or for the start of an ISO date in UTC. Raises ValueError for other texts."""
    moment = moment_of(text.strip())
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return int(moment.timestamp())


def _read_line(line: str) -> Entry | None:
    options, rest = "", line
    if line.split(None, 1)[0] not in user_key.ALGORITHMS:
        cut = key_options.end(line)
        options, rest = line[:cut], line[cut:]
    try:
        key = user_key.parse(rest)
        names = key_options.split(options) if options else []
    except (BadKey, key_options.BadOptions):
        return None
    expiry = [name for name in names if name.lower().startswith("expiry-time=")]
    others = ",".join(name for name in names if name not in expiry)
    return Entry(key=key, options=others, expires=_read_expiry(expiry[0]) if expiry else None)


def _read_expiry(option: str) -> int | None:
    value = option.partition("=")[2].strip('"')
    for form in _EXPIRY_FORMATS:
        try:
            return int(time.mktime(time.strptime(value, form)))
        except ValueError:
            continue
    return None
