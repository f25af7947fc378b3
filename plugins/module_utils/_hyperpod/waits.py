# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Options of modules that wait for SageMaker, which takes minutes to hours."""

from __future__ import annotations

import typing as t

from .._core.checks import check_number
from .._core.waits import Progress, Waits

LAGGING = 6
"""The number of reads before an answer that may be older than the call is accepted: about 15 seconds by default."""


def wait_options(*, timeout: int) -> dict[str, t.Any]:
    """Options for ``argument_spec``. The fragment ``mlfleet.hyperpod.waits`` documents all of them except ``wait_timeout``."""
    return {
        "wait": {"type": "bool", "default": True},
        "wait_timeout": {"type": "int", "default": timeout},
        "poll_interval": {"type": "int", "default": 20},
        "_progress_file": {"type": "path"},
    }


def waits_of(module: t.Any) -> Waits | None:
    """How the module waits; None if it does not wait.

    :raises Refused: for a number out of range.
    """
    params = module.params
    waits = Waits(
        timeout=check_number("wait_timeout", params["wait_timeout"], 1, 86400),
        interval=check_number("poll_interval", params["poll_interval"], 1, 300),
        progress=Progress(params["_progress_file"]),
    )
    return waits if params["wait"] and not module.check_mode else None
