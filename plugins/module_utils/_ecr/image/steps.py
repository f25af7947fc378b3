# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The progress of a build, found in the output of the builder."""

from __future__ import annotations

import re

from ..._core.waits import Progress

_STEP = re.compile(r"(?:\[\d+/\d+\] )?(?:STEP|Step) (\d+)/(\d+) ?:|#\d+ \[(?:\S+ )*(\d+)/(\d+)\]")
"""Buildah and Podman (with the number of the stage), Docker without BuildKit, and BuildKit (with the name of the stage)."""


class Steps:
    """Reports the last step. A new line with the same step is printed only at intervals."""

    def __init__(self, progress: Progress, subject: str) -> None:
        self._progress = progress
        self._state = "being built"
        progress.begin(subject)

    def __call__(self, line: str) -> None:
        match = _STEP.match(line)
        if match:
            number, count = match[1] or match[3], match[2] or match[4]
            self._state = f"being built (step {number} of {count})"
        self._progress.see(self._state)

    def pushing(self, _line: str) -> None:
        self._progress.see("being pushed")
