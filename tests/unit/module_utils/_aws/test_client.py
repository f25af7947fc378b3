# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Temporary errors that botocore does not retry."""

from __future__ import annotations

import json
import re
import types

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError, connect
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


def test_the_credentials_of_a_profile_are_resolved_once(tmp_path, monkeypatch):
    """A profile with a role would assume the role for each client."""
    program, starts, config = tmp_path / "program", tmp_path / "starts", tmp_path / "config"
    keys = {"Version": 1, "AccessKeyId": "AKIAEXAMPLE", "SecretAccessKey": "s3cr3t-example"}
    program.write_text(f"#!/bin/sh\necho started >>{starts}\necho '{json.dumps(keys)}'\n")
    program.chmod(0o755)
    config.write_text(f"[profile slow]\ncredential_process = {program}\n")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(config))
    module = types.SimpleNamespace(params={"profile": "slow", "region": "us-west-2"})
    regions = [connect(module, service).client.meta.region_name for service in ("ec2", "sts")]
    regions.append(connect(module, "pricing", region="us-east-1").client.meta.region_name)
    assert (regions, starts.read_text()) == (["us-west-2", "us-west-2", "us-east-1"], "started\n")


@pytest.mark.parametrize(
    ("params", "reason"),
    [({"profile": "missing"}, r"profile \(missing\)"), ({"region": "us-west-2", "endpoint_url": "here"}, "Invalid endpoint: here")],
)
def test_a_client_that_cannot_be_created_is_an_error_of_aws(params, reason):
    with pytest.raises(AwsError) as error:
        connect(types.SimpleNamespace(params=params), "ec2")
    assert re.search(reason, str(error.value.exception))
