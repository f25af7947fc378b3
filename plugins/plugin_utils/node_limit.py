# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a task on a node may take, which may never answer: what plays on nodes have as hyperpod_internal_node_timeout. Pure."""

from __future__ import annotations

import typing as t

SECONDS = 1800


def with_wait(seconds: t.Any) -> int:
    """Of a task that waits so long itself: its keyword ``timeout``."""
    return int(seconds) + SECONDS
