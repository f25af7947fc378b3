# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``slurm_state``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import re
import typing as t

from ...._core.checks import check_number
from ...._core.failure import refuse_option
from .model import Desired

_FOLDER = re.compile(r"(/[A-Za-z0-9._-]+){2,}")


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    folder = params["folder"]
    if not _FOLDER.fullmatch(folder) or {".", ".."} & set(folder.split("/")):
        refuse_option("folder", folder, "an absolute path at least two levels deep, of letters, digits, '.', '_' and '-'")
    return Desired(params["state"], folder, check_number("timeout", params["timeout"], 1, 86400))
