# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""From a module's options to the desired state of Kueue, with messages for invalid options."""

from __future__ import annotations

import re
import typing as t

from ..._core.checks import check_number
from ..._core.failure import refuse_option
from .model import Desired

ENABLED, DISABLED = "enabled", "disabled"
SPEC: dict[str, dict[str, t.Any]] = {
    "state": {"type": "str", "required": True, "choices": [ENABLED, DISABLED]},
    "kueue_version": {"type": "str"},
    "wait_timeout": {"type": "int", "default": 300},
    "poll_interval": {"type": "int", "default": 5},
    "_progress_file": {"type": "path"},
}


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    check_number("wait_timeout", params["wait_timeout"], 10, 3600)
    check_number("poll_interval", params["poll_interval"], 1, 60)
    given = params["kueue_version"]
    if given is None:
        return Desired(params["state"] == ENABLED)
    found = re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)", given)
    if found is None:
        refuse_option("kueue_version", given, "a release of Kueue, such as 0.19.2")
    major, minor, patch = (int(each) for each in found.groups())
    return Desired(params["state"] == ENABLED, (major, minor, patch))
