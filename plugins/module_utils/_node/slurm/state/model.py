# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Slurm's state on a controller node's disk and on the shared file system. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

SAVED, RESTORED = "saved", "restored"


@dataclass(frozen=True)
class Desired:
    state: str
    folder: str
    """A folder on a file system that is independent of the controller node's disk."""
    timeout: int
    """Maximum number of seconds to save or restore the database, and for Slurm to respond after a start."""


@dataclass(frozen=True)
class Slurm:
    """Slurm's state on the controller node's disk, according to Slurm's configuration."""

    location: str = ""
    """The folder with slurmctld's state; empty if it is on a shared file system."""
    user: str = "slurm"
    """SlurmUser, who owns the state."""
    database: str = ""
    """The name of the accounting database; empty if it is on a different machine or does not exist."""

    @property
    def local(self) -> bool:
        return bool(self.location or self.database)


@dataclass(frozen=True)
class Saved:
    """A saved state that is not restored yet."""

    id: str
    time: str
    slurm: Slurm
    digests: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    """The SHA-256 of each saved file, keyed by file name."""


@dataclass(frozen=True)
class State:
    slurm: Slurm | None
    """None if Slurm does not respond, or was not queried."""
    saved: Saved | None
    here: str = ""
    """The ID of the saved state of this disk, for which Slurm was stopped; empty if this disk was not saved."""
    running: bool = True
    """Whether slurmctld runs."""
    obstacle: str = ""
    """Why nothing can be saved in the folder."""
    remark: str = ""
    """Why the saved state is not used, for example because other users can write to it."""
    unseen: str = ""
    """The error if the file system did not respond. A later run reads the folder."""
