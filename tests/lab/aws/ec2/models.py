# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The EC2 backend with rules that moto lacks.

- A security group that an interface or another group's rule uses cannot be deleted, nor can a default group.
- Rules that differ only in their description are duplicates, and rules for a group keep their description.
- Rules are revoked by an id that must exist, and changed also where they name a group.
- The first description after a new rule does not show it. With certain settings, filters do not find a new group for a
  while, and it accepts no rules.
- An interface that a service made (a load balancer, a HyperPod node) is released by that service alone.
- Interfaces of new instances have the requested type, such as EFA.
- A subnet with interfaces in it cannot be deleted, nor can a VPC with an internet gateway or a security group other than its default.
- The interface of a NAT gateway exists until the gateway is deleted, and only EC2 may delete it. With a setting, this takes a while.
"""

from __future__ import annotations

import itertools
import time
import typing as t

from moto.core.resource_tagging import TaggedResource
from moto.ec2.exceptions import (
    DependencyViolationError,
    EC2ClientError,
    InvalidSecurityGroupNotFoundError,
    InvalidSecurityGroupRuleIdNotFoundError,
)
from moto.ec2.models import EC2Backend
from moto.ec2.models.security_groups import SecurityGroup, SecurityGroupRule

from .. import cloud
from .client_vpn.endpoints import ClientVpn
from .launch_templates.models import LaunchTemplates
from .nat_gateways import GatewaysInRemoval


class Rule(SecurityGroupRule):
    """A rule; rules with the same protocol, ports and peer are equal, with any description."""

    @property
    def description(self) -> str | None:
        return self.ip_range.get("Description") or self.source_group.get("Description")

    @property
    def peer(self) -> tuple[str | None, ...]:
        return (
            self.ip_range.get("CidrIp"),
            self.ip_range.get("CidrIpv6"),
            self.source_group.get("GroupId"),
            self.prefix_list_id,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SecurityGroupRule):
            return NotImplemented
        own = (self.ip_protocol, self.from_port, self.to_port)
        return own == (other.ip_protocol, other.from_port, other.to_port) and self.peer == Rule.peer.fget(other)

    __hash__ = None  # type: ignore[assignment]


class Ec2(EC2Backend):
    """Replaces moto's backend."""

    def __init__(self, region_name: str, account_id: str) -> None:
        self.groups_unknown_until: dict[str, float] = {}
        self.rules_unseen_until: dict[str, float] = {}
        self.vpc_in_removal = ""
        self.gateways_in_removal = GatewaysInRemoval(self)
        super().__init__(region_name, account_id)  # makes a default group
        self.client_vpn = ClientVpn(self)
        self.templates = LaunchTemplates(self)
        self.placement_groups: dict[str, dict[str, t.Any]] = {}
        self.replies: dict[tuple[str, str], t.Any] = {}
        """By operation and ClientToken."""

    def iter_tagged_resources(self) -> t.Iterator[TaggedResource]:
        """Resources for the tagging API."""
        yield from super().iter_tagged_resources()
        for endpoint in list(self.client_vpn.endpoints.values()):
            tags = dict(self.tags.get(endpoint.id, {}))
            yield TaggedResource(arn=endpoint.arn, tags=tags, resource_type="ec2:client-vpn-endpoint")

    def _iterate_security_rules(
        self,
        ip_protocol: str,
        group_id: str,
        from_port: str,
        to_port: str,
        ip_ranges: list[t.Any],
        source_groups: list[dict[str, t.Any]],
        prefix_list_ids: list[dict[str, str]],
        is_egress: bool = False,
        tags: dict[str, str] | None = None,
    ) -> t.Iterator[SecurityGroupRule]:
        peers = itertools.chain(
            ((one, None, None) for one in ip_ranges),
            ((None, one, None) for one in source_groups),
            ((None, None, one) for one in prefix_list_ids),
        )
        for peer in peers:
            rule = Rule(self, ip_protocol, group_id, from_port, to_port, *peer, is_egress=is_egress, tags=tags or {})
            self.rules_unseen_until[rule.id] = _in("security_group_rule_lag_seconds")
            yield rule

    def every_group(self) -> list[SecurityGroup]:
        return [group for groups in list(self.groups.values()) for group in list(groups.values())]

    def create_security_group(self, *args: t.Any, **kwargs: t.Any) -> SecurityGroup:
        group = super().create_security_group(*args, **kwargs)
        self.groups_unknown_until[group.id] = _in("security_group_lag_seconds")
        return group

    def describe_security_groups(self, *args: t.Any, filters: t.Any = None, **kwargs: t.Any) -> list[SecurityGroup]:
        found = super().describe_security_groups(*args, filters=filters, **kwargs)
        return [group for group in found if not self._is_too_new(group.id)] if filters else found

    def describe_security_group_rules(self, *args: t.Any, **kwargs: t.Any) -> list[SecurityGroupRule]:
        found = super().describe_security_group_rules(*args, **kwargs)
        now = time.monotonic()
        return [rule for rule in found if self.rules_unseen_until.pop(rule.id, 0.0) <= now]

    def authorize_security_group_ingress(self, group_name_or_id: str, *args: t.Any, **kwargs: t.Any) -> t.Any:
        self._check_known(group_name_or_id)
        return super().authorize_security_group_ingress(group_name_or_id, *args, **kwargs)

    def authorize_security_group_egress(self, group_name_or_id: str, *args: t.Any, **kwargs: t.Any) -> t.Any:
        self._check_known(group_name_or_id)
        return super().authorize_security_group_egress(group_name_or_id, *args, **kwargs)

    def _check_known(self, group_id: str) -> None:
        if self._is_too_new(group_id):
            raise InvalidSecurityGroupNotFoundError(group_id)

    def _is_too_new(self, group_id: str) -> bool:
        return time.monotonic() < self.groups_unknown_until.get(group_id, 0.0)

    def delete_security_group(self, name: str | None = None, group_id: str | None = None) -> None:
        group = self.get_security_group_from_id(group_id) if group_id else self.get_security_group_from_name(name or "")
        if group is None:
            raise InvalidSecurityGroupNotFoundError(group_id or name)
        if group.name == "default" and group.vpc_id != self.vpc_in_removal:
            raise EC2ClientError(
                "CannotDelete", f'the specified group: "{group.id}" name: "default" cannot be deleted by a user'
            )
        in_use = any(group.id in {one.id for one in interface.group_set} for interface in list(self.enis.values()))
        named = any(
            rule.source_group.get("GroupId") == group.id
            for other in self.every_group()
            if other.id != group.id
            for rule in (*other.ingress_rules, *other.egress_rules)
        )
        if in_use or named:
            raise DependencyViolationError(f"resource {group.id} has a dependent object")
        super().delete_security_group(group_id=group.id)

    def revoke_security_group_ingress(self, group_name_or_id: str, *args: t.Any, **kwargs: t.Any) -> None:
        self._check_rule_ids(kwargs.get("security_rule_ids"))
        super().revoke_security_group_ingress(group_name_or_id, *args, **kwargs)

    def revoke_security_group_egress(self, group_name_or_id: str, *args: t.Any, **kwargs: t.Any) -> None:
        self._check_rule_ids(kwargs.get("security_rule_ids"))
        super().revoke_security_group_egress(group_name_or_id, *args, **kwargs)

    def modify_security_group_rules(self, group_id: str, rules: dict[str, dict[str, t.Any]]) -> None:
        super().modify_security_group_rules(group_id, rules)
        group = self.get_security_group_from_id(group_id)
        for rule_id, wanted in rules.items():
            rule = group.get_rule(rule_id) if group else None
            if rule is not None and wanted.get("ReferencedGroupId"):
                rule.ip_range = {}
                rule.source_group = {
                    "GroupId": wanted["ReferencedGroupId"],
                    "OwnerId": self.account_id,
                    "UserId": self.account_id,
                    **({"Description": wanted["Description"]} if wanted.get("Description") else {}),
                }

    def _check_rule_ids(self, wanted: t.Sequence[str] | None) -> None:
        if not wanted:
            return
        known = {rule.id for group in self.every_group() for rule in (*group.ingress_rules, *group.egress_rules)}
        for rule_id in wanted:
            if rule_id not in known:
                raise InvalidSecurityGroupRuleIdNotFoundError(rule_id)

    def delete_network_interface(self, eni_id: str) -> None:
        interface = self.enis.get(eni_id)
        if interface is not None and interface.requester_managed:
            raise EC2ClientError(
                "OperationNotPermitted", f"You are not allowed to manage '{eni_id}': a service created it"
            )
        super().delete_network_interface(eni_id)

    def release_network_interface(self, eni_id: str) -> None:
        """Release an interface as the service that created it does."""
        self.enis.pop(eni_id, None)

    def run_instances(self, *args: t.Any, **kwargs: t.Any) -> t.Any:
        requested = {int(each["DeviceIndex"]): each.get("InterfaceType", "interface") for each in kwargs.get("nics") or ()}
        reservation = super().run_instances(*args, **kwargs)
        for instance in reservation.instances:
            for index, kind in requested.items():
                instance.nics[index].interface_type = kind
        return reservation

    def register_image(self, *args: t.Any, **kwargs: t.Any) -> t.Any:
        """An image with the values that EC2 always returns."""
        image = super().register_image(*args, **kwargs)
        image.architecture, image.root_device_type = "x86_64", "ebs"
        return image

    def create_nat_gateway(self, *args: t.Any, **kwargs: t.Any) -> t.Any:
        """A gateway with an interface that only EC2 may delete."""
        made = super().create_nat_gateway(*args, **kwargs)
        interface = made._eni
        interface.interface_type, interface.description = "natGateway", f"Interface for NAT Gateway {made.id}"
        interface.status, interface.requester_managed = "in-use", True
        return made

    def describe_nat_gateways(self, filters: t.Any, nat_gateway_ids: t.Any) -> list[t.Any]:
        """moto ignores filters by tag."""
        self.gateways_in_removal.end()
        found = super().describe_nat_gateways(filters, nat_gateway_ids)
        wanted = {name.removeprefix("tag:"): values for name, values in (filters or {}).items() if name.startswith("tag:")}
        return [each for each in found if all(self.tags.get(each.id, {}).get(key) in values for key, values in wanted.items())]

    def delete_nat_gateway(self, nat_gateway_id: str) -> t.Any:
        gone = super().delete_nat_gateway(nat_gateway_id)
        self.gateways_in_removal.begin(gone)
        return gone

    def release_address(self, address: str | None = None, allocation_id: str | None = None) -> None:
        self.gateways_in_removal.end()
        self.gateways_in_removal.check_address(address, allocation_id)
        super().release_address(address, allocation_id)

    def delete_subnet(self, subnet_id: str) -> t.Any:
        self.gateways_in_removal.end()
        if any(interface.subnet.id == subnet_id for interface in list(self.enis.values())):
            raise DependencyViolationError(f"The subnet '{subnet_id}' has dependencies and cannot be deleted.")
        return super().delete_subnet(subnet_id)

    def delete_vpc(self, vpc_id: str) -> t.Any:
        groups = [each for each in self.every_group() if each.vpc_id == vpc_id and each.name != "default"]
        gateways = [each for each in list(self.internet_gateways.values()) if each.vpc and each.vpc.id == vpc_id]
        if groups or gateways:
            raise DependencyViolationError(f"The vpc '{vpc_id}' has dependencies and cannot be deleted.")
        self.vpc_in_removal = vpc_id
        try:
            return super().delete_vpc(vpc_id)
        finally:
            self.vpc_in_removal = ""


def _in(setting: str) -> float:
    return time.monotonic() + float(cloud.current().settings[setting])
