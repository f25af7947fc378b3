# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The returned network interface."""

from __future__ import annotations

import typing as t

from .model import Desired, State


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    return {
        "network_interface": {
            "network_interface_id": desired.interface_id,
            "status": state.status,
            "node_id": state.holder,
            "attachment_id": state.attachment_id,
        }
    }
