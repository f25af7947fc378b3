# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Writes profiles to files with mode 0600, and removes such files."""

from __future__ import annotations

import os
import tempfile
import typing as t

from ..._core.failure import refuse_option
from ..._core.plan import Step
from .model import Desired
from .plan import REMOVE


class Applier:
    """Applies the steps. ``text`` returns the profile of a person."""

    def __init__(self, desired: Desired, text: t.Callable[[str], str]) -> None:
        self._desired = desired
        self._text = text

    def __call__(self, step: Step) -> None:
        try:
            self._apply(step.operation, step.arguments["name"])
        except OSError as error:
            why = f"{error.filename} can't be written ({error.strerror})"
            refuse_option("folder", self._desired.folder, "a folder that can be read and written", why)

    def _apply(self, operation: str, name: str) -> None:
        path = self._desired.path(name)
        if operation == REMOVE:
            os.unlink(path)
            return
        make_folder(self._desired.folder)
        write(path, self._text(name))


def make_folder(path: str) -> None:
    """Create a folder and its missing parents, accessible only to the owner."""
    if not os.path.isdir(path):
        make_folder(os.path.dirname(path))
        os.mkdir(path, 0o700)


def write(path: str, text: str) -> None:
    """Replace ``path`` atomically. The new file has its final mode from the start."""
    descriptor, temporary = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
