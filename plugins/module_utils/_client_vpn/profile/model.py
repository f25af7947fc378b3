# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Connection profiles of people, without their content."""

from __future__ import annotations

import datetime
import os
import typing as t
from dataclasses import dataclass, field

from ..._core.plan import Secret

MODE = 0o600


@dataclass(frozen=True)
class Desired:
    """The module's options."""

    people: tuple[str, ...]
    folder: str
    now: datetime.datetime
    present: bool = True
    endpoint: str = ""
    """Empty for an endpoint that check mode only predicts."""
    prefix: str = ""
    client: str = "openvpn"
    random_host_prefix: bool = False

    def path(self, name: str) -> str:
        return os.path.join(self.folder, f"{name}.ovpn")


@dataclass(frozen=True)
class Profile:
    """Desired properties of a file, without its content."""

    serial: str
    not_after: str
    digest: Secret


@dataclass(frozen=True)
class File:
    """An observed file, without its content."""

    digest: Secret
    mode: int
    serial: str = ""


@dataclass(frozen=True)
class State:
    """Profiles and files, keyed by person. A person without a profile has no certificate yet, as is possible only in check mode."""

    profiles: t.Mapping[str, Profile] = field(default_factory=dict)
    files: t.Mapping[str, File] = field(default_factory=dict)

    def written(self, name: str, profile: Profile) -> State:
        """A copy of this state in which the file of ``profile`` is written."""
        file = File(profile.digest, MODE, profile.serial)
        return State({**self.profiles, name: profile}, {**self.files, name: file})

    def without_file(self, name: str) -> State:
        return State(self.profiles, {other: file for other, file in self.files.items() if other != name})
