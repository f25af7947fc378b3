# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed state of Kueue's manager and its file."""

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
    """Whether the manager's command line sets feature gates. The manager then ignores the gates in the file."""
    key: str
    """The key of the file in the ConfigMap."""
    text: str
    gates: t.Mapping[str, bool] = field(default_factory=dict)
    before: str | None = None
    """The file before a change that began and may not have ended; None without such a change."""
    behind: bool = False
    """Whether the manager was last started before the last change of its file."""
    resource_version: str = ""
    """The resource version of the ConfigMap."""
    not_up: str = ""
    """Why the manager does not run with the newest template; empty if it does."""
    crashed: str = ""
    """Why a Pod of the newest template keeps failing; empty if none does."""


@dataclass(frozen=True)
class State:
    manager: Manager | None = None
    node_pools: tuple[str, ...] = ()
    """The names of Karpenter's NodePools."""


@dataclass(frozen=True)
class Desired:
    on: bool
    version: Version | None = None
    """The release of Kueue, for an image whose tag does not show the release."""
