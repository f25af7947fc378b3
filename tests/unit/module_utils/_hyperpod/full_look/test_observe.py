# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the last full look and AWS are read, and what is written and returned."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.model import Desired, FullLook, State, digest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.observe import Observer, observed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.plan import DELETE
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.full_look.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.model import Claim, Locks

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
NAME = "/mlfleet/hyperpod/abc123def456/full-look"
LOOK = FullLook("2026-11-22T11:59:00Z", True)
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
TAGS = {"mlfleet.hyperpod/cluster": ARN.text, "mlfleet.hyperpod/component": "full-look"}
ONE, TWO = "i-00000001", "i-00000002"


@pytest.mark.parametrize(
    ("text", "expected"), [(LOOK.to_json(), State(LOOK, True)), ("not readable", State(None, True)), (None, State(None, False))]
)
def test_the_last_full_look_is_read(stubbed: t.Any, text: str | None, expected: State) -> None:
    client, stub = stubbed("ssm")
    if text is None:
        stub.add_client_error("get_parameter", "ParameterNotFound", expected_params={"Name": NAME})
    else:
        stub.add_response("get_parameter", {"Parameter": {"Name": NAME, "Value": text, "Version": 1}}, {"Name": NAME})
    assert Observer(Parameters(Api(client)), ARN)() == expected


def claim(token: str, **more: t.Any) -> Claim:
    return Claim("bob@two", token, "two", "/a", 1, 2, "2026-11-22T11:59:00Z", "2026-11-22T12:59:00Z", **more)


@pytest.mark.parametrize(
    ("claims", "token", "generation", "holder", "ours"),
    [
        ([], "mine", 0, "", False),
        ([(3, claim("mine"))], "mine", 3, "bob@two", True),
        ([(3, claim("other"))], "mine", 3, "bob@two", False),
        ([(3, claim("mine", released=True))], "mine", 3, "", True),
        ([(2, claim("mine")), (3, claim("other", released=True))], "mine", 3, "bob@two", False),
    ],
)
def test_the_lock_is_read(stubbed: t.Any, claims: list[tuple[int, Claim]], token: str, generation: int, holder: str, ours: bool) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": []})
    locks = Locks("/path", datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.timezone.utc), tuple(claims))
    found = observed(HyperPod(client), ARN, locks=locks, records={}, token=token)
    assert (found.generation, found.holder, found.ours) == (generation, holder, ours)


def test_nodes_and_records_are_read(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": MOMENT, "InstanceStatus": {"Status": "Running"}}
    nodes = [{**about, "InstanceId": each} for each in (TWO, ONE)]
    stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": nodes}, {"ClusterName": ARN.text, "MaxResults": 100})
    locks = Locks("/path", datetime.datetime(2026, 11, 22, 12, tzinfo=datetime.timezone.utc))
    found = observed(HyperPod(client), ARN, locks=locks, records={"drained": {}}, token=None)
    launched = "2026-01-01T00:00:00.000Z"
    assert found.nodes == digest([("a", "Running", each, launched, "") for each in (ONE, TWO)])
    assert (found.instance_ids, found.records) == (frozenset({ONE, TWO}), digest({"drained": {}}))


@pytest.mark.parametrize("exists", [True, False])
def test_a_full_look_is_written_with_tags(stubbed: t.Any, exists: bool) -> None:
    client, stub = stubbed("ssm")
    request = {"Name": NAME, "Type": "String", "Value": "text"}
    tags = [{"Key": key, "Value": value} for key, value in TAGS.items()]
    stub.add_response("put_parameter", {}, {**request, "Overwrite": exists, **({} if exists else {"Tags": tags})})
    Applier(Parameters(Api(client)), ARN)(Step("PutParameter", {"text": "text", "exists": exists}, ()))


def test_a_full_look_is_deleted(stubbed: t.Any) -> None:
    client, stub = stubbed("ssm")
    stub.add_response("delete_parameter", {}, {"Name": NAME})
    Applier(Parameters(Api(client)), ARN)(Step(DELETE, {}, ()))


def test_the_result_contains_the_full_look() -> None:
    assert result(Desired(LOOK, ("changed",)), State(LOOK, True)) == {"reasons": ["changed"], "full_look": LOOK.looked}
    assert result(Desired(None), State()) == {"reasons": [], "full_look": None}
