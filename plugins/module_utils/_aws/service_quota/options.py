# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Converts a module's options to the desired quota, and refuses invalid ones."""

from __future__ import annotations

import re
import typing as t

from ..._core.failure import refuse_option
from .model import Desired

_HIGHEST = 10_000_000_000


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    service, value = params["service_code"], params["value"]
    if not re.fullmatch("[a-zA-Z][a-zA-Z0-9-]{1,63}", service):
        refuse_option("service_code", service, "the code of a service such as sagemaker")
    if not 0 < value <= _HIGHEST:
        refuse_option("value", value, f"numbers greater than 0 and at most {_HIGHEST}")
    return Desired(service, params["name"], value)
