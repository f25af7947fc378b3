# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Paths of the programs. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...hung_tools import FOLDER
from ...options import Places
from ...tools import PATHS

MEMORY = "slurm-health-memory.json"
"""Separate from the memory of the collection's runs, because rates need checks of the same kind at regular times."""


@dataclass(frozen=True)
class Here:
    folder: str
    """The folder of the programs and their settings."""
    places: Places = field(default_factory=Places)
    run: str = "/run"
    """A folder that is emptied at each boot."""
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
