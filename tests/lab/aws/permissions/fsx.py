# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions for calls of FSx: on file systems with their tags, and on the final backup of a removed one."""

from __future__ import annotations

import typing as t

from . import found
from .forms import Context, Required, Triple, arn
from .sagemaker import for_service_role

if t.TYPE_CHECKING:
    from ..request import Call

SERVICE = "fsx.amazonaws.com"


def required(call: Call) -> Required:
    params, action = call.params, f"fsx:{call.operation}"
    if call.operation == "CreateFileSystem":
        made, tags = arn(call, "fsx", "file-system/new"), _requested(params.get("Tags"))
        actions = (action, *(["fsx:TagResource"] if tags else []))
        return [*((each, made, tags) for each in actions), *for_service_role(call, SERVICE)]
    name = params.get("FileSystemId")
    resource = arn(call, "fsx", f"file-system/{name}") if name else params.get("ResourceARN")
    if resource is None or call.operation.startswith("Describe"):
        return None
    context = {**_requested(params.get("Tags")), **found.tags_of_file_system(call, resource)}
    return [(action, resource, context), *_backup(call, resource, context)]


def _backup(call: Call, resource: str, context: Context) -> list[Triple]:
    """DeleteFileSystem with a final backup creates the backup with the caller's permissions."""
    asked = call.params.get("LustreConfiguration", {})
    if call.operation != "DeleteFileSystem" or asked.get("SkipFinalBackup", True):
        return []
    made, tags = arn(call, "fsx", "backup/new"), _requested(asked.get("FinalBackupTags"))
    tagged: list[Triple] = [("fsx:TagResource", made, tags)] if tags else []
    return [("fsx:CreateBackup", resource, {**context, **tags}), ("fsx:CreateBackup", made, tags), *tagged]


def _requested(tags: t.Any) -> dict[str, str]:
    return {f"aws:RequestTag/{each['Key']}": each["Value"] for each in tags or ()}
