# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The user of a token of ``aws eks get-token``: it contains a signed request to STS, which identifies the caller.

The API server posts a TokenReview, as that of EKS does. Only clusters of the lab's own account are known: a cluster of the same
name in another account is a different one.
"""

from __future__ import annotations

import base64
import binascii
import datetime
import hashlib
import hmac
import typing as t
from urllib.parse import parse_qsl, quote, urlsplit

from lab.names import ACCOUNT

from .entries import WITH_ENTRIES, principal_of

PREFIX = "k8s-aws-v1."
CLUSTER_HEADER = "x-k8s-aws-id"
LIFETIME = datetime.timedelta(minutes=15)
EXAMPLE_SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
"""Secret of access keys that were not created by the API."""


class Rejected(Exception):
    """The reason why a token is invalid."""


def review(body: dict[str, t.Any]) -> dict[str, t.Any]:
    """The TokenReview with its status."""
    try:
        status: dict[str, t.Any] = {"authenticated": True, "user": user_of(body["spec"]["token"])}
    except Rejected as rejected:
        status = {"authenticated": False, "error": str(rejected)}
    return {"apiVersion": body["apiVersion"], "kind": "TokenReview", "status": status}


def user_of(token: str) -> dict[str, t.Any]:
    """:raises Rejected: for a token that EKS would not accept."""
    from moto.eks.models import eks_backends
    from moto.sts.models import sts_backends

    from ..request import account_of

    url, parameters = _read(token)
    key, _day, region = parameters["X-Amz-Credential"].split("/")[:3]
    account = account_of(key)
    sts = sts_backends[account]["aws"]
    role = sts.get_assumed_role_from_access_key(key)
    secret = role.secret_access_key if role else _secret(account, key)
    caller = sts.get_caller_identity(key, region)[1]
    clusters = [cluster for each in list(eks_backends[ACCOUNT].values()) for cluster in each.clusters.values()]
    for cluster in clusters:
        if hmac.compare_digest(parameters["X-Amz-Signature"], _signature(url, parameters, secret, cluster.name)):
            return _user(cluster, caller)
    raise Rejected("the signature is not one for a cluster of this endpoint")


def _user(cluster: t.Any, caller: str) -> dict[str, t.Any]:
    entry = cluster.access_entries.get(principal_of(caller))
    if entry is None or cluster.access_config["authenticationMode"] not in WITH_ENTRIES:
        raise Rejected(f"{principal_of(caller)} has no access entry in cluster {cluster.name}")
    return entry.user(caller)


def _read(token: str) -> tuple[t.Any, dict[str, str]]:
    if not token.startswith(PREFIX):
        raise Rejected("not a token for EKS")
    encoded = token.removeprefix(PREFIX)
    try:
        url = urlsplit(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode())
    except (binascii.Error, UnicodeDecodeError):
        raise Rejected("not a token for EKS") from None
    parameters = dict(parse_qsl(url.query, keep_blank_values=True))
    if parameters.get("Action") != "GetCallerIdentity" or CLUSTER_HEADER not in parameters.get("X-Amz-SignedHeaders", "").split(";"):
        raise Rejected("not a request for the caller's identity, signed for a cluster")
    made = datetime.datetime.strptime(parameters["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    if datetime.datetime.now(datetime.timezone.utc) > made + LIFETIME:
        raise Rejected("the token has expired")
    return url, parameters


def _secret(account: str, key: str) -> str:
    from moto.iam.models import iam_backends

    made = iam_backends[account]["aws"].access_keys.get(key)
    return made.secret_access_key if made else EXAMPLE_SECRET


def _signature(url: t.Any, parameters: dict[str, str], secret: str, cluster: str) -> str:
    """A signature of AWS, version 4, for a request with all parameters in its URL."""
    headers = {"host": url.netloc, CLUSTER_HEADER: cluster}
    query = sorted((_quoted(name), _quoted(value)) for name, value in parameters.items() if name != "X-Amz-Signature")
    signed = parameters["X-Amz-SignedHeaders"]
    canonical = "\n".join(
        [
            "GET",
            url.path or "/",
            "&".join(f"{name}={value}" for name, value in query),
            *(f"{name}:{headers.get(name, '')}" for name in signed.split(";")),
            "",
            signed,
            hashlib.sha256(b"").hexdigest(),
        ]
    )
    scope = parameters["X-Amz-Credential"].split("/", 1)[1]
    text = "\n".join(["AWS4-HMAC-SHA256", parameters["X-Amz-Date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in scope.split("/"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.digest(key, text.encode(), "sha256").hex()


def _quoted(text: str) -> str:
    return quote(text, safe="-_.~")
