# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The event filter, loaded by its path as ansible-rulebook does: documented messages, wrong ones, and random ones."""

from __future__ import annotations

import ast
import copy
import datetime
import json
import random
import re
import runpy
import sys
import typing as t
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[3] / "extensions/eda/plugins/event_filter/cluster_event.py"
FILTER = runpy.run_path(str(FILE))["main"]
ACCOUNT, REGION = "111111111111", "us-west-2"
ARN = f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:cluster/abc123def456"
OTHER = ARN.replace("abc123def456", "zzz123def456")
CLUSTERS = {ARN: "ml", OTHER: "other", ARN.replace("arn:aws:", "arn:aws-us-gov:"): "gov"}
TIME = "2026-06-01T17:20:25Z"
NOW = datetime.datetime(2026, 6, 1, 17, 30, 0, 250_000, tzinfo=datetime.timezone.utc)
COVERED = "2026-06-01T17:30:06Z"
"""The end of a window of 5 seconds that begins now, in whole seconds."""
DETAILS = {
    "SageMaker HyperPod Cluster Event": {
        "EventDetails": {
            "EventId": "f3e9b7a2-0000-4000-8000-000000000001",
            "ClusterArn": ARN,
            "ClusterName": "ml",
            "InstanceGroupName": "worker-group-1",
            "InstanceId": "i-0123456789abcdef0",
            "ResourceType": "Instance",
            "EventTime": 1780334425000,
            "EventLevel": "Warn",
            "Description": "The instance is being replaced.",
            "EventDetails": {"EventMetadata": {"Instance": None, "InstanceHealth": None}},
        }
    },
    "SageMaker HyperPod Cluster Node Health Event": {
        "ClusterName": "ml",
        "ClusterArn": ARN,
        "InstanceId": "i-0123456789abcdef0",
        "Tags": {},
        "HealthSummary": {"HealthStatus": "Unhealthy", "HealthStatusReason": "x", "RepairAction": "Replace", "Recommendation": "y"},
    },
    "SageMaker HyperPod Cluster State Change": {
        "ClusterArn": ARN,
        "ClusterName": "ml",
        "ClusterStatus": "InService",
        "CreationTime": 1780334425000,
        "FailureMessage": "",
        "InstanceGroups": [{"CurrentCount": 1, "TargetCount": 1, "InstanceGroupName": "login-group"}],
        "NodeRecovery": "Automatic",
    },
}
"""The three kinds of messages that the AWS documentation describes."""
STATE_CHANGE = "SageMaker HyperPod Cluster State Change"
JUNK: list[t.Any] = [
    None, True, 0, -1, 1e308, float("nan"), "", "x" * 100_000, "\ud800", "{{ 7 * 7 }}", b"\xff", [], {}, [[]], {"a": {}}, {1: 2},
    ARN, OTHER, TIME, "arn:aws:sagemaker:::cluster/", "\x00", "2026-99-99T99:99:99Z", "٢٠٢٦-06-01T17:20:25Z",
]  # fmt: skip


def message(kind: str = STATE_CHANGE, **changed: t.Any) -> dict[str, t.Any]:
    envelope = {
        "version": "0",
        "id": "9b24f1c5-0000-4000-8000-000000000001",
        "detail-type": kind,
        "source": "aws.sagemaker",
        "account": ACCOUNT,
        "time": TIME,
        "region": REGION,
        "resources": [ARN],
        "detail": copy.deepcopy(DETAILS[kind]),
    }
    return {**envelope, **changed}


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FILTER.__globals__, "_now", lambda: NOW)


def filtered(
    body: t.Any, *, account: t.Any = ACCOUNT, region: t.Any = REGION, clusters: t.Any = CLUSTERS, window: t.Any = 5
) -> dict[str, t.Any]:
    """What the filter makes of a message as the source of SQS passes it on."""
    meta = {"MessageId": "1", "event": {"uuid": "1"}, "hosts": "all"}
    found: dict[str, t.Any] = FILTER({"body": body, "meta": meta}, account=account, region=region, clusters=clusters, window=window)
    return found


