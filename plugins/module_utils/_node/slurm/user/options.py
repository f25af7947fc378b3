# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``slurm_user``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

from ...._core.failure import refuse_option
from .model import Desired

_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    if not _NAME.fullmatch(params["name"]):
        refuse_option("name", params["name"], "1 to 32 characters of a-z, 0-9, _ and -, beginning with a letter or _")
    if not 1 <= params["timeout"] <= 3600:
        refuse_option("timeout", params["timeout"], "seconds from 1 to 3600")
    others = tuple(params.get("other_uids") or ())
    return Desired(params["name"], params["uid"], params["jobs"] == "cancel", params["timeout"], others)
