# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The output of the program: one document between two marker lines. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import json
import typing as t

BEGIN, END = "----- BEGIN mlfleet.hyperpod look -----", "----- END mlfleet.hyperpod look -----"
HEALTH, ERROR = "health", "error"


def text_of(document: t.Mapping[str, t.Any]) -> str:
    return f"{BEGIN}\n{json.dumps(document)}\n{END}\n"
