# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Kueue's manager and its file: desired and observed."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

from ..kueue_gates import Version


@dataclass(frozen=True)
class Manager:
    """The Deployment of Kueue's manager, and its configuration."""

    version: Version | None
    image: str
    by_argument: bool
    """Its command line sets feature gates, so it ignores those in the file."""
    key: str
    """Of the ConfigMap, with the file."""
    text: str
    gates: t.Mapping[str, bool] = field(default_factory=dict)
    before: str | None = None
    """The file before a change that was begun and not seen to end."""
    behind: bool = False
    """It was not started after the last change of its file."""
    resource_version: str = ""
    """Of the ConfigMap."""
    not_up: str = ""
    """Why the manager does not run with the newest template; empty if it does."""
    crashed: str = ""
    """Why the manager of the newest template ended, if it keeps failing."""


@dataclass(frozen=True)
class State:
    manager: Manager | None = None
    node_pools: tuple[str, ...] = ()
    """Of Karpenter."""


@dataclass(frozen=True)
class Desired:
    on: bool
    version: Version | None = None
    """Of Kueue, if its image does not show it."""
