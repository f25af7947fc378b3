# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations of SQS on the queue of a URL, which may belong to another account than the caller.

Answers to batches lack empty lists, against the service model: aws/aws-sdk issue 657.
"""

from __future__ import annotations

import typing as t

from moto.core.responses import ActionResult
from moto.sqs.models import SQSBackend, sqs_backends
from moto.sqs.responses import SQSResponse

from .. import request
from . import owner


class Responses(SQSResponse):
    @property
    def sqs_backend(self) -> SQSBackend:
        call = request.current()
        backend: t.Any = sqs_backends[owner.account_of(call)][call.region]
        return t.cast(SQSBackend, backend)

    def send_message_batch(self) -> ActionResult:
        return _shortened(super().send_message_batch())

    def delete_message_batch(self) -> ActionResult:
        return _shortened(super().delete_message_batch())

    def change_message_visibility_batch(self) -> ActionResult:
        return _shortened(super().change_message_visibility_batch())


def _shortened(answer: ActionResult) -> ActionResult:
    return ActionResult({name: value for name, value in answer.result.items() if value})
