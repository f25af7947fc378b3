# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``host_key_adoption``."""

from __future__ import annotations

import typing as t

from ..secret import result as secret
from ..secret.model import HostKeys
from .model import Desired

RETURNED = ("host_keys", "secret", "parameter")


def result(desired: Desired, state: HostKeys) -> dict[str, t.Any]:
    whole = secret.result(desired.secret, state)
    return {name: whole[name] for name in RETURNED}
