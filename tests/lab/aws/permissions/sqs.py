# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions for calls of SQS, on the queue of its owner. Batches require the permission for the single operation."""

from __future__ import annotations

import typing as t

from ..sqs import owner
from . import found
from .forms import Required

if t.TYPE_CHECKING:
    from ..request import Call


def required(call: Call) -> Required:
    name = owner.name_of(call)
    if not name:
        return None
    requested = call.params.get("tags") or call.params.get("Tags") or {}
    context = {**{f"aws:RequestTag/{key}": value for key, value in requested.items()}, **found.tags_of_queue(call)}
    tagged = ["sqs:TagQueue"] if requested and call.operation == "CreateQueue" else []
    resource = f"arn:aws:sqs:{call.region}:{owner.account_of(call)}:{name}"
    return [(each, resource, context) for each in (f"sqs:{call.operation.removesuffix('Batch')}", *tagged)]
