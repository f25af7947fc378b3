# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which listed operation belongs to a deep health check."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.model import CHECKS, Check
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.health_check.operations import Operations

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
STRESS, CONNECTIVITY, TRAINING = CHECKS
ONE, TWO = "i-00000001", "i-00000002"
REQUEST = {"ClusterName": ARN, "Type": "DeepHealthCheck", "SortBy": "CreationTime", "SortOrder": "Descending", "MaxResults": 100}
OLD, NEW = (f"00000000-0000-0000-0000-00000000000{number}" for number in (1, 2))


def lists(stub: t.Any, *operations: dict[str, str]) -> None:
    stub.add_response("list_cluster_operations", {"ClusterOperationSummaries": list(operations)}, REQUEST)


def details(group: str, *checks: str, ids: t.Sequence[str] = ()) -> dict[str, t.Any]:
    return {"InstanceGroupName": group, "DeepHealthChecks": list(checks), **({"InstanceIds": list(ids)} if ids else {})}


ALL, OF_ONE = Check("a", (STRESS,)), Check("a", (STRESS,), (ONE,))


@pytest.mark.parametrize(
    ("checks", "answer", "ours"),
    [
        ([ALL], [details("a", STRESS)], True),
        ([ALL], [details("a", STRESS, CONNECTIVITY)], True),
        ([ALL], [details("a", CONNECTIVITY)], False),
        ([ALL], [details("b", STRESS)], False),
        ([ALL], None, False),
        ([ALL], [details("a", STRESS, ids=[TWO])], True),
        ([OF_ONE], [details("a", STRESS)], True),
        ([OF_ONE], [details("a", STRESS, ids=[ONE, TWO])], True),
        ([OF_ONE], [details("a", STRESS, ids=[TWO])], False),
        ([Check("a", (STRESS, TRAINING))], [details("a", STRESS)], False),
        ([ALL, Check("b", (STRESS,))], [details("a", STRESS)], False),
        ([ALL, Check("b", (STRESS,))], [details("a", STRESS), details("b", STRESS)], True),
    ],
)
def test_an_operation_with_all_checks_is_ours(stubbed: t.Any, checks: list[Check], answer: list[dict[str, t.Any]] | None, ours: bool) -> None:
    client, stub = stubbed("sagemaker")
    lists(stub, {"OperationId": OLD, "Status": "Done"})
    operations = Operations(HyperPod(client), ARN, checks)
    lists(stub, {"OperationId": NEW, "Status": "InProgress"}, {"OperationId": OLD, "Status": "Done"})
    found = {} if answer is None else {"DeepHealthCheckDetails": answer}
    stub.add_response("describe_cluster_operation", found, {"ClusterName": ARN, "OperationId": NEW})
    assert operations.status() == ("InProgress" if ours else "")


def test_an_operation_is_described_once(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    lists(stub)
    operations = Operations(HyperPod(client), ARN, [ALL])
    for status in ("InProgress", "Done"):
        lists(stub, {"OperationId": NEW, "Status": status})
        if status == "InProgress":
            stub.add_response("describe_cluster_operation", {"DeepHealthCheckDetails": [details("a", STRESS)]})
        assert operations.status() == status


def test_a_summary_may_lack_its_id(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_cluster_operations", {})
    operations = Operations(HyperPod(client), ARN, [ALL])
    lists(stub, {"Status": "Done"})
    assert operations.status() == ""


@pytest.mark.parametrize(("check", "ids"), [(ALL, {}), (OF_ONE, {"InstanceIds": [ONE]})])
def test_a_check_becomes_a_request(check: Check, ids: dict[str, t.Any]) -> None:
    assert check.request() == {"InstanceGroupName": "a", "DeepHealthChecks": [STRESS], **ids}
