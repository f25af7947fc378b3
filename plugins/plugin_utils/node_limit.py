# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Time limits of tasks on nodes, since a node may never answer. Plays set the same as hyperpod_internal_node_timeout. Pure."""

from __future__ import annotations

import typing as t

SECONDS = 1800


def with_wait(seconds: t.Any) -> int:
    """The keyword ``timeout`` of a task that itself waits for ``seconds``."""
    return int(seconds) + SECONDS
