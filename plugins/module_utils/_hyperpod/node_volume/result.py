# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The returned volume."""

from __future__ import annotations

import typing as t

from .model import Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    attachment = state.attachment
    here = attachment is not None and attachment.holder == desired.node_id
    return {
        "volume": {
            "volume_id": desired.volume_id,
            "status": state.status,
            "attached": here,
            "device": attachment.device if here and attachment is not None else "",
        }
    }
