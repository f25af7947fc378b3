# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The host keys that login nodes share already, and the cluster's secret that will contain them."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..keys import HostKey
from ..secret.model import Desired as Secret


@dataclass(frozen=True)
class Desired:
    """The options, after validation."""

    secret: Secret
    keys: tuple[HostKey, ...]
    text: str | None = field(repr=False)
    """The text of a new secret, including private keys; None if the caller did not give private keys."""
