# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The validity of tokens for EKS. Each is signed for its age, so only its age can make it invalid."""

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
    """A token that was signed ``minutes`` ago, or only claims so if ``forged``."""
    keys = {"aws_access_key_id": f"AKIA{ACCOUNT}", "aws_secret_access_key": tokens.EXAMPLE_SECRET}
    made = token(Session().create_client("sts", region_name="us-west-2", **keys), cluster).removeprefix(PREFIX)
    url = urlsplit(base64.urlsafe_b64decode(made + "=" * (-len(made) % 4)).decode())
    query = dict(parse_qsl(url.query))
    time = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=minutes)
    scope = query["X-Amz-Credential"].split("/", 2)[2]
    query |= {"X-Amz-Date": f"{time:%Y%m%dT%H%M%SZ}", "X-Amz-Credential": f"AKIA{ACCOUNT}/{time:%Y%m%d}/{scope}"}
    if not forged:
        query["X-Amz-Signature"] = tokens._signature(url, query, tokens.EXAMPLE_SECRET, cluster)
    return PREFIX + base64.urlsafe_b64encode(url._replace(query=urlencode(query)).geturl().encode()).decode().rstrip("=")


def review(url: str, given: str) -> dict[str, t.Any]:
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": given}}
    with urllib.request.urlopen(urllib.request.Request(f"{url}/lab/token-review", json.dumps(body).encode()), timeout=60) as answer:
        return dict(json.load(answer)["status"])


@pytest.mark.parametrize("minutes", [0, 14.5])
def test_a_token_is_valid_for_fifteen_minutes(place: t.Any, account: t.Any, minutes: float) -> None:
    found = review(account.url, signed(place.name, minutes))
    assert found["authenticated"] and found["user"]["username"].startswith("arn:aws:"), found


@pytest.mark.parametrize("minutes", [15.5, 16])
def test_an_older_token_has_expired(place: t.Any, account: t.Any, minutes: float) -> None:
    assert review(account.url, signed(place.name, minutes)) == {"authenticated": False, "error": "the token has expired"}


def test_a_forged_age_is_refused(place: t.Any, account: t.Any) -> None:
    refused = {"authenticated": False, "error": "the signature is not one for a cluster of this endpoint"}
    assert review(account.url, signed(place.name, 5, forged=True)) == refused
    assert review(account.url, signed("none", 5)) == refused
