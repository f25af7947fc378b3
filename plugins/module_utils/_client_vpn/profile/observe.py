# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the files and their desired content."""

from __future__ import annotations

import os
import stat

from ..._core.failure import refuse_option
from ..._core.plan import Secret
from ..pki.values import Certificate
from .model import Desired, File, Profile, State
from .source import Source
from .text import serial_in


class Observer:
    """Reads the files and builds the profiles. The state contains only digests, because the texts contain private keys."""

    def __init__(self, source: Source | None, desired: Desired) -> None:
        """``source`` is None if files are only removed."""
        self._source = source
        self._desired = desired
        self._made: dict[str, tuple[Certificate, str]] | None = None

    def __call__(self) -> State:
        """The state of the files. Only the first call reads from AWS.

        :raises Refused: for a secret with unexpected content.
        """
        found = {name: self._read(name) for name in self._desired.people}
        if self._made is None:
            texts = {name: file[0] if file else None for name, file in found.items()}
            self._made = self._source.made(texts) if self._source else {}
        profiles = {
            name: Profile(own.serial, own.not_after, Secret.of(text)) for name, (own, text) in self._made.items()
        }
        files = {
            name: File(Secret.of(file[0]), file[1], serial_in(file[0])) for name, file in found.items() if file is not None
        }
        return State(profiles, files)

    def text(self, name: str) -> str:
        return (self._made or {})[name][1]

    def _read(self, name: str) -> tuple[str, int] | None:
        """Text and mode of a person's file."""
        try:
            with open(self._desired.path(name), encoding="utf-8", errors="replace") as file:
                return file.read(), stat.S_IMODE(os.fstat(file.fileno()).st_mode)
        except FileNotFoundError:
            return None
        except OSError as error:
            why = f"{self._desired.path(name)} can't be read ({error.strerror})"
            refuse_option("folder", self._desired.folder, "a folder that can be read and written", why)
