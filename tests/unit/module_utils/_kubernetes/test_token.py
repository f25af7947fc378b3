# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens for EKS: what is signed, and when a token is renewed."""

from __future__ import annotations

import base64
import typing as t
import urllib.parse

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes import token
from kubernetes.client import Configuration


@pytest.fixture
def sts() -> t.Any:
    keys = {"aws_access_key_id": "AKIAEXAMPLE", "aws_secret_access_key": "not-a-secret"}
    return botocore.session.Session().create_client("sts", region_name="us-west-2", **keys)


def request_of(made: str) -> tuple[urllib.parse.SplitResult, dict[str, list[str]]]:
    assert made.startswith("k8s-aws-v1.") and "=" not in made
    encoded = made.removeprefix("k8s-aws-v1.")
    url = urllib.parse.urlsplit(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)).decode())
    return url, urllib.parse.parse_qs(url.query)


def test_the_name_of_the_cluster_is_signed(sts: t.Any) -> None:
    url, query = request_of(token.token(sts, "pods"))
    assert url.hostname == "sts.us-west-2.amazonaws.com" and query["Action"] == ["GetCallerIdentity"]
    assert query["X-Amz-SignedHeaders"] == ["host;x-k8s-aws-id"] and query["X-Amz-Expires"] == ["60"]
    assert "not-a-secret" not in url.query
    _url, other = request_of(token.token(sts, "other"))
    assert other["X-Amz-Signature"] != query["X-Amz-Signature"]
    plain = sts.generate_presigned_url("get_caller_identity")
    assert "x-k8s-aws-id" not in plain, "headers of a token must not stay on the client"


def test_a_token_is_renewed_before_it_expires() -> None:
    clock, made = [1000.0], iter(("one", "two", "three"))
    configuration = Configuration()
    configuration.refresh_api_key_hook = token.Bearer(lambda: next(made), lambda: clock[0])
    configuration.refresh_api_key_hook(configuration)

    def sent(at: float) -> str:
        clock[0] = at
        return str(configuration.auth_settings()["BearerToken"]["value"])

    assert [sent(1000), sent(1599), sent(1600), sent(2199), sent(2200)] == [
        *("Bearer one", "Bearer one"),
        *("Bearer two", "Bearer two"),
        "Bearer three",
    ]


def test_a_clock_that_was_set_back_renews_the_token() -> None:
    clock, made = [1000.0], iter(("one", "two"))
    bearer, configuration = token.Bearer(lambda: next(made), lambda: clock[0]), Configuration()
    bearer(configuration)
    clock[0] = 990.0
    bearer(configuration)
    assert configuration.api_key == {"authorization": "Bearer two"}


def test_a_failed_signature_is_tried_again() -> None:
    made = iter((OSError("no credentials"), "one"))

    def sign() -> str:
        found = next(made)
        if isinstance(found, OSError):
            raise found
        return found

    bearer, configuration = token.Bearer(sign, lambda: 5.0), Configuration()
    with pytest.raises(OSError, match="no credentials"):
        bearer(configuration)
    bearer(configuration)
    assert configuration.api_key == {"authorization": "Bearer one"}
