# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Existing shared host keys of login nodes, to store in the cluster's secret."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..keys import HostKey
from ..secret.model import Desired as Secret


@dataclass(frozen=True)
class Desired:
    """The options, checked."""

    secret: Secret
    keys: tuple[HostKey, ...]
    text: str | None = field(repr=False)
    """Of a new secret, private keys included; None where they were not given."""
