# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Where the programs find what they need. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...hung_tools import FOLDER
from ...options import Places
from ...tools import PATHS

MEMORY = "slurm-health-memory.json"
"""Of its own: runs of the collection write theirs at any time, and rates are between looks of one kind."""


@dataclass(frozen=True)
class Here:
    folder: str
    """That of the programs, with what the module wrote there."""
    places: Places = field(default_factory=Places)
    run: str = "/run"
    """Gone with each boot."""
    hung: str = FOLDER
    paths: str = PATHS

    @property
    def memory(self) -> str:
        return f"{self.folder}/{MEMORY}"

    @property
    def verdict(self) -> str:
        return f"{self.run}/mlfleet-hyperpod-slurm-health.json"

    @property
    def lock(self) -> str:
        return f"{self.run}/mlfleet-hyperpod-slurm-health.lock"
