# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What blocks the removal of our resources, and what disappears with them."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.blockers import blockers
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import Blocker, Owner, Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.network import Surroundings

OWNER = Owner("ml", "arn:aws:eks:us-west-2:111111111111:cluster/ml", "111111111111")
CLUSTER = Resource("eks_cluster", "ml", True, details={"security_group_id": "sg-eks"})
PLACE = {"SubnetId": "subnet-1", "VpcId": "vpc-1"}
NODES = {"i-1": "gpu", "i-2": "gone", "i-3": ""}


def interface(description: str = "", *, name: str = "eni-1", instance: str = "", status: str = "in-use", managed: bool = False) -> dict[str, t.Any]:
    attached = {"Attachment": {"InstanceId": instance}} if instance else {}
    return {"NetworkInterfaceId": name, "Description": description, "Status": status, "RequesterManaged": managed, **PLACE, **attached}


def found(
    *interfaces: dict[str, t.Any],
    resources: t.Sequence[Resource] = (CLUSTER, Resource("eks_nodegroup", "gpu", True)),
    others: t.Sequence[Resource] = (),
    file_systems: t.Mapping[str, str] | None = None,
    hyperpod: t.Sequence[str] = (),
) -> list[Blocker]:
    around = Surroundings(vpcs=("vpc-1",), interfaces=interfaces, nodegroups=NODES, others=tuple(others))
    return blockers(OWNER, resources, around, file_systems or {}, hyperpod)


def with_interface(kind: str, *, ours: bool = True) -> Resource:
    return Resource(kind, "x", ours, details={"vpc_id": "vpc-1", "network_interface_ids": ["eni-1"]})


@pytest.mark.parametrize("kind", ["nat_gateway", "vpc_endpoint", "file_system"])
def test_interfaces_of_our_resources_do_not_block(kind: str) -> None:
    assert found(interface(), resources=[with_interface(kind)]) == []
    assert [each.id for each in found(interface(), resources=[with_interface(kind, ours=False)])] == ["eni-1"]


def test_interfaces_of_the_control_plane_disappear_with_our_cluster_only() -> None:
    of_cluster = interface("Amazon EKS ml", managed=True)
    assert found(of_cluster) == []
    for resources in ((), (Resource("eks_cluster", "ml", False),)):
        (blocker,) = found(of_cluster, resources=resources)
        assert blocker.next_step == "delete the resource that uses it; its description is Amazon EKS ml"
    assert len(found(interface("Amazon EKS ml2"))) == 1


def test_interfaces_of_nodes_disappear_with_their_node_group() -> None:
    assert found(interface(instance="i-1")) == []
    assert [each.id for each in found(*(interface(instance=each) for each in ("i-2", "i-3", "i-4")))] == ["i-2", "i-3", "i-4"]
    assert [each.kind for each in found(interface(instance="i-1"), resources=[])] == ["instance"]
    theirs = [CLUSTER, Resource("eks_nodegroup", "gpu", False)]
    assert [each.kind for each in found(interface(instance="i-1"), resources=theirs)] == ["eks_nodegroup"]
    foreign = [Resource("eks_cluster", "ml", False), Resource("eks_nodegroup", "gpu", False)]
    assert [each.kind for each in found(interface(instance="i-1"), resources=foreign)] == ["instance"]


@pytest.mark.parametrize(
    ("description", "kind", "name", "step"),
    [
        ("ELB app/k8s-web/0123456789abcdef", "load_balancer", "app/k8s-web/0123456789abcdef", "delete its Service or Ingress"),
        ("ELB a0123456789", "load_balancer", "a0123456789", "delete its Service or Ingress"),
        ("EFS mount target for fs-1 (fsmt-1)", "efs_mount_target", "fsmt-1", "delete the mount target: aws efs delete-mount-target --mount-target-id fsmt-1"),
        ("AWS Lambda VPC ENI-resize-1", "lambda_function", "resize-1", "delete the function"),
        ("RDSNetworkInterface", "network_interface", "eni-1", "delete the resource that uses it; its description is RDSNetworkInterface"),
        ("", "network_interface", "eni-1", "delete the resource that uses it; its description is empty"),
        ("a\x1bb", "network_interface", "eni-1", "delete the resource that uses it; its description is a?b"),
    ],
)  # fmt: skip
def test_what_an_interface_belongs_to(description: str, kind: str, name: str, step: str) -> None:
    (blocker,) = found(interface(description))
    assert (blocker.kind, blocker.id) == (kind, name) and blocker.next_step.startswith(step)


def test_only_an_unused_interface_of_no_service_can_be_deleted() -> None:
    command = "delete it: aws ec2 delete-network-interface --network-interface-id eni-1"
    assert [found(interface(status=status, managed=managed))[0].next_step == command for status, managed in (("available", False), ("available", True))] == [
        True,
        False,
    ]


