# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``offboarded_home``."""

from __future__ import annotations

import re
import typing as t

from ..._core.failure import refuse_option
from .model import Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    home, uid = params["home"], params["uid"]
    if not re.fullmatch(r"(/[^/\s:]+){2,}", home) or "/../" in f"{home}/" or "/./" in f"{home}/":
        refuse_option("home", home, "an absolute path at least two levels deep, without spaces, ':' and '..'")
    if uid < 1000:
        refuse_option("uid", uid, "a UID from 1000", "UIDs below 1000 belong to the image")
    return Desired(
        name=params["name"],
        uid=uid,
        gid=uid if params["gid"] is None else params["gid"],
        home=home,
        remove_keys=params["keys"] == "remove",
        archive=params["archive"],
        shared_roots=tuple(params["shared_home_roots"]),
    )
