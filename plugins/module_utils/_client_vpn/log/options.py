# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``client_vpn_log_info``."""

from __future__ import annotations

import typing as t

from ..._core.failure import refuse_option
from .model import Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    days = params["days"]
    if not 1 <= days <= 3653:
        refuse_option("days", days, "1 to 3653")
    return Desired(params["log_group"], days)
