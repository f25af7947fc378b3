# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads what the nodes of a group need to join. A call that fails leaves its part unknown and does not stop the others."""

from __future__ import annotations

import typing as t

from ..._aws.client import Api, AwsError
from ..._aws.network import filters
from ..common import found
from ..launch_template.user_data import decoded
from .model import Answer, Cluster, Endpoint, Observation, Read, Role, Route, SecurityGroup, Subnet, Template, Unread

AWS_NODE = {"namespace": "kube-system", "serviceAccount": "aws-node"}
"""The service account of the VPC CNI."""
CNI = "vpc-cni"
DEFAULT = "0.0.0.0/0"
NO_ENTITY = "NoSuchEntity"
TARGETS = (
    *("NatGatewayId", "GatewayId", "TransitGatewayId", "NetworkInterfaceId", "InstanceId", "VpcPeeringConnectionId"),
    *("LocalGatewayId", "CarrierGatewayId", "CoreNetworkArn", "EgressOnlyInternetGatewayId"),
)
T = t.TypeVar("T")


class Observer:
    """
    :param service: returns the client of a service.
    :param settings: the settings of the node group.
    """

    def __init__(self, service: t.Callable[[str], Api], cluster: str, settings: t.Mapping[str, t.Any]) -> None:
        self.service = service
        self.cluster = cluster
        self.settings = settings

    def __call__(self) -> Observation:
        role, node_subnets = self.settings["node_role_arn"], tuple(self.settings["subnet_ids"])
        cluster = _read(f"EKS cluster {self.cluster}", self._cluster)
        template = _read("the launch template of the node group", self._template)
        known = cluster if isinstance(cluster, Cluster) else Cluster(self.cluster, "")
        groups = {*known.security_groups, *(template.security_groups if isinstance(template, Template) else ())}
        subnets = _read("the subnets", lambda: self._subnets(sorted({*node_subnets, *known.subnets})))
        return Observation(
            cluster=cluster,
            role=_read(f"the policies of role {role}", lambda: self._role(role)),
            template=template,
            ami_type=self.settings.get("ami_type") or "",
            entry=_read(f"the access entry of role {role}", lambda: self._entry(role)),
            cni_role=_read("the role of add-on vpc-cni", self._cni_role),
            security_groups=_read("the rules of the security groups", lambda: self._groups(sorted(groups))),
            subnets=subnets,
            routes=_read("the routes of the subnets", lambda: self._routes(node_subnets, known.vpc_id)),
            endpoints=_read("the VPC endpoints", lambda: self._endpoints(known.vpc_id)),
            node_subnets=node_subnets,
        )

    def _cluster(self) -> Cluster:
        answer = self.service("eks").call("DescribeCluster", about=f"EKS cluster {self.cluster}", name=self.cluster)
        return Cluster.from_api(answer["cluster"])

    def _role(self, arn: str) -> Role:
        iam, name = self.service("iam"), arn.rpartition("/")[2]
        try:
            attached = iam.pages("ListAttachedRolePolicies", "AttachedPolicies", about=f"role {name}", RoleName=name)
            inline = iam.pages("ListRolePolicies", "PolicyNames", about=f"role {name}", RoleName=name)
        except AwsError as error:
            if error.code != NO_ENTITY:
                raise
            return Role(name, exists=False)
        managed = [each["PolicyName"] for each in attached if ":iam::aws:policy/" in each["PolicyArn"]]
        own = [each["PolicyName"] for each in attached if each["PolicyName"] not in managed]
        return Role(name, policies=tuple(sorted(managed)), others=tuple(sorted((*own, *inline))))

    def _entry(self, role: str) -> str | None:
        named = {"clusterName": self.cluster, "principalArn": role}
        answer = found(self.service("eks"), "DescribeAccessEntry", about=f"access entry {role}", **named)
        return str(answer["accessEntry"]["type"]) if answer else None

    def _cni_role(self) -> bool:
        """Whether the service account has a role by Pod Identity, or the add-on by IRSA."""
        eks, about = self.service("eks"), f"EKS cluster {self.cluster}"
        if eks.pages("ListPodIdentityAssociations", "associations", about=about, clusterName=self.cluster, **AWS_NODE):
            return True
        addon = found(eks, "DescribeAddon", about=f"add-on {CNI}", clusterName=self.cluster, addonName=CNI)
        return bool(addon and addon["addon"].get("serviceAccountRoleArn"))

    def _template(self) -> Template:
        given = self.settings.get("launch_template") or {}
        if not given:
            return Template()
        identity = {"LaunchTemplateId": given["id"]} if "id" in given else {"LaunchTemplateName": given["name"]}
        shown, versions = given.get("name") or given["id"], [given.get("version") or "$Default"]
        ec2, about = self.service("ec2"), f"launch template {shown}"
        answer = ec2.call("DescribeLaunchTemplateVersions", about=about, **identity, Versions=versions)
        data = answer["LaunchTemplateVersions"][0]["LaunchTemplateData"]
        interfaces = data.get("NetworkInterfaces") or ()
        public = [each["AssociatePublicIpAddress"] for each in interfaces if "AssociatePublicIpAddress" in each]
        on_interfaces = [group for each in interfaces[:1] for group in each.get("Groups") or ()]
        return Template(
            name=shown,
            image=data.get("ImageId") or "",
            user_data=decoded(data.get("UserData") or ""),
            security_groups=tuple(on_interfaces or data.get("SecurityGroupIds") or ()),
            public_address=public[0] if public else None,
        )

    def _groups(self, ids: list[str]) -> dict[str, SecurityGroup]:
        if not ids:
            return {}
        listed = self._ec2("DescribeSecurityGroups", "SecurityGroups", group_id=ids)
        return {each["GroupId"]: SecurityGroup.from_api(each) for each in listed}

    def _subnets(self, ids: list[str]) -> dict[str, Subnet]:
        listed = self._ec2("DescribeSubnets", "Subnets", subnet_id=ids)
        return {
            each["SubnetId"]: Subnet(each["SubnetId"], each["CidrBlock"], bool(each.get("MapPublicIpOnLaunch")))
            for each in listed
        }

    def _routes(self, subnets: t.Sequence[str], vpc: str) -> dict[str, Route]:
        """The default routes; a subnet without its own route table uses the main one of the VPC."""
        if not vpc:
            return {}
        tables = self._ec2("DescribeRouteTables", "RouteTables", vpc_id=[vpc])
        by_subnet, main = {}, Route("")
        for table in tables:
            for each in table.get("Associations") or ():
                by_subnet[each.get("SubnetId", "")] = _route(table)
                main = _route(table) if each.get("Main") else main
        return {subnet: by_subnet.get(subnet, main) for subnet in subnets}

    def _endpoints(self, vpc: str) -> tuple[Endpoint, ...]:
        listed = self._ec2("DescribeVpcEndpoints", "VpcEndpoints", vpc_id=[vpc]) if vpc else []
        available = (each for each in listed if each.get("State", "").lower() == "available")
        return tuple(map(_endpoint, available))

    def _ec2(self, operation: str, key: str, **values: list[str]) -> list[t.Any]:
        about = ", ".join(next(iter(values.values())))
        return self.service("ec2").pages(operation, key, about=about, **filters(**values))


def _read(what: str, read: t.Callable[[], T]) -> Read[T]:
    try:
        return read()
    except AwsError as error:
        return Unread(what, error.code or str(error))


def _route(table: Answer) -> Route:
    route = next((each for each in table.get("Routes") or () if each.get("DestinationCidrBlock") == DEFAULT), None)
    if route is None:
        return Route(table["RouteTableId"])
    target = next((route[name] for name in TARGETS if route.get(name)), "unknown")
    return Route(table["RouteTableId"], target, route.get("State", "active") == "active")


def _endpoint(answer: Answer) -> Endpoint:
    """The service's name has the form com.amazonaws.REGION.SERVICE, in China after cn."""
    service = answer["ServiceName"].partition("com.amazonaws.")[2].partition(".")[2]
    gateway = answer.get("VpcEndpointType", "Gateway") == "Gateway"
    return Endpoint(service, tuple(answer.get("RouteTableIds") or ()) if gateway else None)
