# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AWS's rules for attributes of queues and for their policies."""

from __future__ import annotations

import json
import re
import typing as t

from ..action import Refusal

RANGES = {
    "DelaySeconds": (0, 900),
    "KmsDataKeyReusePeriodSeconds": (60, 86400),
    "MaximumMessageSize": (1024, 1048576),
    "MessageRetentionPeriod": (60, 1209600),
    "ReceiveMessageWaitTimeSeconds": (0, 20),
    "VisibilityTimeout": (0, 43200),
}
"""Attributes that are numbers, by SetQueueAttributes of the API reference."""
OTHERS = {"FifoQueue", "KmsMasterKeyId", "Policy", "RedriveAllowPolicy", "RedrivePolicy", "SqsManagedSseEnabled"}
OF_FIFO = {"ContentBasedDeduplication", "DeduplicationScope", "FifoThroughputLimit"}
FOR_OWNERS = {
    *("AddPermission", "CancelMessageMoveTask", "CreateQueue", "DeleteQueue", "ListMessageMoveTasks", "ListQueues", "ListQueueTags"),
    *("RemovePermission", "SetQueueAttributes", "StartMessageMoveTask", "TagQueue", "UntagQueue"),
}
"""Operations that no policy can allow another account: SQS's Developer Guide, sqs-overview-of-managing-access."""
PARTS = {"Effect", "Principal", "Action", "Resource"}
ACCOUNT = re.compile(r"\d{12}")


def check(attributes: t.Mapping[str, t.Any], owner: str) -> None:
    """Refuse attributes that AWS refuses.

    :param owner: the account of the queue.
    :raises Refusal: InvalidAttributeName or InvalidAttributeValue.
    """
    for name, value in attributes.items():
        if name not in {*RANGES, *OTHERS, *OF_FIFO}:
            raise Refusal("InvalidAttributeName", f"Unknown Attribute {name}.")
        least, most = RANGES.get(name, (0, 0))
        number = str(value).isdecimal() and least <= int(value) <= most
        fine = number if name in RANGES else {"Policy": _is_policy, "RedrivePolicy": _is_object}.get(name, _any)(str(value), owner)
        if not fine:
            raise Refusal("InvalidAttributeValue", f"Invalid value for the parameter {name}.")


def statements(document: t.Mapping[str, t.Any]) -> list[dict[str, t.Any]]:
    """The statements of a policy, which may be a single one."""
    found = document.get("Statement", [])
    return [found] if isinstance(found, dict) else found


def _any(_text: str, _owner: str) -> bool:
    return True


def _is_object(text: str, _owner: str) -> bool:
    try:
        return not text or isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _is_policy(text: str, owner: str) -> bool:
    if not text or not _is_object(text, owner):
        return not text
    return all(each.keys() >= PARTS and not (_is_for_others(each, owner) and _is_for_owners(each)) for each in statements(json.loads(text)))


def _is_for_others(statement: t.Mapping[str, t.Any], owner: str) -> bool:
    return bool(set(ACCOUNT.findall(json.dumps(statement["Principal"]))) - {owner})


def _is_for_owners(statement: t.Mapping[str, t.Any]) -> bool:
    actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
    return any(each.rpartition(":")[2] in FOR_OWNERS for each in actions)
