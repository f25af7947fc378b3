# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a node group is read, and by which requests."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock, WaitTimeout
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.model import Desired, Nodegroup, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.observe import Observer, look

NAMED = {"clusterName": "pods", "nodegroupName": "gpu"}
ANSWER = {"nodegroupArn": "arn", "status": "ACTIVE"}
HAVE = Nodegroup.from_api(ANSWER)


def observer(client: t.Any, *, waits: bool = True, present: bool = True, timeout: float = 60) -> Observer:
    now = [0.0]
    clock = Clock(now=lambda: now[0], sleep=lambda seconds: now.__setitem__(0, now[0] + seconds), jitter=lambda: 0.0)
    waiting = Waits(timeout=timeout, interval=20, clock=clock) if waits else None
    return Observer(Api(client), Desired("pods", "gpu", present=present), waits=waiting)


def test_an_absent_group_is_none_and_other_errors_are_raised(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_client_error("describe_nodegroup", "ResourceNotFoundException", expected_params=NAMED)
    assert look(Api(client), "pods", "gpu") is None
    stub.add_client_error("describe_nodegroup", "AccessDeniedException")
    with pytest.raises(AwsError, match="DescribeNodegroup for node group gpu of EKS cluster pods failed"):
        look(Api(client), "pods", "gpu")


def test_the_version_of_the_cluster_is_read_unless_the_group_is_removed(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_nodegroup", {"nodegroup": ANSWER}, NAMED)
    stub.add_response("describe_cluster", {"cluster": {"name": "pods", "version": "1.34"}}, {"name": "pods"})
    assert observer(client, waits=False)() == State(HAVE, "1.34")
    stub.add_response("describe_nodegroup", {"nodegroup": ANSWER}, NAMED)
    assert observer(client, present=False)() == State(HAVE)


@pytest.mark.parametrize("status", ["CREATING", "UPDATING", "DELETING", "SPLENDID"])
def test_an_operation_or_an_unknown_status_is_waited_for(stubbed: t.Any, status: str) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_nodegroup", {"nodegroup": {**ANSWER, "status": status}})
    stub.add_response("describe_nodegroup", {"nodegroup": ANSWER})
    assert observer(client, present=False)() == State(HAVE)


@pytest.mark.parametrize("status", ["ACTIVE", "DEGRADED", "CREATE_FAILED", "DELETE_FAILED"])
def test_other_statuses_end_the_wait(stubbed: t.Any, status: str) -> None:
    client, stub = stubbed("eks")
    stub.add_response("describe_nodegroup", {"nodegroup": {**ANSWER, "status": status}})
    found = observer(client, present=False)().group
    assert found is not None and found.status == status


def test_a_timeout_contains_the_next_steps(stubbed: t.Any) -> None:
    client, stub = stubbed("eks")
    busy = {**ANSWER, "status": "CREATING", "scalingConfig": {"desiredSize": 2}}
    issues = {"issues": [{"code": "IamThrottling", "message": "slow"}]}
    for _poll in range(3):
        stub.add_response("describe_nodegroup", {"nodegroup": {**busy, "health": issues}})
    message = r"is still CREATING \(desired 2; IamThrottling: slow\) after 1 s\. Next step: run again later\.$"
    with pytest.raises(Failure, match=message):
        observer(client, timeout=1)()
    for _poll in range(3):
        stub.add_response("describe_nodegroup", {"nodegroup": busy})
    with pytest.raises(WaitTimeout, match=r"is still CREATING \(desired 2\) after 1 s$"):
        observer(client, timeout=1)()
