# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``@action``: an operation whose request and reply are checked against the botocore model."""

from __future__ import annotations

import functools
import typing as t

from moto.core.exceptions import ServiceException
from moto.core.responses import ActionResult

from . import request
from .modelcheck import answer_problems, error_codes


class Refusal(ServiceException):
    """An error of a service with its code."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def action(handler: t.Callable[..., dict[str, t.Any] | None]) -> t.Callable[[t.Any], ActionResult]:
    """Serve an operation with ``handler(self, **parameters under the API's own names) -> answer``.

    Errors of the handler (a bad reply, an error that the operation does not declare) are faults of the
    simulator and fail the request with a traceback.
    """

    @functools.wraps(handler)
    def method(self: t.Any) -> ActionResult:
        call = request.current()
        model = call.model
        try:
            answer = handler(self, **call.params) or {}
        except Refusal as refusal:
            if call.protocol != "ec2" and refusal.code not in error_codes(model):
                # ansible-test's pylint does not know moto, hence not that this is an exception.
                # pylint: disable-next=bad-exception-cause
                raise AssertionError(f"{call.operation} does not declare {refusal.code}") from refusal
            raise
        wrong = answer_problems(model.output_shape, answer)
        if wrong:
            raise AssertionError(f"bad answer of {call.operation}: {'; '.join(wrong)}")
        return ActionResult(answer)

    return method
