# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an instance of a node group needs to become a node: rights, an access entry, a way to the API server, and its configuration.

Checked only with the setting ``eks_nodes_need_all``, because most tests create neither roles nor routes.
"""

from __future__ import annotations

import base64
import email
import ipaddress
import typing as t

import yaml
from moto.ec2.models import ec2_backends
from moto.iam.models import iam_backends

from .. import cloud
from . import nodegroup_rules as rules
from .entries import Entry

if t.TYPE_CHECKING:
    from .nodegroups import NodeGroup

OF_NODES = "EC2_LINUX"
WORKER, CNI = "AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy"
REGISTRY = ("AmazonEC2ContainerRegistryPullOnly", "AmazonEC2ContainerRegistryReadOnly")
API = 443
ENDPOINTS = {"ec2", "ecr.api", "ecr.dkr", "s3"}


def obstacle(group: NodeGroup) -> str:
    """Why the nodes of a group cannot join; empty if they can."""
    if not cloud.current().settings["eks_nodes_need_all"]:
        return ""
    return next((reason for reason in (_rights(group), _admission(group), _rules(group), _route(group), _configuration(group)) if reason), "")


def admit(group: NodeGroup) -> None:
    """EKS creates the entry of the role in the mode API; in other modes it maps the role in a ConfigMap."""
    cluster, role = group.cluster, group.fields["nodeRole"]
    if not cloud.current().settings["eks_nodes_need_all"]:
        return
    if cluster.access_config["authenticationMode"] == "API" and role not in cluster.access_entries:
        cluster.access_entries[role] = Entry(cluster.arn, role, groups=["system:nodes"], type=OF_NODES)


def dismiss(group: NodeGroup) -> None:
    """EKS removes the entry with the last group that has the role."""
    cluster, role = group.cluster, group.fields["nodeRole"]
    entry = cluster.access_entries.get(role)
    if entry is not None and entry.type == OF_NODES and all(each.fields["nodeRole"] != role for each in cluster.nodegroups.values()):
        del cluster.access_entries[role]


def _rights(group: NodeGroup) -> str:
    roles = iam_backends[group.account]["aws"].roles.values()
    role = next((each for each in roles if each.arn == group.fields["nodeRole"]), None)
    names = {each.name for each in role.managed_policies.values()} if role else set()
    pods = [each for each in group.cluster.identities.values() if (each.namespace, each.account) == ("kube-system", "aws-node")]
    if WORKER not in names or not names & set(REGISTRY):
        return "the role lacks policies of nodes"
    return "" if CNI in names or pods else "no role has the policy of the CNI"


def _admission(group: NodeGroup) -> str:
    entry = group.cluster.access_entries.get(group.fields["nodeRole"])
    if entry is None:
        return "the role has no access entry" if group.cluster.access_config["authenticationMode"] == "API" else ""
    return "" if entry.type == OF_NODES else "the access entry of the role is not for nodes"


def _rules(group: NodeGroup) -> str:
    """With a private endpoint, the nodes reach the API server through the groups of both sides."""
    network, ec2, data = group.cluster.resources_vpc_config, _ec2(group), _template(group)
    plane = {network["clusterSecurityGroupId"], *network["securityGroupIds"]}
    on_interfaces = [each for one in data.get("NetworkInterfaces", [])[:1] for each in one.get("Groups", [])]
    nodes = set(on_interfaces or data.get("SecurityGroupIds") or [network["clusterSecurityGroupId"]])
    if not network["endpointPrivateAccess"]:
        return ""
    sides = {name: [ec2.get_security_group_from_id(each) for each in ids] for name, ids in (("plane", plane), ("nodes", nodes))}
    subnets = {name: [ec2.get_subnet(each).cidr_block for each in ids] for name, ids in (("plane", network["subnetIds"]), ("nodes", group.fields["subnets"]))}
    out = any(_allows(rule, plane, subnets["plane"]) for each in sides["nodes"] for rule in each.egress_rules)
    into = any(_allows(rule, nodes, subnets["nodes"]) for each in sides["plane"] for rule in each.ingress_rules)
    return "" if out and into else "the security groups do not allow the way to the API server"


def _allows(rule: t.Any, peers: set[str], networks: list[str]) -> bool:
    if rule.ip_protocol not in ("-1", "tcp") or (rule.ip_protocol == "tcp" and not rule.from_port <= API <= rule.to_port):
        return False
    block = rule.ip_range.get("CidrIp")
    inside = block and all(ipaddress.ip_network(each).subnet_of(ipaddress.ip_network(block)) for each in networks)  # type: ignore[arg-type]
    return bool(inside or rule.source_group.get("GroupId") in peers)


def _route(group: NodeGroup) -> str:
    """All nodes need the registry; without a private endpoint, also the API server is outside of the VPC."""
    ec2 = _ec2(group)
    for each in group.fields["subnets"]:
        subnet = ec2.get_subnet(each)
        tables = [table for table in ec2.route_tables.values() if table.vpc_id == subnet.vpc_id]
        own = [table for table in tables if each in table._associations.values()]
        table = (own or [table for table in tables if table.main_association_id])[0]
        default = next((route for route in table.routes if route.destination_cidr_block == "0.0.0.0/0"), None)
        if default is None and not (group.cluster.resources_vpc_config["endpointPrivateAccess"] and _has_endpoints(ec2, table)):
            return f"{each} has no way out of the VPC"
        if default is not None and default.nat_gateway is None and not _is_public(subnet):
            return f"nodes in {each} have no public address"
        if default is not None and default.nat_gateway is not None and default.nat_gateway.state != "available":
            return f"the NAT gateway of {each} is gone"
    return ""


def _is_public(subnet: t.Any) -> bool:
    return str(subnet.map_public_ip_on_launch).lower() == "true"


def _has_endpoints(ec2: t.Any, table: t.Any) -> bool:
    there = [each for each in ec2.vpc_end_points.values() if each.vpc_id == table.vpc_id]
    fitting = [each for each in there if each.vpc_endpoint_type != "Gateway" or table.id in each.route_table_ids]
    return {each.service_name.split(".", 3)[3] for each in fitting} >= ENDPOINTS


def _configuration(group: NodeGroup) -> str:
    """nodeadm reads its NodeConfigs; EKS adds the values of the cluster unless the template has an image."""
    data = _template(group)
    text = base64.b64decode(data["UserData"].as_bytes()).decode() if data.get("UserData") else ""
    values: dict[str, t.Any] = {} if "ImageId" in data else {"name": group.cluster.name, "apiServerEndpoint": "x", "certificateAuthority": "x"}
    for part in email.message_from_string(text).walk():
        if part.get_content_type() != "application/node.eks.aws":
            continue
        try:
            found = list(yaml.safe_load_all(str(part.get_payload())))
        except yaml.YAMLError:
            return "nodeadm cannot read its configuration"
        for each in found:
            values.update(((each or {}).get("spec") or {}).get("cluster") or {})
    complete = values.get("apiServerEndpoint") and values.get("certificateAuthority")
    return "" if values.get("name") == group.cluster.name and complete else "nodeadm does not know the cluster"


def _template(group: NodeGroup) -> dict[str, t.Any]:
    return rules.template_data(group.cluster, group.fields.get("launchTemplate"))


def _ec2(group: NodeGroup) -> t.Any:
    return ec2_backends[group.account][group.region]
