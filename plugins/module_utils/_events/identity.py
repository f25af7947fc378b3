# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The tag that marks our rules and queues, and the forms of their names and ARNs.

Rules and queues belong to all clusters of an account and Region, so their tag names no cluster.
"""

from __future__ import annotations

import re
import typing as t

from .._aws.tags import Tags, desired_tags
from .._core.failure import Refused, refuse_option

COMPONENT_TAG, COMPONENT = "mlfleet.hyperpod/component", "events"
OWN_TAGS = {COMPONENT_TAG: COMPONENT}
OPTIONS: dict[str, t.Any] = {
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "tags": {"type": "dict", "aliases": ["resource_tags"]},
    "purge_tags": {"type": "bool", "default": True},
    "adopt": {"type": "bool", "default": False},
    "expected_account": {"type": "str"},
}
"""For ``argument_spec``: the options that rules and queues share."""
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""A name that EventBridge and SQS accept. SQS also accepts 16 characters more, and EventBridge periods."""
LONGEST_QUEUE = 80
QUEUE_NAME = re.compile(rf"[A-Za-z0-9_-]{{1,{LONGEST_QUEUE}}}")
QUEUE_ARN = re.compile(rf"arn:aws[a-z-]*:sqs:[a-z0-9-]+:[0-9]{{12}}:[A-Za-z0-9_-]{{1,{LONGEST_QUEUE}}}")


def check_name(option: str, value: str) -> str:
    if not NAME.fullmatch(value):
        refuse_option(option, value, "1 to 64 letters, digits, hyphens and underscores")
    return value


def check_queue_name(option: str, value: str) -> str:
    if not QUEUE_NAME.fullmatch(value):
        refuse_option(option, value, f"1 to {LONGEST_QUEUE} letters, digits, hyphens and underscores")
    return value


def check_queue_arn(option: str, value: str) -> str:
    if not QUEUE_ARN.fullmatch(value):
        refuse_option(option, value, "the ARN of a standard queue such as arn:aws:sqs:us-west-2:111111111111:hyperpod-events")
    return value


def tags_to_ensure(tags: t.Mapping[str, t.Any] | None) -> dict[str, str]:
    """The given tags and our own."""
    return {**(desired_tags(tags, cluster_arn=None) or {}), **OWN_TAGS}


def is_ours(tags: Tags) -> bool:
    return tags.get(COMPONENT_TAG) == COMPONENT


def require_ours(resource: str, tags: Tags, *, adopt: bool) -> None:
    """:raises Refused: for a resource without our tag, unless it is adopted."""
    if not is_ours(tags) and not adopt:
        raise Refused(
            f"{resource} exists without the tag {COMPONENT_TAG}={COMPONENT}. Choose a different name, or set adopt to add the tag."
        )


def left_alone(resource: str) -> str:
    return f"{resource} does not have the tag {COMPONENT_TAG}={COMPONENT} and was not removed."
