# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Removes files and renames a home as its owner, because root has no rights on storage with root squash."""

from __future__ import annotations

import contextlib
import os
import typing as t

from ..._core.plan import Step
from .. import child
from .model import Desired

_SECONDS = 20.0


class Applier:
    def __init__(self, desired: Desired) -> None:
        self._desired = desired

    def __call__(self, step: Step) -> None:
        try:
            getattr(self, "_" + step.operation)(**step.arguments)
        except child.Hung:
            raise child.Hung(f"The file system of {self._desired.home} did not respond. Run again.") from None

    def _remove_file(self, *, path: str) -> None:
        def remove() -> None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

        child.run(remove, timeout=_SECONDS, identity=self._desired.identity)

    def _archive_home(self) -> None:
        """The owner removes other users' access to the folder and renames it. If the owner may not rename it, root does."""
        child.run(self._close, timeout=_SECONDS, identity=self._desired.identity)
        try:
            child.run(self._rename, timeout=_SECONDS, identity=self._desired.identity)
        except child.ChildFailed:
            child.run(self._rename, timeout=_SECONDS)

    def _close(self) -> None:
        with self._unless_archived():
            os.chmod(self._desired.home, 0o700)

    def _rename(self) -> None:
        with self._unless_archived():
            os.rename(self._desired.home, self._desired.archived)

    @contextlib.contextmanager
    def _unless_archived(self) -> t.Iterator[None]:
        """Ignore a missing home that a run for a different cluster with the same storage has archived concurrently."""
        try:
            yield
        except FileNotFoundError:
            if not os.path.lexists(self._desired.archived):
                raise
