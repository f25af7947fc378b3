# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading a cluster, its groups and Kubernetes, from answers in the form of AWS and of the API server.

The stubs refuse answers with fields that the API does not have, so a misspelt key of ``observe`` reads no value here.
"""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Network
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.judge import judge
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.keda import Keda
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.model import (
    Requested,
    ScaledGroup,
    State,
    Trigger,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.observe import observe
from unit.module_utils._karpenter.proof.api_server import Server

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
EKS = "arn:aws:eks:us-west-2:111111111111:cluster/pods"
PLAN = "arn:aws:sagemaker:us-west-2:111111111111:training-plan/large"
G5, G6, A, B = "ml.g5.8xlarge", "ml.g6.8xlarge", "us-west-2a", "us-west-2b"
EXTENSIONS, ACCOUNTS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "/api/v1/namespaces/keda/serviceaccounts"
Object = dict[str, t.Any]


class Kubernetes:
    """An API server that serves ``objects`` by path, and nothing else."""

    def __init__(self, **objects: Object) -> None:
        self.objects = objects

    def answer(self, _method: str, path: str, _body: Object | None) -> tuple[int, Object]:
        there = self.objects.get(path.partition("?")[0])
        return (404, {"message": "not found"}) if there is None else (200, there)


def cluster(*groups: Object, **more: t.Any) -> Object:
    return {
        "ClusterArn": ARN,
        "ClusterName": "ml",
        "ClusterStatus": "InService",
        "InstanceGroups": list(groups),
        "VpcConfig": {"Subnets": ["subnet-0a"], "SecurityGroupIds": ["sg-1"]},
        "Orchestrator": {"Eks": {"ClusterArn": EKS}},
        "NodeProvisioningMode": "Continuous",
        "NodeRecovery": "Automatic",
        "AutoScaling": {"Mode": "Enable", "AutoScalerType": "Karpenter", "Status": "InService"},
        **more,
    }


def group(name: str = "a", **more: t.Any) -> Object:
    kind = {} if "InstanceRequirements" in more else {"InstanceType": G5}
    return {"InstanceGroupName": name, "CurrentCount": 0, "TargetCount": 0, **kind, **more}


class Aws:
    """The expected calls, in order, and the observation made from their answers."""

    def __init__(self, stubbed: t.Any) -> None:
        (self.sagemaker, self.hyperpod), (self.ec2, self.network) = stubbed("sagemaker"), stubbed("ec2")
        self.eks, self.identities = stubbed("eks")

    def answers(self, answer: Object, *, offered: t.Sequence[tuple[str, str]] = ((G5, A),), refused: str = "") -> None:
        """
        :param refused: the error of EC2 for the request of offerings.
        """
        self.hyperpod.add_response("describe_cluster", answer, {"ClusterName": ARN})
        subnets = {"subnet-0a": A, "subnet-0b": B}
        names = sorted(
            {name for each in answer["InstanceGroups"] for name in each.get("OverrideVpcConfig", answer["VpcConfig"])["Subnets"]}
        )
        if not names:
            return
        listed = [{"SubnetId": name, "AvailabilityZone": subnets[name], "VpcId": "v", "CidrBlock": "10.0.0.0/16"} for name in names]
        self.network.add_response("describe_subnets", {"Subnets": listed}, {"Filters": [{"Name": "subnet-id", "Values": names}]})
        if refused:
            self.network.add_client_error("describe_instance_type_offerings", refused)
            return
        offerings = [{"InstanceType": name.removeprefix("ml."), "Location": zone, "LocationType": "availability-zone"} for name, zone in offered]
        types = {name for each in answer["InstanceGroups"] for name in _types(each)}
        wanted = [
            {"Name": "instance-type", "Values": sorted(name.removeprefix("ml.") for name in types)},
            {"Name": "location", "Values": sorted({subnets[name] for name in names})},
        ]
        request = {"LocationType": "availability-zone", "Filters": wanted}
        self.network.add_response("describe_instance_type_offerings", {"InstanceTypeOfferings": offerings}, request)

    def observed(self, kubernetes: Kubernetes, *groups: str, triggers: tuple[Trigger, ...] = ()) -> State:
        requested = Requested(ARN, "gpus", groups or ("a",), triggers)
        with Server(kubernetes) as there:

            def connect(arn: str) -> t.Any:
                assert arn == EKS
                return there

            return observe(HyperPod(self.sagemaker), Network(self.ec2), Api(self.eks), connect, requested)


def _types(group: Object) -> list[str]:
    return list(group.get("InstanceRequirements", {}).get("DesiredInstanceTypes") or [group.get("InstanceType")])


@pytest.fixture
def aws(stubbed: t.Any) -> Aws:
    return Aws(stubbed)


def unmet(state: State, *groups: str) -> dict[str, str]:
    """Without the agent, which none of these clusters has."""
    found = judge(Requested(ARN, "gpus", groups or ("a",)), state)
    return {each.name: each.found for each in found if each.met is False and each.name != "health monitoring agent"}


def test_a_suitable_cluster_meets_all_requirements(aws: Aws) -> None:
    aws.answers(cluster(group()))
    found = aws.observed(Kubernetes())
    assert unmet(found) == {} and found.scales
    assert found.groups == {"a": ScaledGroup("a", 0, (G5,), flexible=False, zones=(A,), deep_health_checks=(), training_plan="")}
    assert found.offered == {(G5, A)}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (cluster(group(), NodeRecovery="None"), {"node recovery": "None"}),
        (cluster(group(TrainingPlanArn=PLAN)), {"training plans": f"a has {PLAN}"}),
        (
            cluster(group(OnStartDeepHealthChecks=["InstanceStress", "InstanceConnectivity"])),
            {"deep health checks": "a has InstanceStress, InstanceConnectivity"},
        ),
        (cluster(group(CurrentCount=2)), {"nodes of new groups": "a has 2"}),
        (cluster(group(TargetCount=3)), {"nodes of new groups": "a has 3"}),
    ],
    ids=["no recovery", "training plan", "deep health checks", "nodes", "nodes on their way"],
)
def test_unmet_requirements_are_reported(aws: Aws, answer: Object, expected: dict[str, str]) -> None:
    aws.answers(answer)
    assert unmet(aws.observed(Kubernetes())) == expected


def test_a_cluster_without_a_provisioning_mode_is_reported(aws: Aws) -> None:
    answer = cluster(group())
    del answer["NodeProvisioningMode"]
    aws.answers(answer)
    assert unmet(aws.observed(Kubernetes())) == {"node provisioning mode": "none"}


def test_more_groups_than_a_node_class_supports_are_reported(aws: Aws) -> None:
    names = [f"g{number}" for number in range(11)]
    aws.answers(cluster(*(group(name) for name in names)))
    found = aws.observed(Kubernetes(), *names)
    assert unmet(found, *names) == {"number of groups": "11"} and list(found.groups) == names


def test_nodes_of_all_groups_count_and_only_requested_groups_are_checked(aws: Aws) -> None:
    restricted = {"InstanceGroupName": "r", "InstanceType": G5, "CurrentCount": 2, "TargetCount": 2}
    aws.answers(cluster(group("a", CurrentCount=1), group("b", TargetCount=4), RestrictedInstanceGroups=[restricted]))
    found = aws.observed(Kubernetes(), "a", "gone")
    assert found.nodes == 7 and list(found.groups) == ["a"]
    assert unmet(found, "a", "gone") == {"instance groups": "gone does not exist", "nodes of new groups": "a has 1"}


def test_a_flexible_group_in_several_zones_is_read(aws: Aws) -> None:
    several = {"Subnets": ["subnet-0a", "subnet-0b"], "SecurityGroupIds": ["sg-1"]}
    flexible = group(
        InstanceRequirements={"DesiredInstanceTypes": [G6, G5], "CurrentInstanceTypes": [G5]},
        OverrideVpcConfig=several,
        CapacityRequirements={"Spot": {}},
    )
    aws.answers(cluster(flexible), offered=[(G6, B)])
    found = aws.observed(Kubernetes())
    assert unmet(found) == {} and found.offered == {(G6, B)}
    assert found.groups["a"] == ScaledGroup("a", 0, (G6, G5), True, (A, B), (), "", spot=True)


@pytest.mark.parametrize("code", ["UnauthorizedOperation", "RequestLimitExceeded"])
def test_offerings_that_cannot_be_read_do_not_count_as_none(aws: Aws, code: str) -> None:
    aws.answers(cluster(group()), refused=code)
    with pytest.raises(AwsError) as refused:
        aws.observed(Kubernetes())
    assert "DescribeInstanceTypeOfferings for" in str(refused.value) and code in str(refused.value.exception)


def test_a_group_without_an_enabled_autoscaler_must_be_empty(aws: Aws) -> None:
    classes = {"/apis/karpenter.sagemaker.amazonaws.com/v1/hyperpodnodeclasses": {"items": [NODE_CLASS]}}
    for scaler in ({"Mode": "Disable", "Status": "InService"}, {}):
        answer = cluster(group(CurrentCount=1), AutoScaling=scaler)
        if not scaler:
            del answer["AutoScaling"]
        aws.answers(answer)
        found = aws.observed(Kubernetes(**classes))
        assert not found.scales and found.node_class_of("a") == "gpus" and unmet(found) == {"nodes of new groups": "a has 1"}
    aws.answers(cluster(group(CurrentCount=1)))
    assert unmet(aws.observed(Kubernetes(**classes))) == {}


NODE_CLASS = {"metadata": {"name": "gpus"}, "spec": {"instanceGroups": ["a"]}}


def test_for_a_slurm_cluster_no_api_server_is_read(aws: Aws) -> None:
    answer = cluster(group())
    answer["Orchestrator"] = {"Slurm": {}}
    aws.answers(answer)
    assert aws.observed(Kubernetes()).kubernetes is None


def definition(*versions: tuple[str, bool]) -> Object:
    return {"spec": {"versions": [{"name": name, "served": served} for name, served in versions]}}


def test_the_state_of_kubernetes_is_read(aws: Aws) -> None:
    aws.answers(cluster(group()))
    image = "602401143452.dkr.ecr.us-west-2.amazonaws.com/hyperpod/health-monitoring-agent:1.0.1892.0_1.0.424.0"
    agent = {"spec": {"template": {"spec": {"containers": [{"image": image}]}}}}
    manager = {"spec": {"template": {"spec": {"containers": [{"image": "kueue:v0.19.2"}]}}}}
    served = {
        f"{EXTENSIONS}/nodepools.karpenter.sh": definition(("v1", True), ("v1beta1", True), ("v1alpha5", False)),
        f"{EXTENSIONS}/scaledobjects.keda.sh": definition(("v1alpha1", True)),
        "/apis/apps/v1/namespaces/aws-hyperpod/daemonsets/health-monitoring-agent": agent,
        "/apis/apps/v1/namespaces/kueue-system/deployments/kueue-controller-manager": manager,
        "/apis/apps/v1/deployments": {"items": [OPERATOR], "metadata": {}},
    }
    association = {"associationArn": "arn:aws:eks:us-west-2:111111111111:podidentityassociation/pods/a-1"}
    wanted = {"clusterName": "pods", "namespace": "keda", "serviceAccount": "keda-operator"}
    aws.identities.add_response("list_pod_identity_associations", {"associations": [association]}, wanted)
    found = aws.observed(Kubernetes(**served), triggers=(Trigger("aws-sqs-queue"),)).kubernetes
    assert found is not None
    assert (found.agent, found.definitions) == ("1.0.1892.0_1.0.424.0", {"nodepools.karpenter.sh": ("v1", "v1beta1")})
    assert found.topology_aware.on and found.keda == Keda(True, "keda/keda-operator", association["associationArn"])


OPERATOR = {"metadata": {"namespace": "keda"}, "spec": {"template": {"spec": {"serviceAccountName": "keda-operator"}}}}


@pytest.mark.parametrize(
    ("account", "refused", "role"),
    [
        ({"metadata": {"annotations": {"eks.amazonaws.com/role-arn": "arn:role"}}}, "", "arn:role"),
        ({"metadata": {}}, "AccessDeniedException", None),
    ],
    ids=["by annotation", "eks does not return it"],
)
def test_the_identity_of_the_keda_operator_is_read(aws: Aws, account: Object, refused: str, role: str | None) -> None:
    aws.answers(cluster(group()))
    if refused:
        aws.identities.add_client_error("list_pod_identity_associations", refused)
    there = {"/apis/apps/v1/deployments": {"items": [OPERATOR], "metadata": {}}, f"{ACCOUNTS}/keda-operator": account}
    found = aws.observed(Kubernetes(**there), triggers=(Trigger("aws-sqs-queue"),)).kubernetes
    assert found is not None and found.keda == Keda(False, "keda/keda-operator", role)


def test_keda_is_not_read_without_triggers(aws: Aws) -> None:
    aws.answers(cluster(group()))
    found = aws.observed(Kubernetes()).kubernetes
    assert found is not None and found.keda is None and found.agent is None and found.definitions == {}
