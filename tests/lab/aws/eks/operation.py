# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""``@operation``: an EKS operation checked against the botocore model; and pages of listings."""

from __future__ import annotations

import contextvars
import functools
import secrets
import typing as t

from moto.core.responses import ActionResult
from moto.eks import exceptions

from .. import cloud
from ..modelcheck import answer_problems, error_codes, problems, service_model

Answer = dict[str, t.Any]
_token: contextvars.ContextVar[str] = contextvars.ContextVar("token", default="")


def current_token() -> str:
    """The token of the request that this thread handles."""
    return _token.get()


class BadRequestException(exceptions.EKSError):
    TYPE = "BadRequestException"
    STATUS = 400


class NotFoundException(exceptions.EKSError):
    TYPE = "NotFoundException"
    STATUS = 404


WRONG = (exceptions.InvalidParameterException, exceptions.InvalidRequestException, BadRequestException)
"""Codes for a wrong request; an operation declares one of them."""


def operation(handler: t.Callable[..., Answer | None]) -> t.Callable[[t.Any], ActionResult]:
    """Serve an operation with ``handler(self, **parameters under the API's own names) -> answer``.

    A request with the token of an earlier one has no effect and gets its reply.
    """

    @functools.wraps(handler)
    def method(self: t.Any) -> ActionResult:
        model = service_model("eks").operation_model(self._get_action())
        self.parse_parameters(self.normalized_request)
        params = {name: value for name, value in self.params.items() if value is not None}
        wrong = list(problems(model.input_shape, params))
        declared = error_codes(model)
        if wrong:
            raise next(each for each in WRONG if each.TYPE in declared)(message="; ".join(wrong))
        token = (model.name, params.pop("clientRequestToken", None) or secrets.token_hex())
        _token.set(token[1])
        done = self.eks_backend.done
        if token not in done:
            done[token] = _answer(self, handler, params, declared)
        wrong = answer_problems(model.output_shape, done[token])
        if wrong:
            raise AssertionError(f"bad answer of {model.name}: {'; '.join(wrong)}")
        return ActionResult(done[token])

    return method


def _answer(self: t.Any, handler: t.Callable[..., Answer | None], params: Answer, declared: set[str]) -> Answer:
    try:
        return handler(self, **params) or {}
    except exceptions.EKSError as refusal:
        if refusal.TYPE not in declared:
            # ansible-test's pylint does not know moto, hence not that this is an exception.
            # pylint: disable-next=bad-exception-cause
            raise AssertionError(f"{handler.__name__} does not declare {refusal.TYPE}") from refusal
        raise


def page(names: t.Iterable[str], size: int = 100, token: str = "") -> tuple[list[str], Answer]:
    """A page, and the token of the next in the reply. A token is the last name, so that no item is skipped."""
    after = [name for name in sorted(names) if name > token]
    shown = after[: min(size, cloud.current().settings["page_size"])]
    return shown, {"nextToken": shown[-1]} if len(after) > len(shown) else {}