@pytest.mark.parametrize("kind", DETAILS)
def test_only_the_cluster_and_the_time_of_a_message_are_passed_on(kind: str) -> None:
    assert filtered(message(kind)) == {"cluster": "ml", "time": COVERED}


def test_the_time_covers_the_window_of_the_throttle() -> None:
    for window, time in ((0, "2026-06-01T17:30:01Z"), ("60", "2026-06-01T17:31:01Z"), (-5, "2026-06-01T17:30:01Z"), (1e9, "2026-06-01T18:30:01Z")):
        assert filtered(message(), window=window)["time"] == time
    assert set(filtered(message(), window="five")) == {"refused"}


def test_the_message_is_not_changed() -> None:
    given = message()
    filtered(given)
    assert given == message()


def test_other_partitions_and_resources_are_accepted() -> None:
    arn = ARN.replace("arn:aws:", "arn:aws-us-gov:")
    found = message(resources=["arn:aws:eks:us-west-2:111111111111:cluster/ml", arn])
    found["detail"]["ClusterArn"] = arn
    assert filtered(found)["cluster"] == "gov"
    assert filtered(message(resources=[]))["cluster"] == "ml"
    assert filtered(message(), account=int(ACCOUNT))["cluster"] == "ml"


@pytest.mark.parametrize("clusters", [{}, {OTHER: "other"}, {ARN: 7}, {ARN: None}])
def test_a_cluster_that_the_rulebook_does_not_know_is_refused(clusters: t.Any) -> None:
    assert filtered(message(), clusters=clusters) == {"refused": "the rulebook does not know the cluster"}


def test_a_table_that_is_no_table_refuses_everything() -> None:
    assert filtered(message(), clusters=[ARN]) == {"refused": "the option clusters is not a JSON object"}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"source": "my.app"}, "the source is not aws.sagemaker"),
        ({"source": ["aws.sagemaker"]}, "the source is not aws.sagemaker"),
        ({"detail-type": "SageMaker Model State Change"}, "the detail-type is not one of HyperPod"),
        ({"detail-type": [STATE_CHANGE]}, "the detail-type is not one of HyperPod"),
        ({"detail-type": "SageMaker HyperPod Cluster Event"}, "detail.EventDetails is not a JSON object"),
        ({"detail": None}, "detail is not a JSON object"),
        ({"detail": [DETAILS[STATE_CHANGE]]}, "detail is not a JSON object"),
        ({"detail": {}}, "ClusterArn is not the ARN of a HyperPod cluster"),
        ({"detail": {"ClusterArn": f"{ARN}\n"}}, "ClusterArn is not the ARN of a HyperPod cluster"),
        ({"detail": {"ClusterArn": f"{ARN}{{{{ x }}}}"}}, "ClusterArn is not the ARN of a HyperPod cluster"),
        ({"detail": {"ClusterArn": ARN.replace(ACCOUNT, "222222222222")}}, "the cluster is not in the account and Region of the queue"),
        ({"detail": {"ClusterArn": ARN.replace(REGION, "us-east-1")}}, "the cluster is not in the account and Region of the queue"),
        ({"account": "222222222222"}, "account and region of the message are not those of the queue"),
        ({"account": int(ACCOUNT)}, "account and region of the message are not those of the queue"),
        ({"region": "us-east-1"}, "account and region of the message are not those of the queue"),
        ({"resources": None}, "resources is not a list"),
        ({"resources": [ARN, OTHER]}, "resources and ClusterArn name different clusters"),
        ({"time": None}, "time is not a UTC time such as 2026-01-31T12:00:00Z"),
        ({"time": f"{TIME}\n"}, "time is not a UTC time such as 2026-01-31T12:00:00Z"),
        ({"time": "2026-06-01T17:20:25+00:00"}, "time is not a UTC time such as 2026-01-31T12:00:00Z"),
        ({"time": "2026-02-30T17:20:25Z"}, "time is not a time that exists"),
        ({"time": "9999-12-31T23:59:59Z"}, "time is in the future"),
    ],
)
def test_another_message_is_refused_with_the_reason(changed: dict[str, t.Any], reason: str) -> None:
    assert filtered(message(**changed)) == {"refused": reason}


