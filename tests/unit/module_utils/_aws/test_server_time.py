# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The time of AWS, from a header of its replies."""

from __future__ import annotations

import typing as t
from types import SimpleNamespace

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.server_time import ServerTime
from botocore.awsrequest import AWSResponse


def answered(*headers: t.Mapping[str, str]) -> str:
    """The time after replies with these headers."""
    client = botocore.session.Session().create_client("ssm", "us-west-2", aws_access_key_id="a", aws_secret_access_key="b")
    time, replies = ServerTime(Api(client)), iter(headers)

    def reply(**_request: t.Any) -> AWSResponse:
        return AWSResponse("http://localhost", 200, {"content-type": "application/x-amz-json-1.1", **next(replies)}, SimpleNamespace(stream=lambda: [b"{}"]))

    client.meta.events.register("before-send", reply)
    for _reply in headers:
        client.get_parameter(Name="a")
    return time.first


@pytest.mark.parametrize(
    ("headers", "first"),
    [
        ([], ""),
        ([{"Date": "Sat, 21 Nov 2026 01:02:03 GMT"}, {"Date": "Sat, 21 Nov 2026 01:02:09 GMT"}], "2026-11-21T01:02:03Z"),
        ([{}], ""),
        ([{}, {"Date": "Sat, 21 Nov 2026 01:02:09 GMT"}], ""),  # later than the first reply
        ([{"Date": "yesterday"}], ""),
        ([{"Date": "Sat, 21 Nov 2026 01:02:03"}], ""),  # without a time zone
    ],
)
def test_the_first_reply_counts(headers: list[dict[str, str]], first: str) -> None:
    assert answered(*headers) == first
