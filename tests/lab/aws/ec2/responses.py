# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations with incomplete replies of moto."""

from __future__ import annotations

import typing as t

from moto.core.responses import ActionResult, EmptyResult
from moto.ec2.exceptions import InvalidParameterValueError
from moto.ec2.models import validate_resource_ids
from moto.ec2.responses import EC2Response

from ..action import action
from .capacity import CapacityResponses
from .client_vpn.responses import ClientVpnResponses, page
from .instance_types import described
from .launch_templates.responses import LaunchTemplateResponses

MOST_TYPES = 100
"""Maximum of a page: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html"""


MOST_PLACED = 100
"""https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTopology.html"""
PLACED = ("p4d.24xlarge", "p5.48xlarge", "trn1.32xlarge")


def _placed(instance: t.Any) -> dict[str, t.Any]:
    below = f"nn-{instance.subnet_id.removeprefix('subnet-')}"
    return {
        "InstanceId": instance.id,
        "InstanceType": instance.instance_type,
        "NetworkNodes": ["nn-1", f"nn-{instance.vpc_id.removeprefix('vpc-')}", below],
        "AvailabilityZone": instance.placement.zone,
    }


class Responses(ClientVpnResponses, LaunchTemplateResponses, CapacityResponses, EC2Response):
    """Replaces moto's handlers."""

    def create_tags(self) -> ActionResult:
        resources = self._taggable()
        self.error_on_dryrun()
        self.ec2_backend.create_tags(
            resources, {tag["Key"]: tag.get("Value", "") for tag in self._get_param("Tags", [])}
        )
        return EmptyResult()

    def delete_tags(self) -> ActionResult:
        resources = self._taggable()
        self.error_on_dryrun()
        tags = {tag["Key"]: tag.get("Value") for tag in self._get_param("Tags", [])}
        for resource in resources:
            keys = tags or dict.fromkeys(self.ec2_backend.tags[resource])
            self.ec2_backend.delete_tags([resource], dict(keys))
        return EmptyResult()

    def create_nat_gateway(self) -> ActionResult:
        return self._once("CreateNatGateway", super().create_nat_gateway)

    def create_route_table(self) -> ActionResult:
        return self._once("CreateRouteTable", super().create_route_table)

    def _once(self, operation: str, work: t.Callable[[], ActionResult]) -> ActionResult:
        """The reply to a request; a request with the same ClientToken has no effect and gets the first reply."""
        token, replies = self._get_param("ClientToken"), self.ec2_backend.replies
        if not token:
            return work()
        key = (operation, token)
        if key not in replies:
            replies[key] = work()
        return replies[key]

    def _taggable(self) -> list[str]:
        """IDs of the request after a check that they exist; moto's own check does not know Client VPN."""
        resources = self._get_param("Resources", [])
        others = [one for one in resources if not one.startswith("cvpn-endpoint-")]
        if others:
            validate_resource_ids(others)
            self.ec2_backend.do_resources_exist(others)
        vpn = self.ec2_backend.client_vpn
        with vpn.lock:
            for one in set(resources) - set(others):
                vpn.endpoint(one)
        return resources

    def authorize_security_group_ingress(self) -> ActionResult:
        return self._authorized(self.ec2_backend.authorize_security_group_ingress)

    def authorize_security_group_egress(self) -> ActionResult:
        return self._authorized(self.ec2_backend.authorize_security_group_egress)

    def _authorized(self, authorize: t.Callable[..., t.Any]) -> ActionResult:
        """Reply with the rules of all permissions; moto returns only those of the last one."""
        self.error_on_dryrun()
        rules = [rule for permission in self._process_rules_from_querystring() for rule in authorize(**permission)[0]]
        return ActionResult({"Return": True, "SecurityGroupRules": rules})

    @action
    def describe_instance_topology(self, InstanceIds: t.Sequence[str] = (), **_: t.Any) -> dict[str, t.Any]:
        """Topology of running instances whose type has layers: those of a subnet share the lowest network node."""
        if len(InstanceIds) > MOST_PLACED:
            raise InvalidParameterValueError(InstanceIds)
        instances = [self.ec2_backend.get_instance(one) for one in InstanceIds]
        return {"Instances": [_placed(each) for each in instances if each.state == "running" and each.instance_type in PLACED]}

    @action
    def describe_instance_types(
        self,
        InstanceTypes: t.Sequence[str] = (),
        Filters: t.Sequence[dict[str, t.Any]] = (),
        MaxResults: int = MOST_TYPES,
        NextToken: str | None = None,
        **_: t.Any,
    ) -> dict[str, t.Any]:
        """Types in pages; moto returns all at once. An unknown name fails the call, but not a filter."""
        wanted = {one["Name"]: one["Values"] for one in Filters}
        found = self.ec2_backend.describe_instance_types(list(InstanceTypes), wanted)
        shown, more = page(found, {}, MaxResults=MaxResults, NextToken=NextToken)
        return {"InstanceTypes": [described(each.name) for each in shown], **more}
