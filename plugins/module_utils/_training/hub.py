# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The access of a token to a model of Hugging Face's Hub.

Sources: the documentation of the Hub on gated models, and the reference of huggingface_hub. The Hub answers a request for a file of
a gated model with 401 without a valid token, and with 403 if the account of the token has no access.
"""

from __future__ import annotations

import re
import typing as t
import urllib.error
from dataclasses import dataclass, field

from ansible.module_utils.urls import open_url

from .._core.checks import check_number
from .._core.failure import Refused, not_allowed, refuse_option
from .._core.text import printable
from .job.token import problems as token_problems

SPEC: dict[str, dict[str, t.Any]] = {
    "model": {"type": "str", "required": True},
    "endpoint": {"type": "str", "default": "https://huggingface.co"},
    "token": {"type": "str", "no_log": True},
    "timeout": {"type": "int", "default": 30},
}
MODEL, MODEL_ALLOWED = "[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}", "OWNER/NAME of a model"
URL, URL_ALLOWED = "https?://[A-Za-z0-9.:/_-]{1,255}", "an http or https URL of at most 255 characters"
_LOCAL_OR_TLS = re.compile(r"https:|http://(127\.0\.0\.1|localhost)([:/]|$)")
VARIABLE = "HF_ENDPOINT"
"""The variable from which huggingface_hub reads the URL of the Hub or of a mirror."""
FILE = "config.json"
"""A small file that each model for the library transformers has."""
GRANTED, UNAUTHORIZED, FORBIDDEN, MISSING, UNKNOWN = "granted", "unauthorized", "forbidden", "missing", "unknown"
FOUND = (200, 302, 307)
"""The HTTP statuses that prove access. The Hub redirects to the storage of a file only after it has checked the access."""
REFUSED = {
    401: (UNAUTHORIZED, "{endpoint} requires a valid token for {model}. Check the name of the model, and set a token with access."),
    403: (FORBIDDEN, "The token has no access to {model}. Request the access on the page of the model at {endpoint}."),
    404: (MISSING, "{endpoint} has no {file} for {model}. Check the name of the model."),
}
"""The access and the text, keyed by HTTP status."""


@dataclass(frozen=True)
class Desired:
    model: str
    endpoint: str
    token: str = field(default="", repr=False)
    timeout: int = 30
    """Seconds to wait for the reply."""

    @property
    def url(self) -> str:
        """A file that the Hub serves only to accounts with access to the model."""
        return f"{self.endpoint.rstrip('/')}/{self.model}/resolve/main/{FILE}"


@dataclass(frozen=True)
class Reply:
    status: int
    """The HTTP status; 0 without a reply."""
    why: str = ""
    """Why there was no reply."""


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    model, endpoint, token = params["model"], params["endpoint"], params["token"] or ""
    for option, value, pattern, allowed in (("model", model, MODEL, MODEL_ALLOWED), ("endpoint", endpoint, URL, URL_ALLOWED)):
        if not re.fullmatch(pattern, value):
            refuse_option(option, value, allowed)
    for option, text in (*token_problems(token, {}, "token"), *endpoint_problems(endpoint, token)):
        raise Refused(text, option=option) from None
    return Desired(model, endpoint, token, check_number("timeout", params["timeout"], 1, 300))


def endpoint_problems(endpoint: str, token: str, option: str = "endpoint") -> t.Iterator[tuple[str, str]]:
    """The option and the text of a refusal, if a token would be sent without encryption to another machine."""
    if token and not _LOCAL_OR_TLS.match(endpoint):
        yield option, not_allowed(option, endpoint, "an https URL", "the token would be sent without encryption")


def reply(wanted: Desired) -> Reply:
    """The reply. Only the endpoint gets the token: a proxy would see it without TLS, and ``.netrc`` could replace it."""
    headers = {"Authorization": f"Bearer {wanted.token}"} if wanted.token else {}
    tls, more = wanted.url.startswith("https:"), {"timeout": wanted.timeout, "follow_redirects": "none", "use_netrc": False}
    try:
        answer = open_url(wanted.url, method="HEAD", headers=headers, use_proxy=tls, **more)
    except urllib.error.HTTPError as error:
        return Reply(error.code)
    except (OSError, ValueError) as error:  # URLError and errors of TLS are OSErrors
        return Reply(0, printable(str(getattr(error, "reason", error)))[:300])
    with answer:
        return Reply(answer.getcode())


def to_result(wanted: Desired, answer: Reply) -> dict[str, str]:
    names = {"endpoint": wanted.endpoint, "model": wanted.model, "file": FILE}
    if answer.status in FOUND:
        access, text = GRANTED, "{endpoint} serves the files of {model}."
    elif answer.status in REFUSED:
        access, text = REFUSED[answer.status]
    else:
        why = f"HTTP status {answer.status}" if answer.status else answer.why.rstrip(". ") or "no reply"
        access = UNKNOWN
        text = "The access to {model} at {endpoint} is unknown: " + why.replace("{", "(").replace("}", ")")
        text += ". Check the URL, and the network of the machine that sent the request."
    return {"model": wanted.model, "endpoint": wanted.endpoint, "access": access, "text": text.format(**names)}
