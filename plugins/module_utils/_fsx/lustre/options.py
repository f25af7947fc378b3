# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Builds the desired file system from a module's options."""

from __future__ import annotations

import re
import typing as t

from ..._aws.tags import CLUSTER_TAG, check_tags
from ..._core import fields
from ..._core.arn import lockable
from ..._core.checks import check_id, check_length, check_unique
from ..._core.failure import refuse_option
from . import rules
from .model import COMPONENT_TAG, NAME_TAG, Desired
from .table import TABLE

Params = t.Mapping[str, t.Any]

TEXT = re.compile(r"[\w .:/=+@-]*")
"""Characters that FSx accepts in tags."""
KEY = re.compile(r"(arn:aws[a-z-]*:kms:[a-z0-9-]+:[0-9]{12}:key/)?([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})")
MAINTENANCE = re.compile(r"[1-7]:([01][0-9]|2[0-3]):[0-5][0-9]")
MOST_GROUPS, MOST_TAGS = 50, 47


def desired(params: Params, region: str | None) -> Desired:
    """:raises Refused: for the first invalid option."""
    name, file_system_id = params["name"], params["file_system_id"]
    if name is not None:
        check_name(name)
    if file_system_id is not None:
        check_id("file_system_id", file_system_id, "fs")
    present = params["state"] == "present"
    return Desired(
        cluster_arn=check_cluster(params["cluster_arn"], region),
        name=name,
        id=file_system_id,
        present=present,
        settings=_settings(params),
        client_groups=_groups("client_security_group_ids", params["client_security_group_ids"] or ()),
        tags=_tags(params["tags"]),
        purge_tags=params["purge_tags"],
        skip_final_backup=params["skip_final_backup"],
        waits=params["wait"],
    )


def check_name(name: str) -> str:
    if not name.strip() or not TEXT.fullmatch(name):
        refuse_option("name", name, "a name of letters, digits, spaces and the characters . : / = + - @ _")
    return check_length("name", name, 256)


def check_cluster(text: str, region: str | None) -> str:
    """:raises Refused: unless the text is the ARN of a HyperPod or EKS cluster in the module's Region."""
    place = lockable(text).region
    if region is not None and place != region:
        refuse_option("region", region, place, f"cluster {text} is in {place}")
    return text


def _settings(params: Params) -> dict[str, t.Any]:
    settings = fields.desired(TABLE, params, within="")
    if "subnet_id" in settings:
        check_id("subnet_id", settings["subnet_id"], "subnet")
    if "security_group_ids" in settings:
        settings["security_group_ids"] = list(_groups("security_group_ids", settings["security_group_ids"]))
        if not settings["security_group_ids"]:
            refuse_option("security_group_ids", [], f"1 to {MOST_GROUPS} IDs of security groups")
    if "kms_key_id" in settings and not KEY.fullmatch(settings["kms_key_id"]):
        allowed = "the ID or ARN of a KMS key (FSx returns no aliases, so an alias cannot be compared)"
        refuse_option("kms_key_id", settings["kms_key_id"], allowed)
    if "weekly_maintenance" in settings and not MAINTENANCE.fullmatch(settings["weekly_maintenance"]):
        allowed = "day, hour and minute such as 7:09:00, with 1 for Monday and 7 for Sunday"
        refuse_option("weekly_maintenance", settings["weekly_maintenance"], allowed)
    rules.check(settings, asked=settings)
    return settings


def _groups(option: str, given: t.Sequence[str]) -> tuple[str, ...]:
    check_unique(option, given)
    if len(given) > MOST_GROUPS:
        refuse_option(option, len(given), f"at most {MOST_GROUPS} IDs")
    return tuple(sorted(check_id(option, each, "sg") for each in given))


def _tags(given: t.Mapping[str, t.Any] | None) -> dict[str, str] | None:
    if given is None:
        return None
    tags = {str(key): str(value) for key, value in given.items()}
    check_tags(tags)
    for key, option in ((NAME_TAG, "name"), (CLUSTER_TAG, "cluster_arn"), (COMPONENT_TAG, "")):
        if key in tags:
            why = f"option {option} sets this tag" if option else "the module sets this tag"
            refuse_option("tags", key, "other keys", why)
    for text in (*tags, *tags.values()):
        if not TEXT.fullmatch(text):
            refuse_option("tags", text, "letters, digits, spaces and the characters . : / = + - @ _")
    if len(tags) > MOST_TAGS:
        refuse_option("tags", len(tags), f"at most {MOST_TAGS} tags", "the module sets three more, and FSx accepts 50")
    return tags
