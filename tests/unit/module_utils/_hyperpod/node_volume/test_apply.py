# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a volume is read, when a change of it is complete, and which errors are no failures."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.wait import Clock
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.waits import Waits
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.model import Attachment, Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.result import result

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NODE, OTHER, VOLUME = "i-00000001", "i-00000002", "vol-00000001"
IDS = {"ClusterArn": ARN, "NodeId": NODE, "VolumeId": VOLUME}
CLUSTER = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": "InService", "InstanceGroups": []}
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
METHODS = {True: "attach_cluster_node_volume", False: "detach_cluster_node_volume"}
Reading = tuple[str, str]
"""The node of the attachment, and its state."""


class Service:
    """Clients with scripted answers, and a clock that only sleeping advances."""

    def __init__(self, stubbed: t.Any, *, present: bool = True, waits: bool = True) -> None:
        (client, self.stub), (ec2, self.of_ec2) = stubbed("sagemaker"), stubbed("ec2")
        paused: list[float] = []
        clock = Clock(now=lambda: sum(paused), sleep=paused.append, jitter=lambda: 0.0)
        self.desired, api = Desired(ARN, NODE, VOLUME, present=present), HyperPod(client)
        self.observer = Observer(api, Api(ec2), self.desired, waits=Waits(timeout=60, interval=20, clock=clock) if waits else None)
        self.apply = Applier(api, self.desired, self.observer)
        self.step = Step("AttachClusterNodeVolume" if present else "DetachClusterNodeVolume", IDS, ())

    def takes(self, error: str = "") -> None:
        method = METHODS[self.desired.present]
        if error:
            self.stub.add_client_error(method, error, expected_params=IDS)
        else:
            self.stub.add_response(method, {**IDS, "AttachTime": MOMENT, "Status": "attaching", "DeviceName": "/dev/sdf"}, IDS)

    def shows(self, *attachments: Reading) -> None:
        self.stub.add_response("describe_cluster", CLUSTER, {"ClusterName": ARN})
        listed = [{"InstanceId": node, "State": state, "Device": "/dev/sdf"} for node, state in attachments]
        self.of_ec2.add_response("describe_volumes", {"Volumes": [{"State": "in-use", "Attachments": listed}]}, {"VolumeIds": [VOLUME]})
        about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": MOMENT, "InstanceStatus": {"Status": "Running"}}
        self.stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": [{**about, "InstanceId": NODE}]})


def state(*attachment: str) -> State:
    return State(Cluster.from_api(CLUSTER), frozenset({NODE}), "in-use", Attachment(*attachment) if attachment else None)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"AssociatedResource": f"{ARN}-{NODE}", "State": "attached", "Device": "/dev/sdf"}, Attachment(NODE, "attached", "/dev/sdf")),
        ({"AssociatedResource": "arn:other", "InstanceId": OTHER}, Attachment("arn:other", "")),
        ({"InstanceId": OTHER, "State": "busy"}, Attachment(OTHER, "busy", "")),
        ({}, Attachment("an unknown resource", "", "")),
    ],
)
def test_the_node_of_a_volume_is_read(answer: dict[str, str], expected: Attachment) -> None:
    assert Attachment.from_api(answer) == expected


@pytest.mark.parametrize(
    ("attachments", "expected"),
    [
        ((), state()),
        (((OTHER, "attached"),), state(OTHER, "attached", "/dev/sdf")),
        (((OTHER, "attached"), (NODE, "attached")), state(NODE, "attached", "/dev/sdf")),
    ],
)
def test_the_attachment_to_our_node_counts_first(stubbed: t.Any, attachments: tuple[Reading, ...], expected: State) -> None:
    service = Service(stubbed, waits=False)
    service.shows(*attachments)
    assert service.observer() == expected


@pytest.mark.parametrize("busy", ["attaching", "detaching"])
def test_an_operation_of_an_earlier_run_is_waited_for(stubbed: t.Any, busy: str) -> None:
    service = Service(stubbed)
    service.shows((NODE, busy))
    service.shows((NODE, "attached"))
    assert service.observer() == state(NODE, "attached", "/dev/sdf")


@pytest.mark.parametrize(
    ("present", "readings"),
    [
        (True, [(), ((OTHER, "attached"),), ((NODE, "attaching"),), ((NODE, "attached"),)]),
        (False, [((NODE, "attached"),), ((NODE, "detaching"),), ()]),
        (False, [((NODE, "detached"),), ((OTHER, "attached"),)]),
    ],
)
def test_a_change_is_complete_when_the_attachment_is_as_wanted(stubbed: t.Any, present: bool, readings: list[tuple[Reading, ...]]) -> None:
    service = Service(stubbed, present=present)
    service.takes()
    for reading in readings:
        service.shows(*reading)
    service.apply(service.step)


@pytest.mark.parametrize(
    ("present", "reading", "begun"),
    [
        (True, ((NODE, "attaching"),), True),
        (True, ((OTHER, "attached"),), False),
        (True, (), False),
        (False, (), True),
        (False, ((OTHER, "attached"),), True),
        (False, ((NODE, "detaching"),), True),
        (False, ((NODE, "attached"),), False),
    ],
)
def test_a_refused_call_is_no_error_if_the_change_has_started(stubbed: t.Any, present: bool, reading: tuple[Reading, ...], begun: bool) -> None:
    service = Service(stubbed, present=present, waits=False)
    service.takes("ValidationException")
    service.shows(*reading)
    if begun:
        service.shows(*reading)
        service.apply(service.step)
    else:
        with pytest.raises(AwsError, match=f"for volume {VOLUME} on node {NODE} failed"):
            service.apply(service.step)


@pytest.mark.parametrize(
    ("found", "attached", "device"),
    [(state(NODE, "attached", "/dev/sdf"), True, "/dev/sdf"), (state(OTHER, "attached", "/dev/sdf"), False, ""), (state(), False, "")],
)
def test_the_result_contains_the_volume(found: State, attached: bool, device: str) -> None:
    expected = {"volume_id": VOLUME, "status": "in-use", "attached": attached, "device": device}
    assert result(Desired(ARN, NODE, VOLUME), found) == {"volume": expected}
