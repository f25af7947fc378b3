# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a cluster with Karpenter, as AWS returns it."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.service_quota.api import ServiceQuotas
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.outside import (
    Group,
    Outside,
    observe_outside,
    with_failures,
    with_quotas,
)
from karpenter_objects import ARN, G5, P5, A, B, group, outside

MOMENT = datetime.datetime(2026, 10, 4, 9, tzinfo=datetime.timezone.utc)


def instance_group(name: str, **more: t.Any) -> dict[str, t.Any]:
    return {"InstanceGroupName": name, "CurrentCount": 1, "TargetCount": 2, **more}


def answer(*groups: dict[str, t.Any], **more: t.Any) -> dict[str, t.Any]:
    return {
        "ClusterArn": ARN,
        "ClusterName": "ml",
        "CreationTime": MOMENT,
        "ClusterStatus": "InService",
        "VpcConfig": {"Subnets": ["subnet-0a"], "SecurityGroupIds": ["sg-1"]},
        "InstanceGroups": list(groups),
        **more,
    }


def test_autoscaler_and_groups_are_read_with_two_calls(stubbed: t.Any) -> None:
    (sagemaker, hyperpod), (ec2, network) = stubbed("sagemaker"), stubbed("ec2")
    groups = [
        instance_group("g5", InstanceType=G5),
        instance_group(
            "mixed",
            InstanceRequirements={"DesiredInstanceTypes": [G5, P5]},
            OverrideVpcConfig={"Subnets": ["subnet-0a", "subnet-0b"], "SecurityGroupIds": ["sg-1"]},
            CapacityRequirements={"Spot": {}},
        ),
    ]
    scaler = {"Mode": "Enable", "AutoScalerType": "Karpenter", "Status": "Failed", "FailureMessage": "no role"}
    hyperpod.add_response("describe_cluster", answer(*groups, AutoScaling=scaler, ClusterRole="arn:aws:iam::111111111111:role/r"))
    subnets = [{"SubnetId": f"subnet-0{end}", "AvailabilityZone": f"us-west-2{end}", "VpcId": "v", "CidrBlock": "10.0.0.0/16"} for end in "ab"]
    network.add_response("describe_subnets", {"Subnets": subnets})
    found = observe_outside(HyperPod(sagemaker), Network(ec2), ARN)
    assert (found.cluster.name, found.autoscaling.status, found.autoscaling.failure, found.autoscaling.works) == ("ml", "Failed", "no role", False)
    assert found.groups == {
        "g5": Group("g5", 1, 2, (G5,), flexible=False, zones=(A,), spot=False),
        "mixed": Group("mixed", 1, 2, (G5, P5), flexible=True, zones=(A, B), spot=True),
    }


