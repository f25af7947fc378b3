# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A read-only module run in the process of its task: it returns the same answer, or the module runs instead."""

from __future__ import annotations

import sys
import types
import typing as t
import warnings

import pytest
from ansible_collections.amazon.aws.plugins.module_utils import botocore as amazon
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError, connect
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.run import read_aws
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import aws_here

SPEC = {"cluster_arn": {"type": "str", "required": True}, "minutes": {"type": "int"}, "hours": {"type": "int"}}
GIVEN = {"cluster_arn": "arn", "minutes": "5", "region": "us-west-2"}
KEYS = {"access_key": "AKIAEXAMPLE", "secret_key": "s3cr3t-example", "session_token": "t0k3n-example"}
Read = t.Callable[[t.Any], dict[str, t.Any]]


def answer(read: Read, **given: t.Any) -> dict[str, t.Any] | None:
    """The answer for a task with these options; None as a value omits an option."""
    options = {name: value for name, value in {**GIVEN, **given}.items() if value is not None}
    module = types.ModuleType("it")
    vars(module).update(SETTINGS={"argument_spec": SPEC, "mutually_exclusive": [("minutes", "hours")]}, run=lambda caller: read_aws(caller, read))
    return aws_here.answer(module, options)


def test_options_are_validated_as_by_the_module() -> None:
    found = answer(lambda caller: {"seen": dict(caller.params), "region": caller.region})
    assert found and (found["changed"], found["changes"], found["region"]) == (False, [], "us-west-2")
    assert found["seen"]["minutes"] == 5 and found["seen"]["validate_certs"] is True


def test_the_region_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert answer(lambda caller: {"region": caller.region}, region=None) == {"changed": False, "changes": [], "region": "eu-west-1"}


def test_calls_have_our_user_agent_and_the_endpoint_of_the_options() -> None:
    def read(caller: t.Any) -> dict[str, t.Any]:
        client = connect(caller, "ssm").client
        return {"agent": client.meta.config.user_agent, "url": client.meta.endpoint_url, "retries": client.meta.config.retries}

    found = answer(read, endpoint_url="http://127.0.0.1:9", **KEYS)
    assert found and "mlfleet.hyperpod" in found["agent"]
    assert (found["url"], found["retries"]["mode"]) == ("http://127.0.0.1:9", "standard")


def test_a_secret_is_not_returned() -> None:
    message = f"The canonical string should have been x-amz-security-token:{KEYS['session_token']}"
    found = answer(lambda caller: {"reasons": [message]}, **KEYS)
    assert found and KEYS["session_token"] not in str(found) and "The canonical string" in str(found)


def test_the_result_is_that_of_a_module() -> None:
    """A module returns JSON, so it has no tuples, and returns its warnings."""

    def read(caller: t.Any) -> dict[str, t.Any]:
        caller.warn("old")
        return {"nodes": ("i-1", "i-2"), "check_mode": caller.check_mode}

    expected = {"nodes": ["i-1", "i-2"], "check_mode": True, "warnings": ["old"], "changed": False, "changes": []}
    assert answer(read) == expected


def test_output_of_libraries_is_suppressed(capsys: pytest.CaptureFixture[str], recwarn: pytest.WarningsRecorder) -> None:
    def read(_caller: t.Any) -> dict[str, t.Any]:
        warnings.warn("Unverified HTTPS request", stacklevel=1)
        print("Enter MFA code", file=sys.stderr)
        return {}

    assert answer(read) is not None
    assert (capsys.readouterr().err, list(recwarn)) == ("", [])


def test_a_service_may_be_in_another_region() -> None:
    found = answer(lambda caller: {"region": connect(caller, "pricing", region="us-east-1").client.meta.region_name}, **KEYS)
    assert found and found["region"] == "us-east-1"


def fails(error: Exception) -> Read:
    def read(_caller: t.Any) -> dict[str, t.Any]:
        raise error

    return read


@pytest.mark.parametrize(
    ("read", "given"),
    [
        (fails(Refused("no")), {}),
        (fails(AwsError(message="no")), {}),
        (lambda caller: {"client": connect(caller, "ssm")}, {"profile": "missing"}),
        (lambda _caller: {}, {"minutes": "soon"}),
        (lambda _caller: {}, {"cluster_arn": None}),
        (lambda _caller: {}, {"unknown": 1}),
        (lambda _caller: {}, {"hours": 1}),
        (lambda _caller: {}, {"debug_botocore_endpoint_logs": True}),
    ],
    ids=["refused", "AWS", "no profile", "no number", "missing", "unknown", "exclusive", "endpoint logs"],
)
def test_failures_are_left_to_the_module(read: Read, given: dict[str, t.Any]) -> None:
    assert answer(read, **given) is None


@pytest.mark.parametrize("missing", ["library", "version"])
def test_without_boto3_the_module_reports_it(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    if missing == "library":
        monkeypatch.setattr(amazon, "HAS_BOTO3", False)
    else:
        monkeypatch.setattr(amazon, "MINIMUM_BOTO3_VERSION", "1000.0.0")
    assert answer(lambda _caller: {}) is None


def test_programming_errors_are_raised() -> None:
    with pytest.raises(KeyError):
        answer(fails(KeyError("x")))
