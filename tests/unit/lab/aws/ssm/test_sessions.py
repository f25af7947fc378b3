# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters, secrets, identities and sessions by boto3 against the simulator."""

from __future__ import annotations

import base64
import json
import time
import typing as t

import pytest
from refusals import code


@pytest.fixture(scope="module")
def ssm(account: t.Any) -> t.Any:
    """A client without a limit of sessions."""
    account.control.settings(session_rate_seconds=0)
    return account.client("ssm")


@pytest.fixture(scope="module")
def target(account: t.Any) -> str:
    return target_in(account, "ml")


def target_in(account: t.Any, cluster: str) -> str:
    """The node of a new cluster."""
    arn = account.cluster(cluster, account.group("login-group", 1, "Login"))
    row = account.control.nodes(cluster)[0]
    assert row["ssm_target"] == f"sagemaker-cluster:{arn.rsplit('/', 1)[1]}_login-group-{row['instance_id']}"
    return str(row["ssm_target"])


def test_sessions_begin_and_end(ssm, target):
    session = ssm.start_session(Target=target, DocumentName="AWS-StartSSHSession", Parameters={"portNumber": ["22"]})
    assert session["StreamUrl"].endswith(session["SessionId"]) and session["TokenValue"]
    assert [one["Target"] for one in ssm.describe_sessions(State="Active")["Sessions"]] == [target]
    ssm.terminate_session(SessionId=session["SessionId"])
    assert ssm.describe_sessions(State="Active")["Sessions"] == []


@pytest.mark.parametrize(
    "change, expected",
    [
        ({"Target": "sagemaker-cluster:abcdefghijkl_login-group-i-0123456789abcdef0"}, "TargetNotConnected"),
        ({"Target": "i-0123456789abcdef0"}, "TargetNotConnected"),
        ({"DocumentName": "Unknown"}, "InvalidDocument"),
    ],
)
def test_refused_sessions(ssm, target, change, expected):
    assert code(ssm.start_session, **{"Target": target, **change}) == expected


def test_nodes_of_another_account_are_not_connected(account, target):
    other = type(account)(account.url, "222222222222").client("ssm")
    assert code(other.start_session, Target=target) == "TargetNotConnected"


def test_a_node_that_is_off_has_no_sessions(account, ssm, target):
    (node,) = account.control.nodes("ml")
    account.control.power("off", node["instance_id"])
    assert account.control.nodes("ml") == [node] and node["status"] == "Running"
    assert code(ssm.start_session, Target=target) == "TargetNotConnected"
    account.control.power("on", node["instance_id"])
    assert code(ssm.start_session, Target=target) == ""


def test_three_sessions_a_second(account):
    other = type(account)(account.url, "333333333333")  # without sessions
    target, start = target_in(other, "quick"), other.client("ssm").start_session
    assert account.control.settings(session_rate_seconds=1)["sessions_per_second"] == 3
    with other.held("session_rate_seconds"):
        assert [code(start, Target=target) for _turn in range(5)] == [""] * 3 + ["ThrottlingException"] * 2
    time.sleep(1)
    assert code(start, Target=target) == ""


def test_a_fault_refuses_the_channel(account, ssm, target):
    account.control.faults({"kind": "ssm_refused_channel", "operation": "StartSession", "times": 1})
    tokens = [ssm.start_session(Target=target)["TokenValue"] for _turn in range(2)]
    assert [json.loads(base64.urlsafe_b64decode(token))["refused"] for token in tokens] == [True, False]
