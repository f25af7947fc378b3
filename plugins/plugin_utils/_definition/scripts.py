# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lifecycle scripts of the nodes, as objects below the groups' S3 URI."""

from __future__ import annotations

import json
import os
import re
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused, refuse_option

from ..nearest import nearest
from .files import files_below, read_object
from .provisioning import NAME, check_workers

S3_URI = re.compile(r"s3://(?P<bucket>sagemaker-[a-z0-9.-]{1,53})(?P<key>(/[^/]+)*)/?")
EVENTS = ("on_create", "on_init_complete")


@dataclass(frozen=True)
class Script:
    """A script from a file or with given content. ``name`` is its path below the prefix."""

    name: str
    src: str | None = None
    content: str | None = None


@dataclass(frozen=True)
class Scripts:
    bucket: str
    prefix: str
    scripts: list[Script]


def scripts_of(option: str, folder: str, definition: t.Mapping[str, t.Any], provisioning: t.Mapping[str, t.Any] | None) -> Scripts:
    """The scripts to upload.

    :raises Refused: unless all groups name the same S3 URI, and all scripts that they name are in the folder.
    """
    bucket, prefix = _place(option, definition)
    root = os.path.realpath(os.path.expanduser(folder))
    made = [] if provisioning is None else [Script(NAME, content=json.dumps(provisioning, indent=2) + "\n")]
    names = [name for name in files_below(option, folder) if not made or name != NAME]
    _check_scripts(option, folder, names, definition)
    if NAME in names:
        check_workers(f"{option}/{NAME}", read_object(option, os.path.join(root, NAME)))
    return Scripts(bucket, prefix, [*(Script(name, src=os.path.join(root, name)) for name in names), *made])


def _check_scripts(option: str, folder: str, names: t.Sequence[str], definition: t.Mapping[str, t.Any]) -> None:
    """Check that the folder has each group's script. HyperPod could not create the group's nodes without the script."""
    for group in definition.get("instance_groups") or []:
        for event, script in (group.get("life_cycle_config") or {}).items():
            if event in EVENTS and script not in names:
                near = nearest(str(script), names) or ""
                why = f"{script}, the {event} of instance group {group.get('name')}, is missing{near and '; the folder has '}{near}"
                refuse_option(option, folder, "a folder with the scripts of all groups", why)


def _place(option: str, definition: t.Mapping[str, t.Any]) -> tuple[str, str]:
    groups = definition.get("instance_groups") or []
    configured = [group.get("life_cycle_config") or {} for group in groups]
    found = {str(each["source_s3_uri"]) for each in configured if each.get("source_s3_uri")}
    if len(found) != 1:
        uris = ", ".join(sorted(found)) or "none"
        raise Refused(f"{option}: all groups must have the same source_s3_uri, but they have {uris}.", option=option)
    (uri,) = found
    match = S3_URI.fullmatch(uri)
    if match is None:
        refuse_option("instance_groups", uri, "a source_s3_uri that begins with s3://sagemaker-")
    return match["bucket"], match["key"].strip("/") + "/" if match["key"] else ""
