# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``login_info``."""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_option
from .model import Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    if not 1 <= params["days"] <= 3650:
        refuse_option("days", params["days"], "a number from 1 to 3650")
    return Desired(tuple(params["shared_home_roots"]), params["shared_homes"], params["days"])
