# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads a queue with its attributes and tags."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from .model import Queue, Settings, State

NOT_FOUND = ("AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist")
"""The error code of a queue that does not exist, in the protocols of SQS."""


def read(sqs: Api, name: str) -> State:
    """:raises AwsError: for any error except that the queue does not exist."""
    about = f"queue {name}"
    try:
        url = sqs.call("GetQueueUrl", about=about, QueueName=name)["QueueUrl"]
        found = attributes(sqs, url, about=about)
        tags = sqs.call("ListQueueTags", about=about, QueueUrl=url).get("Tags") or {}
    except AwsError as error:
        if error.code in NOT_FOUND:
            return State()
        raise
    return State(Queue(url, found["QueueArn"], Settings.from_api(found), dict(tags)))


def attributes(sqs: Api, url: str, *, about: str) -> t.Mapping[str, str]:
    found: dict[str, str] = sqs.call("GetQueueAttributes", about=about, QueueUrl=url, AttributeNames=["All"])["Attributes"]
    return found
