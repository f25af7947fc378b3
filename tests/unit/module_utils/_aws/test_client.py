# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Temporary errors that botocore does not retry."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock

PUT = {"Name": "/mlfleet/one", "Value": "1", "Type": "String"}


class Time:
    """A clock that only pauses move."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def api(self, client) -> Api:
        api = Api(client)
        api.clock = Clock(now=lambda: self.now, sleep=self.sleep, jitter=lambda: 0.5)
        return api


def test_concurrent_updates_are_retried_with_growing_pauses(stubbed):
    client, stubber = stubbed("ssm")
    for _try in range(5):
        stubber.add_client_error("put_parameter", "TooManyUpdates")
    stubber.add_response("put_parameter", {"Version": 2})
    time = Time()
    assert time.api(client).call("PutParameter", about="one", **PUT)["Version"] == 2
    assert time.pauses == [0.5, 1.0, 2.0, 4.0, 5.0]


def test_retries_last_longer_than_a_deleted_name_is_blocked(stubbed):
    client, stubber = stubbed("ssm")
    for _try in range(16):
        stubber.add_client_error("put_parameter", "TooManyUpdates")
    time = Time()
    with pytest.raises(AwsError, match="another run writes the same parameter"):
        time.api(client).call("PutParameter", about="one", **PUT)
    assert 45 < time.now < 70


@pytest.mark.parametrize("code", ["ParameterAlreadyExists", "AccessDeniedException"])
def test_other_errors_are_final(stubbed, code):
    client, stubber = stubbed("ssm")
    stubber.add_client_error("put_parameter", code)
    time = Time()
    with pytest.raises(AwsError) as error:
        time.api(client).call("PutParameter", about="one", **PUT)
    assert (error.value.code, time.pauses) == (code, [])
