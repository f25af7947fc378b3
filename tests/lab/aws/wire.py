# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors in the wire format of the called service, and parsed replies."""

from __future__ import annotations

import json
import typing as t
from xml.sax.saxutils import escape

from botocore.parsers import create_parser

from .request import Call

REQUEST_ID = "00000000-0000-0000-0000-000000000000"

# Error code and HTTP status of each protocol family for the same failure. Services that kept the codes of their former protocol are
# listed by name.
CODES: dict[str, dict[str, tuple[str, int]]] = {
    "throttle": {
        "ec2": ("RequestLimitExceeded", 503),
        "query": ("Throttling", 400),
        "sqs": ("RequestThrottled", 403),
        "*": ("ThrottlingException", 400),
    },
    "deny": {
        "ec2": ("UnauthorizedOperation", 403),
        "query": ("AccessDenied", 403),
        "rest-xml": ("AccessDenied", 403),
        "sqs": ("AccessDenied", 403),
        "cloudwatch": ("AccessDenied", 403),
        "*": ("AccessDeniedException", 400),
    },
    "error500": {"ec2": ("InternalError", 500), "query": ("InternalFailure", 500), "*": ("InternalServerError", 500)},
    "invalid": {
        "ec2": ("InvalidParameterValue", 400),
        "query": ("ValidationError", 400),
        "*": ("ValidationException", 400),
    },
}


class Reply(t.NamedTuple):
    """A reply in the form that WSGI expects."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


def code_for(call: Call, trouble: str) -> tuple[str, int]:
    """The error code and HTTP status of this call's service for ``trouble``."""
    codes = CODES[trouble]
    return codes.get(call.service) or codes.get(call.protocol, codes["*"])


def error(call: Call, code: str, message: str, status: int = 400) -> Reply:
    """An error that botocore turns into a ``ClientError`` with this code."""
    if call.protocol in ("json", "rest-json"):
        body = json.dumps({"__type": code, "message": message, "Message": message}).encode()
        kind = "application/x-amz-json-1.1"
        return Reply(status, [("Content-Type", kind), ("X-Amzn-ErrorType", code)], body)
    inner = f"<Code>{escape(code)}</Code><Message>{escape(message)}</Message>"
    if call.protocol == "ec2":
        text = f"<Response><Errors><Error>{inner}</Error></Errors><RequestID>{REQUEST_ID}</RequestID></Response>"
    elif call.protocol == "rest-xml":
        text = f"<Error>{inner}<RequestId>{REQUEST_ID}</RequestId></Error>"
    else:
        fault = "Sender" if status < 500 else "Receiver"
        text = (
            f"<ErrorResponse><Error><Type>{fault}</Type>{inner}</Error>"
            f"<RequestId>{REQUEST_ID}</RequestId></ErrorResponse>"
        )
    return Reply(status, [("Content-Type", "text/xml")], text.encode())


def answer(call: Call, reply: Reply) -> dict[str, t.Any]:
    """The reply parsed by botocore; empty for services without a model here."""
    model = call.model
    if model is None:
        return {}
    headers = {name.lower(): value for name, value in reply.headers}
    raw = {"status_code": reply.status, "headers": headers, "body": reply.body}
    parsed = create_parser(call.protocol).parse(raw, model.output_shape)
    return parsed if isinstance(parsed, dict) else {}
