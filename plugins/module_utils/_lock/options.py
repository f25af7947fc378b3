# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``cluster_lock``."""

from __future__ import annotations

import typing as t

from .._core.arn import lockable
from .._core.failure import refuse_option
from .claim import own_token
from .model import Desired


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """
    :raises Refused: for an invalid option, with its value and the allowed values.
    """
    if not 60 <= params["ttl"] <= 86400:
        refuse_option("ttl", params["ttl"], "60 to 86400 seconds")
    return Desired(
        arn=lockable(params["cluster_arn"]),
        state=params["state"],
        token=own_token(params["token"]),
        owner=params["owner"],
        ttl=params["ttl"],
        force=params["force"],
        generation=params["generation"],
    )
