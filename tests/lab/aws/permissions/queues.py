# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The policies of queues in front of SQS.

IAM's User Guide, reference_policies_evaluation-logic: within an account, the policy of the caller or that of the queue must allow a
call. A caller of another account needs both.
"""

from __future__ import annotations

import typing as t

from ..sqs import owner
from ..sqs.attributes import FOR_OWNERS
from .asked import Permission
from .resource import ALLOW, account, caller, verdict

if t.TYPE_CHECKING:
    from ..request import Call


def owner_of(call: Call) -> str:
    """The account of the call's queue, and the caller's for other services."""
    return owner.account_of(call) if call.service == "sqs" else call.account


def is_of_another_account(call: Call) -> bool:
    return owner_of(call) != call.account


def verdict_of(call: Call, permission: Permission) -> str:
    """What the policy of the call's queue says of the caller; empty for other services and for a queue that does not exist."""
    queue = owner.queue_of(call) if call.service == "sqs" else None
    if queue is None:
        return ""
    effect = verdict(queue._policy_json, caller(call), permission)
    if effect or not is_of_another_account(call):
        return effect
    return verdict(queue._policy_json, account(call), permission)


def allows_another(call: Call, permission: Permission) -> bool:
    """Whether the owner of a queue allows a caller of another account the call."""
    return call.operation not in FOR_OWNERS and verdict_of(call, permission) == ALLOW
