# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of ``host_key_secret``."""

from __future__ import annotations

import datetime
import typing as t

from ..._core.arn import ClusterArn
from ..._core.failure import refuse_option
from ..._ssh.public_key import HOST_KEY_TYPES
from .. import keys, rotation
from .model import HOST_CA, PRESENT, Desired

CA_KEY_TYPES = ("ed25519",)


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """
    :raises Refused: for an invalid option, with its value and the allowed values.
    """
    _check(params)
    public_keys = params["public_keys"]
    key_types = CA_KEY_TYPES if params["purpose"] == HOST_CA else params["key_types"]
    return Desired.for_cluster(
        ClusterArn.parse(params["cluster_arn"]),
        purpose=params["purpose"],
        state=params["state"],
        secret_name=params["secret_name"],
        kms_key_id=params["kms_key_id"],
        key_types=tuple(each for each in HOST_KEY_TYPES if each in key_types),
        recovery_days=params["recovery_window"],
        force=params["force"],
        public_keys=() if public_keys is None else keys.declared("public_keys", public_keys),
        rotation=_rotation(params),
    )


def _check(params: t.Mapping[str, t.Any]) -> None:
    if not 7 <= params["recovery_window"] <= 30:
        refuse_option("recovery_window", params["recovery_window"], "7 to 30 days")
    if not params["key_types"]:
        refuse_option("key_types", params["key_types"], "at least one type")
    if not 0 <= params["minimum_days"] <= rotation.LONGEST_DAYS:
        refuse_option("minimum_days", params["minimum_days"], f"0 to {rotation.LONGEST_DAYS} days")
    if params["rotation"] and params["state"] != PRESENT:
        refuse_option("rotation", params["rotation"], "a rotation only with state=present")
    if params["rotation"] and params["purpose"] == HOST_CA:
        refuse_option("rotation", params["rotation"], "a rotation only with purpose=host_keys")


def _rotation(params: t.Mapping[str, t.Any]) -> rotation.Rotation | None:
    if not params["rotation"]:
        return None
    now = datetime.datetime.now(datetime.timezone.utc)
    return rotation.Rotation(params["rotation"], now, params["minimum_days"], params["force"])
