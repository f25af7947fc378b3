# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a token for EKS is good: each is signed as of its age, so that nothing but the age can be wrong with it."""

from __future__ import annotations

import base64
import datetime
import json
import typing as t
import urllib.request
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.token import PREFIX, token
from botocore.session import Session
from lab.aws.eks import tokens
from lab.names import ACCOUNT


def signed(cluster: str, minutes: float, *, forged: bool = False) -> str:
    """A token that was signed so many minutes ago, or that only says so."""
    keys = {"aws_access_key_id": f"AKIA{ACCOUNT}", "aws_secret_access_key": tokens.EXAMPLE_SECRET}
    made = token(Session().create_client("sts", region_name="us-west-2", **keys), cluster).removeprefix(PREFIX)
    url = urlsplit(base64.urlsafe_b64decode(made + "=" * (-len(made) % 4)).decode())
    asked = dict(parse_qsl(url.query))
    then = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=minutes)
    scope = asked["X-Amz-Credential"].split("/", 2)[2]
    asked |= {"X-Amz-Date": f"{then:%Y%m%dT%H%M%SZ}", "X-Amz-Credential": f"AKIA{ACCOUNT}/{then:%Y%m%d}/{scope}"}
    if not forged:
        asked["X-Amz-Signature"] = tokens._signature(url, asked, tokens.EXAMPLE_SECRET, cluster)
    return PREFIX + base64.urlsafe_b64encode(url._replace(query=urlencode(asked)).geturl().encode()).decode().rstrip("=")


def review(url: str, given: str) -> dict[str, t.Any]:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": given}}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/lab/token-review", json.dumps(body).encode()), timeout=60) as answer:
        return dict(json.load(answer)["status"])


@pytest.mark.parametrize("minutes", [0, 14.5])
def test_a_token_logs_in_for_fifteen_minutes(place: t.Any, account: t.Any, minutes: float) -> None:
    found = review(account.url, signed(place.name, minutes))
    assert found["authenticated"] and found["user"]["username"].startswith("arn:aws:"), found


@pytest.mark.parametrize("minutes", [15.5, 16])
def test_a_token_has_expired_then(place: t.Any, account: t.Any, minutes: float) -> None:
    assert review(account.url, signed(place.name, minutes)) == {"authenticated": False, "error": "the token has expired"}


def test_an_age_that_was_not_signed(place: t.Any, account: t.Any) -> None:
    refused = {"authenticated": False, "error": "the signature is not one for a cluster of this endpoint"}
    assert review(account.url, signed(place.name, 5, forged=True)) == refused
    assert review(account.url, signed("none", 5)) == refused
