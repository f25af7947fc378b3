# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``ssh_host_keys``."""

from __future__ import annotations

import typing as t

from .model import NEXT, SLOTS, HostKey, State


def result(desired: t.Sequence[HostKey], state: State) -> dict[str, t.Any]:
    """The node's host keys as the module returns them. A public file without its private file does not count as a host key."""
    managed = {key.slot for key in desired}
    return {
        "host_keys": [
            {
                "type": state.keys[slot].type,
                "public_key": state.keys[slot].line,
                "fingerprint": state.keys[slot].fingerprint,
                "managed": slot in managed,
                "next": slot.endswith(NEXT),
            }
            for slot in SLOTS
            if slot in state.keys and slot in state.private
        ]
    }
