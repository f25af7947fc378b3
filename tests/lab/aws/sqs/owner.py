# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The queue of a request: its account and its name."""

from __future__ import annotations

import re
import typing as t

if t.TYPE_CHECKING:
    from ..request import Call

URL = re.compile(r"(?:https?://[^/]+)?/?(?P<account>\d{12})/(?P<name>[^/]+)")


def account_of(call: Call) -> str:
    """The account of the queue's URL or of QueueOwnerAWSAccountId, else that of the caller."""
    named = URL.fullmatch(str(call.params.get("QueueUrl", "")))
    return named["account"] if named else str(call.params.get("QueueOwnerAWSAccountId") or call.account)


def name_of(call: Call) -> str:
    """The name of the queue; empty for a request without one."""
    url = str(call.params.get("QueueUrl", ""))
    return str(call.params.get("QueueName") or url.rpartition("/")[2])


def queue_of(call: Call) -> t.Any:
    """The queue; None if it does not exist."""
    from moto.sqs.models import sqs_backends

    return sqs_backends[account_of(call)][call.region].queues.get(name_of(call))
