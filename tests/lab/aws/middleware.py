# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Between the socket and moto: recognise, log and check requests, inject faults, and check replies."""

from __future__ import annotations

import socket
import sys
import traceback
import typing as t

from . import calls, checked, cloud, permissions, pricing, request, s3, wire
from .faults import BEFORE, Rule
from .modelcheck import answer_problems, error_codes, problems
from .request import Call
from .wire import Reply

# Services whose requests are refused if they break the model. The patterns of others are only documentation.
STRICT = {"sagemaker", "ssm", "secretsmanager", "elbv2", "acm", "service-quotas", "fsx", "ecr", "pricing", "events", "sqs", "cloudwatch"}
STRICT_PARTS = ("ClientVpn", "LaunchTemplate", "PlacementGroup", "CapacityReservation")  # operations of EC2 with one of these in their name
NO_QUEUE = "The specified queue does not exist or you do not have access to it."
SIMULATOR_FAULT = 501  # not among the statuses that botocore retries


class Middleware:
    """The WSGI application around moto's dispatcher; ``/lab`` goes to the control interface."""

    def __init__(self, api: t.Any, control: t.Any) -> None:
        self.api = api
        self.control = control

    def __call__(self, environ: dict[str, t.Any], start_response: t.Any) -> t.Iterable[bytes]:
        path = environ.get("PATH_INFO", "/")
        if path.startswith("/lab/"):
            return self.control(environ, start_response)
        if path.startswith("/moto-api"):
            return self.api(environ, start_response)
        call = request.read(environ)
        request.enter(call)
        reply = self._serve(call, environ)
        start_response(f"{reply.status} -", reply.headers)
        return [] if environ.get("REQUEST_METHOD") == "HEAD" else [reply.body]

    def _serve(self, call: Call, environ: dict[str, t.Any]) -> Reply:
        here = cloud.current()
        entry = here.calls.begin(call)
        if pricing.unreachable(call):
            calls.end(entry, status="refused")
            _cut(environ)
        reply = self._struck_before(call, entry, environ) or self._refused(call) or _forbidden(call) or s3.refused(call, environ)
        if reply is None:
            reply = self._answered(call, environ, entry)
        answer = _readable(call, reply, entry)
        here.faults.learn_page(call, answer)
        if call.kind == "write" and reply.status < 300:
            if here.faults.take(call, "hold"):
                here.faults.hold(call)
            if here.faults.take(call, "cut_after"):
                calls.end(entry, status="cut")
                _cut(environ)
        calls.end(entry, status=reply.status, error=answer.get("Error", {}).get("Code") if reply.status > 299 else None)
        return reply

    def _struck_before(self, call: Call, entry: dict[str, t.Any], environ: dict[str, t.Any]) -> Reply | None:
        faults = cloud.current().faults
        rule = faults.take(call, *BEFORE) or faults.take_page(call)
        if rule is None:
            return _denied_inside(call)
        if rule.kind == "hang":
            entry["status"] = "hangs"
            faults.hang()
        if rule.kind in ("hang", "refuse"):
            calls.end(entry, status="refused" if rule.kind == "refuse" else "hung")
            _cut(environ)
        return _injected(call, rule)

    def _refused(self, call: Call) -> Reply | None:
        """The refusal of a request that breaks the model."""
        if call.model is None or (call.service not in STRICT and not any(part in call.operation for part in STRICT_PARTS)):
            return None
        wrong = [call.unreadable] if call.unreadable else list(problems(call.model.input_shape, call.params))
        if not wrong:
            return None
        code, status = wire.code_for(call, "invalid")
        found = f"{len(wrong)} validation error{'s' if len(wrong) > 1 else ''} detected: {'; '.join(wrong)}"
        return wire.error(call, code, found, status)

    def _answered(self, call: Call, environ: dict[str, t.Any], entry: dict[str, t.Any]) -> Reply:
        started: list[t.Any] = []

        def start(status: str, headers: list[tuple[str, str]], error: t.Any = None) -> None:
            started[:] = [status, headers]

        try:
            parts = self.api(environ, start)
            body = b"".join(parts)
            if hasattr(parts, "close"):
                parts.close()
        except NotImplementedError as missing:
            return wire.error(call, "NotImplemented", str(missing), SIMULATOR_FAULT)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            entry["problems"].append(f"{type(error).__name__}: {error}")
            return wire.error(call, "SimulatorFault", f"{type(error).__name__}: {error}", SIMULATOR_FAULT)
        return Reply(int(started[0].split()[0]), started[1], body)


def _denied_inside(call: Call) -> Reply | None:
    """The refusal of a call because a rule denies a permission that the service needs from the caller."""
    for action, inner in checked.inner_calls(call):
        if cloud.current().faults.take(inner, "deny"):
            code, status = wire.code_for(call, "deny")
            return wire.error(call, code, checked.refusal(call, action), status)
    return None


def _forbidden(call: Call) -> Reply | None:
    """The refusal of a call that the caller's policies do not allow."""
    denial = permissions.denied(call)
    if denial is None:
        return None
    if call.operation == "GetQueueUrl" and permissions.queues.is_of_another_account(call):
        return wire.error(call, "AWS.SimpleQueueService.NonExistentQueue", NO_QUEUE)
    code, status = wire.code_for(call, "deny")
    return wire.error(call, code, permissions.message(call, denial), status)


def _injected(call: Call, rule: Rule) -> Reply:
    trouble = "error500" if rule.kind in ("fail_page", "error") else rule.kind
    code, status = wire.code_for(call, trouble)
    if rule.code:
        code, status = rule.code, rule.status or 400
    return wire.error(call, code, f"{code}: injected into {call.operation}", rule.status or status)


def _readable(call: Call, reply: Reply, entry: dict[str, t.Any]) -> dict[str, t.Any]:
    """The reply as the caller parses it; differences from the model are logged."""
    if call.model is None:
        return {}
    try:
        answer = wire.answer(call, reply)
    except Exception as error:
        entry["problems"].append(f"unreadable answer: {error}")
        return {}
    if reply.status > 299:
        code = answer.get("Error", {}).get("Code", "")
        declared = call.protocol == "ec2" or code in error_codes(call.model)
        entry["problems"] += [] if declared or reply.status == SIMULATOR_FAULT else [f"undeclared error {code}"]
        return answer
    body = {key: value for key, value in answer.items() if key != "ResponseMetadata"}
    entry["problems"] += answer_problems(call.model.output_shape, body)[:5]
    return answer


def _cut(environ: dict[str, t.Any]) -> t.NoReturn:
    connection = environ["werkzeug.socket"]
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # the caller has disconnected already
    raise ConnectionAbortedError("cut on purpose")
