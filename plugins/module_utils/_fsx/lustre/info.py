# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Lists file systems of FSx for Lustre."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api
from ..._core.checks import check_id
from .model import LUSTRE_TYPE
from .network import FileSystemNetwork
from .observe import look, lustre_file_systems, with_groups
from .options import check_name
from .result import to_result


def info(fsx: Api, network: FileSystemNetwork, params: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """:raises Refused: for an invalid option."""
    name, file_system_id = params["name"], params["file_system_id"]
    if name is not None:
        check_name(name)
    if file_system_id is not None:
        one = look(fsx, check_id("file_system_id", file_system_id, "fs"))
        found = [one] if one is not None and one.kind == LUSTRE_TYPE else []
    else:
        found = lustre_file_systems(fsx)
    found = [each for each in found if name in (None, each.name)]
    zones = network.zones(each.settings.get("subnet_id", "") for each in found)
    listed = []
    for each in found:
        zone = zones.get(each.settings.get("subnet_id", ""))
        actions = [action.to_result() for action in each.actions]
        listed.append({**to_result(with_groups(network, each), zone), "administrative_actions": actions})
    return {"fsx_lustre_file_systems": listed}
