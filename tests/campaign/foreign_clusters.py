# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EKS clusters that look as if eksctl or Terraform had created them, with their own network, roles, add-ons and nodes.

Sources: eksctl's CloudFormation templates, and the modules ``vpc`` and ``eks`` of terraform-aws-modules.
"""

from __future__ import annotations

import json
import typing as t
from dataclasses import dataclass

from training_world import TrainingWorld

Answer = dict[str, t.Any]
ADDONS = ("vpc-cni", "kube-proxy", "coredns")
KINDS: t.Mapping[str, tuple[str, str, str]] = {  # operation of EC2, the list in its reply, the key of the ID
    "vpcs": ("describe_vpcs", "Vpcs", "VpcId"),
    "subnets": ("describe_subnets", "Subnets", "SubnetId"),
    "internet gateways": ("describe_internet_gateways", "InternetGateways", "InternetGatewayId"),
    "addresses": ("describe_addresses", "Addresses", "AllocationId"),
    "NAT gateways": ("describe_nat_gateways", "NatGateways", "NatGatewayId"),
    "route tables": ("describe_route_tables", "RouteTables", "RouteTableId"),
    "security groups": ("describe_security_groups", "SecurityGroups", "GroupId"),
    "launch templates": ("describe_launch_templates", "LaunchTemplates", "LaunchTemplateId"),
}


@dataclass(frozen=True)
class Style:
    """Names and tags of a tool."""

    vpc: str
    subnet: str
    cluster_role: str
    node_role: str
    group: str
    template: str
    tags: dict[str, str]
    vpc_tags: dict[str, str]


def eksctl(cluster: str) -> Style:
    stack = f"eksctl-{cluster}-cluster"
    return Style(
        vpc=f"{stack}/VPC",
        subnet=f"{stack}/SubnetPrivateUSWEST2",
        cluster_role=f"{stack}-ServiceRole-1ABCDEFGHIJKL",
        node_role=f"eksctl-{cluster}-nodegroup-ng-1-NodeInstanceRole-1ABCDEFGHIJKL",
        group="ng-1",
        template=f"eksctl-{cluster}-nodegroup-ng-1",
        tags={
            "alpha.eksctl.io/cluster-name": cluster,
            "alpha.eksctl.io/cluster-oidc-enabled": "true",
            "alpha.eksctl.io/eksctl-version": "0.215.0",
            "eksctl.cluster.k8s.io/v1alpha1/cluster-name": cluster,
        },
        vpc_tags={},
    )


def terraform(cluster: str) -> Style:
    """``Name`` and names of the VPC are those of the cluster, as in the examples of the modules."""
    return Style(
        vpc=cluster,
        subnet=f"{cluster}-private-us-west-2",
        cluster_role=f"{cluster}-cluster-20260101000000000000000001",
        node_role="default-eks-node-group-20260101000000000000000002",
        group="default-20260101000000000000000003",
        template="default-20260101000000000000000004",
        tags={"Terraform": "true", "Environment": "dev"},
        vpc_tags={f"kubernetes.io/cluster/{cluster}": "shared"},
    )


class Foreign:
    """A cluster with one node, and everything that exists before the role runs."""

    def __init__(self, world: TrainingWorld, style: Style) -> None:
        self.world, self.style, self.name = world, style, world.cluster
        self.ec2, self.iam, self.eks = (world.aws(service) for service in ("ec2", "iam", "eks"))
        self.subnets: list[str] = []

    def create(self) -> None:
        self._network()
        roles = [
            self._role(self.style.cluster_role, "eks", ["AmazonEKSClusterPolicy"]),
            self._role(self.style.node_role, "ec2", ["AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonEKS_CNI_Policy"]),
        ]
        self.eks.create_cluster(
            name=self.name,
            version="1.34",
            roleArn=roles[0],
            resourcesVpcConfig={"subnetIds": self.subnets, "endpointPublicAccess": True, "endpointPrivateAccess": False},
            accessConfig={"authenticationMode": "API_AND_CONFIG_MAP"},
            tags={**self.style.tags, "Name": self.style.vpc},
        )
        for each in ADDONS:
            self.eks.create_addon(clusterName=self.name, addonName=each, tags=self.style.tags)
        self._nodes(roles[1])
        self._objects(roles[1])

    def remove(self) -> None:
        """Remove the roles, which the world does not remove."""
        for name in (self.style.cluster_role, self.style.node_role):
            for each in self.iam.list_attached_role_policies(RoleName=name)["AttachedPolicies"]:
                self.iam.detach_role_policy(RoleName=name, PolicyArn=each["PolicyArn"])
            self.iam.delete_role(RoleName=name)

    def _network(self) -> None:
        ec2 = self.ec2
        vpc = ec2.create_vpc(CidrBlock="192.168.0.0/16", TagSpecifications=self._tags("vpc", self.style.vpc))["Vpc"]["VpcId"]
        for number, zone in enumerate("ab"):
            tags = self._tags("subnet", f"{self.style.subnet}{zone}")
            made = ec2.create_subnet(
                VpcId=vpc, CidrBlock=f"192.168.{64 * number}.0/18", AvailabilityZone=f"us-west-2{zone}", TagSpecifications=tags
            )
            self.subnets.append(made["Subnet"]["SubnetId"])
        tags = self._tags("internet-gateway", self.style.vpc)
        gateway = ec2.create_internet_gateway(TagSpecifications=tags)["InternetGateway"]["InternetGatewayId"]
        ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        address = ec2.allocate_address(Domain="vpc", TagSpecifications=self._tags("elastic-ip", self.style.vpc))["AllocationId"]
        nat = ec2.create_nat_gateway(
            SubnetId=self.subnets[0], AllocationId=address, TagSpecifications=self._tags("natgateway", self.style.vpc)
        )["NatGateway"]["NatGatewayId"]
        table = ec2.create_route_table(VpcId=vpc, TagSpecifications=self._tags("route-table", self.style.vpc))["RouteTable"]["RouteTableId"]
        ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat)
        for each in self.subnets:
            ec2.associate_route_table(RouteTableId=table, SubnetId=each)

    def _tags(self, kind: str, name: str) -> list[Answer]:
        tags = {"Name": name, **self.style.tags, **self.style.vpc_tags}
        return [{"ResourceType": kind, "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}]

    def _role(self, name: str, service: str, policies: t.Iterable[str]) -> str:
        statement = {"Effect": "Allow", "Principal": {"Service": f"{service}.amazonaws.com"}, "Action": "sts:AssumeRole"}
        trust = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
        arn = self.iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust)["Role"]["Arn"]
        for each in policies:
            self.iam.attach_role_policy(RoleName=name, PolicyArn=f"arn:aws:iam::aws:policy/{each}")
        return str(arn)

    def _nodes(self, role: str) -> None:
        data = {"InstanceType": "m7i.large", "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 2}}
        made = self.ec2.create_launch_template(
            LaunchTemplateName=self.style.template,
            LaunchTemplateData=data,
            TagSpecifications=self._tags("launch-template", self.style.template),
        )["LaunchTemplate"]
        which = {"clusterName": self.name, "nodegroupName": self.style.group}
        self.eks.create_nodegroup(
            **which,
            nodeRole=role,
            subnets=self.subnets,
            launchTemplate={"id": made["LaunchTemplateId"], "version": "1"},
            scalingConfig={"minSize": 1, "maxSize": 3, "desiredSize": 1},
            labels={"alpha.eksctl.io/nodegroup-name": self.style.group},
            tags=self.style.tags,
        )
        self.world.world.eventually(lambda: self._active(which), seconds=120)

    def _active(self, which: Answer) -> None:
        group = self.eks.describe_nodegroup(**which)["nodegroup"]
        assert group["status"] == "ACTIVE", group

    def _objects(self, role: str) -> None:
        """The mapping of nodes, and a Deployment of another team."""
        mapping = f"- groups: [system:bootstrappers, system:nodes]\n  rolearn: {role}\n  username: system:node:{{{{EC2PrivateDNSName}}}}\n"
        api = self.world.api
        api.create("/api/v1/namespaces/kube-system/configmaps", {"metadata": {"name": "aws-auth"}, "data": {"mapRoles": mapping}})
        labels = {"app": "web"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web"}]}}
        spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
        api.create("/apis/apps/v1/namespaces/default/deployments", {"metadata": {"name": "web"}, "spec": spec})

    def seen(self, ids: t.Mapping[str, t.Collection[str]] | None = None) -> dict[str, t.Any]:
        """Every resource as AWS describes it, by kind and ID.

        :param ids: of an earlier look, which limit this one to the same resources.
        """
        found = {kind: self._of_ec2(*how) for kind, how in KINDS.items()} | self._of_iam() | self._of_eks()
        found["objects"] = self._of_kubernetes()
        return {kind: {each: value for each, value in rows.items() if ids is None or each in ids[kind]} for kind, rows in found.items()}

    def _of_ec2(self, operation: str, listed: str, key: str) -> dict[str, Answer]:
        found = getattr(self.ec2, operation)()[listed]
        return {each[key]: {name: value for name, value in each.items() if name != "AvailableIpAddressCount"} for each in found}

    def _of_iam(self) -> dict[str, dict[str, Answer]]:
        names = [each["RoleName"] for each in self.iam.list_roles()["Roles"]]
        return {
            "roles": {each: self.iam.get_role(RoleName=each)["Role"] for each in names},
            "policies": {each: self.iam.list_attached_role_policies(RoleName=each)["AttachedPolicies"] for each in names},
        }

    def _of_eks(self) -> dict[str, dict[str, Answer]]:
        eks, which = self.eks, {"clusterName": self.name}
        entries = eks.list_access_entries(**which)["accessEntries"]
        return {
            "clusters": {self.name: eks.describe_cluster(name=self.name)["cluster"]},
            "groups": {
                each: eks.describe_nodegroup(**which, nodegroupName=each)["nodegroup"]
                for each in eks.list_nodegroups(**which)["nodegroups"]
            },
            "add-ons": {each: eks.describe_addon(**which, addonName=each)["addon"] for each in eks.list_addons(**which)["addons"]},
            "entries": {each: eks.describe_access_entry(**which, principalArn=each)["accessEntry"] for each in entries},
            "access policies": {
                each: eks.list_associated_access_policies(**which, principalArn=each)["associatedAccessPolicies"] for each in entries
            },
        }

    def _of_kubernetes(self) -> dict[str, Answer]:
        """Objects that people create, without their status."""
        paths = ("/api/v1/configmaps", "/api/v1/namespaces", "/apis/apps/v1/deployments", "/apis/apps/v1/daemonsets")
        volumes = ("/api/v1/persistentvolumes", "/api/v1/persistentvolumeclaims")
        found = {}
        for path in (*paths, *volumes):
            for each in self.world.api.get(path)["items"]:
                metadata = {name: value for name, value in each["metadata"].items() if name not in ("managedFields", "resourceVersion")}
                kept = {name: value for name, value in each.items() if name not in ("metadata", "status")}
                found[f"{path}/{metadata.get('namespace', '')}/{metadata['name']}"] = {"metadata": metadata, **kept}
        return found


def ids(found: t.Mapping[str, t.Mapping[str, t.Any]]) -> dict[str, set[str]]:
    return {kind: set(rows) for kind, rows in found.items()}
