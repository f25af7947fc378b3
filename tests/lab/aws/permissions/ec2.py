# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions for calls of EC2, on the resources that the service authorization reference lists for each action.

New resources have the tags of the request, existing ones their own tags. The reference does not list the targets of a route.
"""

from __future__ import annotations

import typing as t

from . import found
from .forms import Context, Required, Triple, arn, tags

if t.TYPE_CHECKING:
    from ..request import Call

KINDS = {
    "sg-": "security-group",
    "sgr-": "security-group-rule",
    "cvpn-endpoint-": "client-vpn-endpoint",
    "subnet-": "subnet",
    "vpc-": "vpc",
    "vpce-": "vpc-endpoint",
    "lt-": "launch-template",
    "igw-": "internet-gateway",
    "nat-": "natgateway",
    "eipalloc-": "elastic-ip",
    "rtb-": "route-table",
    "pg-": "placement-group",
}
"""Kinds of resources by the beginning of their IDs."""
NAMED = (
    *("GroupId", "GroupIds", "ClientVpnEndpointId", "SubnetId", "TargetVpcSubnetId", "VpcId", "SecurityGroupIds", "Resources"),
    *("LaunchTemplateId", "InternetGatewayId", "RouteTableId", "NatGatewayId", "AllocationId", "RouteTableIds", "SubnetIds", "VpcEndpointIds"),
)
"""Parameters that contain resources."""
MADE = {
    "AllocateAddress": "elastic-ip",
    "CreateClientVpnEndpoint": "client-vpn-endpoint",
    "CreateInternetGateway": "internet-gateway",
    "CreateLaunchTemplate": "launch-template",
    "CreateNatGateway": "natgateway",
    "CreatePlacementGroup": "placement-group",
    "CreateRouteTable": "route-table",
    "CreateSecurityGroup": "security-group",
    "CreateSubnet": "subnet",
    "CreateVpc": "vpc",
    "CreateVpcEndpoint": "vpc-endpoint",
}
ALONE = {
    **dict.fromkeys(
        ("AuthorizeClientVpnIngress", "DisassociateClientVpnTargetNetwork", "RevokeClientVpnIngress"), "client-vpn-endpoint"
    ),
    **dict.fromkeys(("CreateRoute", "DeleteRoute", "ReplaceRoute"), "route-table"),
}
"""Actions for which the reference lists one kind of resource only."""
LAUNCHED = ("image", "instance", "network-interface", "security-group", "subnet", "volume")
"""Kinds of resources that RunInstances requires in addition to the launch template."""


def required(call: Call) -> Required:
    params, action = call.params, f"ec2:{call.operation}"
    if call.operation.startswith(("Describe", "Get")):
        return None
    if call.operation == "RunInstances":
        return launch(call, params.get("LaunchTemplate") or {}, profile=params.get("IamInstanceProfile"))
    specified = {each.get("ResourceType"): tags(each.get("Tags")) for each in params.get("TagSpecifications") or ()}
    made: list[Triple] = [(action, arn(call, "ec2", f"{kind}/{each}"), _context(call, each)) for kind, each in _named(call)]
    if call.operation in MADE:
        kind = MADE[call.operation]
        made.append((action, arn(call, "ec2", f"{kind}/{params.get('GroupName', 'new') if kind == 'placement-group' else 'new'}"), specified.get(kind, {})))
    tagged = {"ec2:CreateAction": call.operation}
    made += [("ec2:CreateTags", arn(call, "ec2", f"{kind}/new"), {**given, **tagged}) for kind, given in specified.items()]
    return made or None


def launch(call: Call, template: t.Mapping[str, t.Any], *, profile: t.Any = None) -> list[Triple]:
    """Permissions to start instances: from the template, on all other resources, to tag them, and to pass the role of a profile.

    Source: service authorization reference, and the EC2 guide on launch templates (permissions). Without a template the key
    ``ec2:LaunchTemplate`` is absent.
    """
    there = found.launch_template(call, template)
    own: list[Triple] = []
    context: Context = {}
    if template:
        name = arn(call, "ec2", f"launch-template/{there.id if there else template.get('LaunchTemplateId') or template.get('id') or 'unknown'}")
        own, context = [("ec2:RunInstances", name, found.tags_of(call, there.id) if there else {})], {"ec2:LaunchTemplate": name}
    data = found.template_data(there, template)
    own += [("ec2:RunInstances", _launched(call, kind), context) for kind in LAUNCHED]
    kinds = sorted({str(each.get("ResourceType")) for each in data.get("TagSpecifications") or ()})
    own += [("ec2:CreateTags", arn(call, "ec2", f"{kind}/new"), {"ec2:CreateAction": "RunInstances"}) for kind in kinds]
    given = profile or data.get("IamInstanceProfile")
    roles = found.roles_of_profile(call, given) if given else []
    return [*own, *(("iam:PassRole", role, {"iam:PassedToService": "ec2.amazonaws.com"}) for role in roles)]


def _launched(call: Call, kind: str) -> str:
    return f"arn:aws:ec2:{call.region}::image/new" if kind == "image" else arn(call, "ec2", f"{kind}/new")


def _named(call: Call) -> t.Iterator[tuple[str, str]]:
    """Kinds and IDs of the resources that the call names."""
    given = [call.params.get(name) for name in NAMED]
    if call.operation == "DisassociateRouteTable":
        given.append(found.associated(call, call.params["AssociationId"]))
    for ids in given:
        for each in [ids] if isinstance(ids, str) else ids or ():
            kind = next((kind for prefix, kind in KINDS.items() if each.startswith(prefix)), None)
            if kind is not None and ALONE.get(call.operation, kind) == kind:
                yield kind, each
    if call.operation == "DeletePlacementGroup":
        yield "placement-group", call.params["GroupName"]


def _context(call: Call, resource: str) -> Context:
    return {**tags(call.params.get("Tags")), **found.tags_of(call, resource)}
