# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a network interface is read and returned, and which refused call is no error."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Step
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.result import result

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NODE, OTHER, INTERFACE = "i-00000001", "i-00000002", "eni-00000001"
DESIRED = Desired(ARN, NODE, INTERFACE)
MOMENT = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
IDS = {"ClusterName": ARN, "NodeId": NODE, "NetworkInterfaceId": INTERFACE}
ATTACHED = {"ClusterArn": ARN, "NodeId": NODE, "NetworkInterfaceId": INTERFACE, "AttachmentId": "a-1"}
STEP = Step("AttachClusterNodeNetworkInterface", IDS, ())


class Service:
    """Clients with scripted answers."""

    def __init__(self, stubbed: t.Any) -> None:
        (client, self.stub), (ec2, self.of_ec2) = stubbed("sagemaker"), stubbed("ec2")
        self.observer = Observer(HyperPod(client), Api(ec2), DESIRED)
        self.apply = Applier(HyperPod(client), DESIRED, self.observer)

    def shows(self, **attachment: str) -> None:
        cluster = {"ClusterArn": ARN, "ClusterName": "ml", "ClusterStatus": "InService", "InstanceGroups": []}
        self.stub.add_response("describe_cluster", cluster, {"ClusterName": ARN})
        found = {"Status": "in-use", **({"Attachment": attachment} if attachment else {})}
        self.of_ec2.add_response("describe_network_interfaces", {"NetworkInterfaces": [found]}, {"NetworkInterfaceIds": [INTERFACE]})
        about = {"InstanceGroupName": "a", "InstanceType": "ml.m5.large", "LaunchTime": MOMENT, "InstanceStatus": {"Status": "Running"}}
        self.stub.add_response("list_cluster_nodes", {"ClusterNodeSummaries": [{**about, "InstanceId": NODE}]})


@pytest.mark.parametrize(
    ("attachment", "holder", "name"),
    [({"InstanceId": OTHER, "AttachmentId": "a-1"}, OTHER, "a-1"), ({"AttachmentId": "a-1"}, "", "a-1"), ({}, "", "")],
)
def test_the_interface_and_its_node_are_read(stubbed: t.Any, attachment: dict[str, str], holder: str, name: str) -> None:
    service = Service(stubbed)
    service.shows(**attachment)
    assert service.observer() == State("ml", frozenset({NODE}), "in-use", holder, name)


def test_the_interface_is_attached_by_one_call(stubbed: t.Any) -> None:
    service = Service(stubbed)
    service.stub.add_response("attach_cluster_node_network_interface", ATTACHED, IDS)
    service.apply(STEP)


@pytest.mark.parametrize(("holder", "fails"), [(NODE, False), (OTHER, True)])
def test_a_refused_call_is_no_error_if_the_node_has_the_interface(stubbed: t.Any, holder: str, fails: bool) -> None:
    service = Service(stubbed)
    service.stub.add_client_error("attach_cluster_node_network_interface", "ValidationException")
    service.shows(InstanceId=holder)
    if fails:
        with pytest.raises(AwsError, match=f"for network interface {INTERFACE} failed"):
            service.apply(STEP)
    else:
        service.apply(STEP)


def test_the_result_contains_the_interface() -> None:
    expected = {"network_interface_id": INTERFACE, "status": "in-use", "node_id": NODE, "attachment_id": "a-1"}
    assert result(DESIRED, State("ml", frozenset(), "in-use", NODE, "a-1")) == {"network_interface": expected}
