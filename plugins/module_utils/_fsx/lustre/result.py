# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Return values of a file system."""

from __future__ import annotations

import typing as t

from .model import Desired, FileSystem, State
from .table import TABLE


def result(desired: Desired, state: State) -> dict[str, t.Any]:
    found = state.file_system
    if found is None:
        return {"fsx_lustre_file_system": {"exists": False, "name": desired.name}}
    return {"fsx_lustre_file_system": {"exists": True, **to_result(found, state.zone)}}


def to_result(found: FileSystem, zone: str | None) -> dict[str, t.Any]:
    interfaces = found.interfaces
    return {
        "id": found.id,
        "arn": found.arn,
        "name": found.name,
        "lifecycle": found.lifecycle,
        "failure": found.failure,
        "dns_name": (found.dns_name or None) if found.is_mountable else None,
        "mount_name": (found.mount_name or None) if found.is_mountable else None,
        "availability_zone": zone,
        "vpc_id": found.vpc_id,
        "network_interface_ids": interfaces if isinstance(interfaces, str) else list(interfaces),
        "storage_type": found.storage_type,
        **{field.option: found.settings.get(field.option) for field in TABLE},
        "created": found.created,
        "tags": dict(found.tags),
    }
