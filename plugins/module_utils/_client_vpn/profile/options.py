# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired profiles from a module\'s options."""

from __future__ import annotations

import datetime
import os
import typing as t

from ..._core.failure import refuse_option
from ..identity import checked_endpoint, checked_people, checked_prefix, checked_vpc
from .model import Desired


def desired(params: t.Mapping[str, t.Any], *, now: datetime.datetime, check_mode: bool) -> Desired:
    """
    :raises Refused: for the first invalid option.
    """
    present = params["state"] == "present"
    endpoint = checked_endpoint(params["client_vpn_endpoint_id"], check_mode=check_mode) if present else ""
    people, folder = checked_people("people", params["people"]), params["folder"]
    if not os.path.isabs(folder):
        refuse_option("folder", folder, "an absolute path")
    if not present:
        return Desired(people, folder, now, present=False)
    if params["random_host_prefix"] and params["client"] == "aws":
        refuse_option("random_host_prefix", True, "false with client=aws", "this client creates its own prefix")
    vpc_id = checked_vpc(params["vpc_id"]) if params["vpc_id"] else ""
    prefix = checked_prefix(params["secret_prefix"], vpc_id)
    return Desired(people, folder, now, True, endpoint, prefix, params["client"], params["random_host_prefix"])
