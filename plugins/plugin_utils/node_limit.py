# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time limits of tasks on nodes, because a node may never answer. No I/O.

Plays set the same limit in the variable hyperpod_internal_node_timeout.
"""

from __future__ import annotations

import typing as t

SECONDS = 1800


def with_wait(seconds: t.Any) -> int:
    """The value of the keyword ``timeout`` for a task that itself waits for ``seconds``."""
    return int(seconds) + SECONDS