def test_a_clock_that_is_a_little_behind_refuses_nothing() -> None:
    assert filtered(message(time="2026-06-01T17:45:00Z"))["time"] == "2026-06-01T17:45:00Z"
    assert set(filtered(message(time="2026-06-01T17:45:01Z"))) == {"refused"}


def test_a_refusal_is_logged_without_text_of_the_message(caplog: pytest.LogCaptureFixture) -> None:
    filtered(message(source="{{ secret }}\n"))
    assert [each.getMessage() for each in caplog.records] == [
        "A message of the queue in account 111111111111, Region us-west-2 was refused: the source is not aws.sagemaker"
    ]


@pytest.mark.parametrize("event", [None, "text", [], {}, {"body": None}, {"body": "not JSON"}, {"body": [message()]}])
def test_an_event_without_a_message_is_refused(event: t.Any) -> None:
    assert set(FILTER(event, account=ACCOUNT, region=REGION, clusters=CLUSTERS)) == {"refused"}


def test_missing_arguments_refuse_everything() -> None:
    assert set(FILTER({"body": message()})) == {"refused"}
    assert set(filtered(message(), account=None, region=None)) == {"refused"}


def test_a_message_that_raises_an_error_is_refused() -> None:
    class Hostile(str):
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("{{ secret }}")

        __hash__ = str.__hash__

    assert filtered(message(account=Hostile(ACCOUNT))) == {"refused": "the message could not be checked (RuntimeError)"}


def test_the_depth_of_a_message_does_not_matter() -> None:
    deep: dict[str, t.Any] = {}
    for _level in range(sys.getrecursionlimit() * 3):
        deep = {"a": deep}
    assert filtered(message(detail={**DETAILS[STATE_CHANGE], "InstanceGroups": deep}))["cluster"] == "ml"
    for name in ("source", "detail-type", "detail", "account", "region", "resources", "time"):
        assert set(filtered(message(**{name: deep}))) == {"refused"}


def places(value: t.Any, path: tuple[t.Any, ...] = ()) -> t.Iterator[tuple[t.Any, ...]]:
    """The path to each value in a message."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield from places(each, (*path, key))


def replaced(value: t.Any, path: tuple[t.Any, ...], new: t.Any) -> t.Any:
    if not path:
        return new
    changed = copy.copy(value)
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed


def require_checked(found: dict[str, t.Any]) -> None:
    """A result has only checked values, and can be written as JSON."""
    json.dumps(found).encode()
    if "refused" in found:
        assert set(found) == {"refused"} and re.fullmatch(r"[A-Za-z0-9 .():,_-]+", found["refused"]), found
    else:
        assert set(found) == {"cluster", "time"} and found["cluster"] in ("ml", "other") and found["time"] == COVERED, found


@pytest.mark.parametrize("kind", DETAILS)
def test_any_value_may_be_replaced_by_any_other(kind: str) -> None:
    whole = message(kind)
    for path in places(whole):
        for junk in JUNK:
            require_checked(filtered(replaced(whole, path, junk)))


@pytest.mark.parametrize("seed", range(20))
def test_random_messages_are_refused_or_give_checked_values(seed: int) -> None:
    dice = random.Random(seed)
    for _number in range(200):
        changed: t.Any = message(dice.choice(list(DETAILS)))
        for _change in range(dice.randint(1, 6)):
            changed = replaced(changed, dice.choice(list(places(changed))), dice.choice(JUNK))
        require_checked(filtered(changed))


def test_the_file_imports_only_the_standard_library() -> None:
    """ansible-rulebook may run with a Python that has neither ansible-core nor the collections in its path."""
    imported = [node for node in ast.walk(ast.parse(FILE.read_text())) if isinstance(node, (ast.Import, ast.ImportFrom))]
    names = {alias.name for node in imported if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in imported if isinstance(node, ast.ImportFrom)}
    assert names <= sys.stdlib_module_names
