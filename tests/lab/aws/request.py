# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parse a request: account, region, service, operation and parameters, with the botocore model."""

from __future__ import annotations

import contextvars
import dataclasses
import io
import json
import re
import time
import typing as t
from urllib.parse import parse_qsl

from moto.core.parse import PROTOCOL_PARSERS

from . import cloud
from .modelcheck import service_model

TARGETS = {
    "SageMaker": "sagemaker",
    "AmazonSSM": "ssm",
    "secretsmanager": "secretsmanager",
    "ResourceGroupsTaggingAPI_20170126": "resourcegroupstaggingapi",
    "ServiceQuotasV20190624": "service-quotas",
    "Logs_20140328": "logs",
    "CertificateManager": "acm",
    "AWSSimbaAPIService_v20180301": "fsx",
    "AmazonEC2ContainerRegistry_V20150921": "ecr",
    "AWSPriceListService": "pricing",
    "AWSEvents": "events",
    "AmazonSQS": "sqs",
    "GraniteServiceVersion20100801": "cloudwatch",
}
QUERY_SERVICES = {"ec2": "ec2", "elasticloadbalancing": "elbv2", "sts": "sts", "iam": "iam", "sqs": "sqs", "monitoring": "cloudwatch"}
CREDENTIAL = re.compile(r"Credential=([^/,\s]+)/\d+/([^/]+)/([^/]+)/aws4_request")
ACCOUNT_IN_KEY = re.compile(r"\d{12}")
READS = ("Describe", "List", "Get", "Search", "Lookup", "Simulate", "BatchGet", "Head", "Check", "Filter", "ExportClientVpn")
OWNER = "HTTP_X_AMZ_EXPECTED_BUCKET_OWNER"
READING_POSTS = re.compile(r"POST /clusters/[^/]+/insights")
"""Requests without a model that read with the method POST: ListInsights of EKS."""
SESSIONS = {"StartSession", "TerminateSession", "ResumeSession"}
BODY_LIMIT = 64 * 1024 * 1024


@dataclasses.dataclass
class Call:
    """A request. ``operation`` is the API's name, or method and path if the service is not modelled.

    Without a model, parameters are those of EKS, and for S3 the expected owner.
    """

    account: str
    region: str
    service: str
    operation: str
    protocol: str
    access_key: str = ""
    query: t.Container[str] = ()
    params: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    unreadable: str = ""
    started: float = dataclasses.field(default_factory=time.time)
    sequence: int = 0

    @property
    def model(self) -> t.Any:
        """The botocore operation model, or None if the service is not modelled."""
        if self.protocol not in PROTOCOL_PARSERS or self.protocol.startswith("rest"):
            return None
        model = service_model(self.service)
        return model.operation_model(self.operation) if self.operation in model.operation_names else None

    @property
    def kind(self) -> str:
        """``read``, ``write`` or ``session``."""
        if self.operation in SESSIONS:
            return "session"
        if self.service == "sts" or self.operation.startswith((*READS, "GET ", "HEAD ")) or self.params.get("DryRun"):
            return "read"
        if READING_POSTS.fullmatch(self.operation):
            return "read"
        return "write"


_current: contextvars.ContextVar[Call | None] = contextvars.ContextVar("call", default=None)


def current() -> Call:
    """The request that this thread handles.

    :raises RuntimeError: outside of a request.
    """
    call = _current.get()
    if call is None:
        raise RuntimeError("no request in this thread")
    return call


def enter(call: Call) -> None:
    """Set the current request of this thread."""
    _current.set(call)


def read(environ: dict[str, t.Any]) -> Call:
    """Parse the request; its body remains readable, and the account is passed to moto."""
    body = _body(environ)
    key, region, signing = _credential(environ)
    account = account_of(key)
    environ["HTTP_X_MOTO_ACCOUNT_ID"] = account
    call = Call(account=account, region=region, service=signing, operation="", protocol="", access_key=key)
    target = environ.get("HTTP_X_AMZ_TARGET", "")
    if "." in target:
        prefix, call.operation = target.rsplit(".", 1)
        call.service, call.protocol = TARGETS.get(prefix, signing), "json"
        _parse(call, {"body": body, "values": {}}, known=prefix in TARGETS)
        return call
    form = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True)) if _is_form(environ) else {}
    form = form or dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
    if "Action" in form:
        call.service = QUERY_SERVICES.get(signing, _unsigned_service(form) or signing)
        call.operation, call.protocol = form["Action"], "ec2" if call.service == "ec2" else "query"
        _parse(call, {"body": body, "values": form}, known=call.service in QUERY_SERVICES.values())
        return call
    call.operation = f"{environ['REQUEST_METHOD']} {environ.get('PATH_INFO', '/')}"
    call.protocol = "rest-xml" if signing in ("s3", "route53", "cloudfront") else "rest-json"
    call.query = dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))
    if signing == "eks" and body:
        call.params = json.loads(body)
    if signing == "s3" and OWNER in environ:
        call.params = {"ExpectedBucketOwner": environ[OWNER]}
    return call


def _parse(call: Call, request: dict[str, t.Any], *, known: bool) -> None:
    if not known or call.model is None:
        return
    try:
        call.params = _plain(PROTOCOL_PARSERS[call.protocol](call.model).parse(request))
    except Exception as error:  # any failure of the parser is due to the request
        call.unreadable = str(error) or type(error).__name__


def _plain(value: t.Any) -> t.Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if item is not None}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _body(environ: dict[str, t.Any]) -> bytes:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    if not 0 < length <= BODY_LIMIT:
        return b""
    body = environ["wsgi.input"].read(length)
    environ["wsgi.input"] = io.BytesIO(body)
    return body


def _is_form(environ: dict[str, t.Any]) -> bool:
    return environ.get("CONTENT_TYPE", "").startswith("application/x-www-form-urlencoded")


def _credential(environ: dict[str, t.Any]) -> tuple[str, str, str]:
    found = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return (found[1], found[2], found[3]) if found else ("", "us-east-1", "unsigned")


def _unsigned_service(form: dict[str, str]) -> str:
    return "sts" if form["Action"].startswith("AssumeRoleWith") else ""


def account_of(access_key: str) -> str:
    """The account of an access key: that of its role, else the 12 digits in the key, else the default."""
    from moto.iam.models import iam_backends

    for account, partitions in list(iam_backends.items()):
        if any(access_key in backend.access_keys for backend in list(partitions.values())):
            return account
    found = ACCOUNT_IN_KEY.search(access_key)
    return found[0] if found else cloud.DEFAULT_ACCOUNT
