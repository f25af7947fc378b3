# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``host_key_adoption``."""

from __future__ import annotations

import datetime
import typing as t

from ..._core.arn import ClusterArn
from ..keys import declared
from ..secret.model import Desired as Secret
from .contents import secret_text
from .model import Desired


def desired(params: t.Mapping[str, t.Any], *, now: datetime.datetime) -> Desired:
    """
    :raises Refused: for an invalid option, with its value and the allowed values.
    """
    keys = declared("public_keys", params["public_keys"])
    secret = Secret.for_cluster(
        ClusterArn.parse(params["cluster_arn"]),
        secret_name=params["secret_name"],
        kms_key_id=params["kms_key_id"],
        key_types=tuple(key.type for key in keys),
    )
    given = params["keys"]
    return Desired(secret, keys, None if given is None else secret_text(given, keys, now=now))