def test_the_newest_failure_of_each_group_is_returned(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    rows = [("g5", "Error", 4), ("p5", "Info", 3), ("g5", "Error", 2), ("p5", "Error", 1), (None, "Error", 0)]
    about = {"ClusterArn": ARN, "ClusterName": "ml", "ResourceType": "InstanceGroup"}
    events = [
        {
            **about,
            "EventId": f"00000000-0000-0000-0000-00000000000{minute}",
            "EventTime": MOMENT + datetime.timedelta(minutes=minute),
            "EventLevel": level,
            **({"InstanceGroupName": name} if name else {}),
        }
        for name, level, minute in rows
    ]
    stub.add_response("list_cluster_events", {"Events": events})
    for event, message in ((events[0], "no \x1b capacity"), (events[3], "quota"), (events[4], "role")):
        details = {"EventDetails": {"EventMetadata": {"InstanceGroup": {"FailureMessage": message}}}}
        summary = {key: value for key, value in event.items() if key != "EventLevel"}
        stub.add_response("describe_cluster_event", {"EventDetails": {**summary, **details}}, {"ClusterName": ARN, "EventId": event["EventId"]})
    found = with_failures(outside(), HyperPod(client)).failures
    assert {name: (failed.text, failed.at) for name, failed in found.items()} == {
        "g5": ("no ? capacity", "2026-10-04T09:04:00.000Z"),
        "p5": ("quota", "2026-10-04T09:01:00.000Z"),
        "": ("role", "2026-10-04T09:00:00.000Z"),
    }


def test_without_permission_for_events_the_rest_is_returned(stubbed: t.Any) -> None:
    client, stub = stubbed("sagemaker")
    stub.add_client_error("list_cluster_events", "AccessDeniedException")
    assert with_failures(outside(), HyperPod(client)).failures == {}


def quota(name: str, value: float) -> dict[str, t.Any]:
    return {"ServiceCode": "sagemaker", "QuotaCode": "L-1", "QuotaName": name, "Value": value}


ALL = "Total number of instances allowed across SageMaker HyperPod clusters"
SPOT = "Total number of Spot instances allowed across SageMaker HyperPod clusters"
ONE = "Maximum number instances allowed per SageMaker HyperPod cluster"
OTHER = f"{ARN[:-1]}9"
G5_QUOTA, P5_QUOTA = f"{G5} for cluster usage", f"{P5} for cluster usage"


@pytest.mark.parametrize(
    ("groups", "quotas", "low"),
    [
        ([group()], {G5_QUOTA: 4, ALL: 9, ONE: 9}, {(G5, False): G5_QUOTA}),
        ([group()], {G5_QUOTA: 5, ALL: 9, ONE: 9}, {}),
        ([group()], {G5_QUOTA: 5, ALL: 4, ONE: 9}, {(G5, False): ALL}),
        ([group()], {G5_QUOTA: 5, ALL: 9, ONE: 2}, {(G5, False): ONE}),
        ([group()], {G5_QUOTA: 5, ALL: 9, ONE: 3}, {}),
        ([group("x", P5)], {P5_QUOTA: 0, ALL: 9, ONE: 9}, {(P5, False): P5_QUOTA}),
        ([group("x", G5, P5)], {G5_QUOTA: 4, P5_QUOTA: 1}, {(G5, False): G5_QUOTA}),
        ([group(spot=True)], {f"{G5} for cluster spot instance usage": 1, ALL: 9, SPOT: 0, ONE: 9}, {(G5, True): SPOT}),
        ([group()], {}, {}),
    ],
)
def test_exhausted_quotas_are_returned(stubbed: t.Any, groups: t.Any, quotas: dict[str, float], low: dict) -> None:
    """Two clusters of two nodes; the quota for a single cluster counts only the nodes of ours."""
    (sagemaker, hyperpod), (client, service) = stubbed("sagemaker"), stubbed("service-quotas")
    names = {name for each in groups for kind in each.types for name in (f"{kind} for cluster {'spot instance ' if each.spot else ''}usage",)}
    service.add_response("list_service_quotas", {"Quotas": [quota(name, value) for name, value in quotas.items()]})
    if not {*names, ALL, ONE, *([SPOT] if groups[0].spot else [])} <= quotas.keys():
        service.add_response("list_aws_default_service_quotas", {"Quotas": []})
    about = {"ClusterName": "ml", "CreationTime": MOMENT, "ClusterStatus": "InService"}
    hyperpod.add_response("list_clusters", {"ClusterSummaries": [{**about, "ClusterArn": arn} for arn in (ARN, OTHER)]})
    for arn in (ARN, OTHER):
        hyperpod.add_response("describe_cluster", {**answer(instance_group("g5", InstanceType=G5)), "ClusterArn": arn}, {"ClusterName": arn})
    found = with_quotas(outside(*groups), HyperPod(sagemaker), ServiceQuotas(client))
    assert {kind: each.name for kind, each in found.low_quotas.items()} == low


@pytest.mark.parametrize("code", ["AccessDeniedException", "TooManyRequestsException"])
def test_without_permission_for_quotas_the_rest_is_returned(stubbed: t.Any, code: str) -> None:
    (sagemaker, _hyperpod), (client, service) = stubbed("sagemaker"), stubbed("service-quotas")
    service.add_client_error("list_service_quotas", code)
    before: Outside = outside()
    assert with_quotas(before, HyperPod(sagemaker), ServiceQuotas(client)) == before