def test_file_systems_of_others_are_named() -> None:
    (blocker,) = found(interface("FSx"), file_systems={"eni-1": "fs-1"})
    assert (blocker.kind, blocker.id) == ("file_system", "fs-1")
    assert blocker.text == "file system fs-1 uses subnet-1 of VPC vpc-1 through network interface eni-1"


def test_all_interfaces_of_a_resource_are_one_blocker() -> None:
    one, two = interface("ELB net/a/1"), {**interface("ELB net/a/1", name="eni-0"), "SubnetId": "subnet-2"}
    (blocker,) = found(one, two)
    places = "subnet-1 of VPC vpc-1 and subnet-2 of VPC vpc-1"
    assert blocker.text == f"load balancer net/a/1 uses {places} through network interfaces eni-0, eni-1"
    assert found(interface())[0].text == "network interface eni-1 uses subnet-1 of VPC vpc-1"


def test_parts_of_the_cluster_block_only_if_others_made_them() -> None:
    parts = [Resource(kind, kind, ours) for kind in ("eks_nodegroup", "fargate_profile", "eks_addon", "eks_access_entry") for ours in (True, False)]
    (group, profile) = found(resources=[CLUSTER, *parts])
    assert group.text == "node group eks_nodegroup belongs to EKS cluster ml, and EKS does not delete a cluster with a node group"
    assert profile.next_step == "delete it: aws eks delete-fargate-profile --cluster-name ml --fargate-profile-name fargate_profile"
    assert found(resources=parts) == [] == found(resources=[Resource("eks_cluster", "ml", False), *parts])


def other(kind: str, name: str = "", *, status: str = "", identifier: str = "x", **details: t.Any) -> Resource:
    return Resource(kind, identifier, False, name=name, status=status, details={"vpc_id": "vpc-1", **details})


@pytest.mark.parametrize(
    "passing",
    [
        other("security_group", "default"),
        other("security_group", "eks-cluster-sg-ml", identifier="sg-eks"),
        other("route_table", main=True),
        other("nat_gateway", status="deleted"),
        other("vpc_endpoint", status="Deleting"),
    ],
    ids=lambda each: f"{each.kind} {each.name}{each.status}",
)
def test_what_disappears_with_the_vpc_or_the_cluster_does_not_block(passing: Resource) -> None:
    assert found(others=[passing]) == []


def test_the_group_of_a_cluster_of_others_blocks() -> None:
    of_cluster = other("security_group", "eks-cluster-sg-ml", identifier="sg-eks")
    assert [each.id for each in found(others=[of_cluster], resources=[])] == ["sg-eks"]


@pytest.mark.parametrize(
    ("blocking", "step"),
    [
        (other("subnet"), "remove it from the VPC: aws ec2 delete-subnet --subnet-id x"),
        (other("route_table", main=False), "remove it from the VPC: aws ec2 delete-route-table --route-table-id x"),
        (other("internet_gateway"), "remove it from the VPC: aws ec2 detach-internet-gateway --internet-gateway-id x --vpc-id vpc-1"),
        (other("nat_gateway", status="available"), "remove it from the VPC: aws ec2 delete-nat-gateway --nat-gateway-id x"),
        (other("vpc_endpoint", service_name="com.amazonaws.us-west-2.s3"), "remove it from the VPC: aws ec2 delete-vpc-endpoints --vpc-endpoint-ids x"),
        (other("vpc_endpoint", service_name="com.amazonaws.us-west-2.guardduty-data"), "disable the automated agent of GuardDuty"),
        (other("security_group", "web"), "remove it from the VPC: aws ec2 delete-security-group --group-id x"),
        (other("security_group", "GuardDutyManagedSecurityGroup-vpc-1"), "delete the VPC endpoint of GuardDuty first"),
        (other("security_group", "k8s-traffic-ml-1"), "delete the Services and Ingresses in Kubernetes while the cluster exists"),
    ],
    ids=lambda each: f"{each.kind} {each.name}" if isinstance(each, Resource) else "",
)
def test_next_steps(blocking: Resource, step: str) -> None:
    (blocker,) = found(others=[blocking])
    assert blocker.next_step.startswith(step) and "is in VPC vpc-1, but does not have the cluster's tag" in blocker.text


def test_the_interface_of_an_endpoint_is_not_a_second_blocker() -> None:
    endpoint = other("vpc_endpoint", network_interface_ids=["eni-1"])
    assert [each.kind for each in found(interface(), others=[endpoint])] == ["vpc_endpoint"]


def test_blockers_are_sorted() -> None:
    listed = found(interface(name="eni-2"), interface(name="eni-1"), interface("ELB a"), others=[other("subnet")])
    assert [each.id for each in listed] == ["a", "eni-1", "eni-2", "x"]
