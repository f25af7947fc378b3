# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What there is of Slurm's state on a controller's disk and on the shared file system. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

SAVED, RESTORED = "saved", "restored"


@dataclass(frozen=True)
class Desired:
    state: str
    folder: str
    """On a file system that outlives the controller's disk."""
    timeout: int
    """Seconds for the database, and for Slurm to answer again."""


@dataclass(frozen=True)
class Slurm:
    """State on the controller's own disk, according to its configuration."""

    location: str = ""
    """Of slurmctld's state; empty if it is on a shared file system."""
    user: str = "slurm"
    """SlurmUser, who owns it."""
    database: str = ""
    """Name of the accounting database; empty if it is on another machine or does not exist."""

    @property
    def local(self) -> bool:
        return bool(self.location or self.database)


@dataclass(frozen=True)
class Saved:
    """A saved state that has not been put back."""

    id: str
    time: str
    slurm: Slurm
    digests: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    """SHA-256 by file."""


@dataclass(frozen=True)
class State:
    slurm: Slurm | None
    """None if Slurm does not respond, or was not queried."""
    saved: Saved | None
    here: str = ""
    """The saved state that this disk gave, for which Slurm was stopped; empty on a disk that gave none."""
    running: bool = True
    """slurmctld runs."""
    obstacle: str = ""
    """Why nothing can be saved there."""
    remark: str = ""
    """Why the folder is not looked into."""
    unseen: str = ""
    """Why it could not be looked into this time."""
