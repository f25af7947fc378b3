# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The elbv2 backend: state and rules of network load balancers."""

from __future__ import annotations

import re
import threading
import time
import typing as t

from lab.balancer.view import LoadBalancerView
from moto.core.resource_tagging import TaggedResource
from moto.ec2.models import ec2_backends
from moto.elb.models import ELBBackend
from moto.elbv2.models import ELBv2Backend
from moto.moto_api._internal import mock_random

from .. import cloud
from ..action import Refusal
from . import attributes, data_path, interfaces
from .groups import TargetGroups
from .listeners import Listeners
from .resources import LoadBalancer, Zone

NAME = re.compile(r"(?!internal-)(?!-)[A-Za-z0-9-]{1,32}(?<!-)")
RELEASE_SECONDS = 1.0  # how long the interfaces outlive their load balancer


class Doorway(ELBBackend):
    """Leads to our handlers, because moto's server uses those of classic load balancers, which have the same address."""


class NetworkLoadBalancers(TargetGroups, Listeners, ELBv2Backend):
    """Load balancers of one account and region. Every method holds the lock; ``view`` is for the data path."""

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.lock = threading.RLock()
        self.balancers: dict[str, LoadBalancer] = {}
        self.groups: dict[str, t.Any] = {}

    @property
    def ec2(self) -> t.Any:
        return ec2_backends[self.account_id][self.region_name]

    def arn(self, path: str) -> str:
        return f"arn:{self.partition}:elasticloadbalancing:{self.region_name}:{self.account_id}:{path}"

    def changed(self) -> None:
        """Notify the data path of a change."""
        cloud.current().follower.wake.set()

    def iter_tagged_resources(self) -> t.Iterator[TaggedResource]:
        """Resources for the tagging API."""
        kinds = {"loadbalancer": list(self.balancers), "targetgroup": list(self.groups)}
        for kind, arns in kinds.items():
            for arn in arns:
                tags = self.tagging_service.get_tag_dict_for_resource(arn)
                yield TaggedResource(arn=arn, tags=tags, resource_type=f"elasticloadbalancing:{kind}")

    def tagged(self, arn: str) -> str:
        """Return the ARN if the resource exists."""
        if ":targetgroup/" in arn:
            self.group(arn)
        elif ":listener/" in arn:
            self.listener(arn)
        else:
            self.balancer(arn)
        return arn

    def tag(self, arns: list[str], tags: list[dict[str, str]]) -> None:
        with self.lock:
            for arn in [self.tagged(arn) for arn in arns]:
                keys = set(self.tagging_service.get_tag_dict_for_resource(arn)) | {tag["Key"] for tag in tags}
                if len(keys) > 50:
                    raise Refusal("TooManyTags", f"'{arn}' would have more than 50 tags")
                plain = [{"Key": tag["Key"], "Value": tag.get("Value", "")} for tag in tags]
                self.tagging_service.tag_resource(arn, plain)

    def untag(self, arns: list[str], keys: list[str]) -> None:
        with self.lock:
            for arn in [self.tagged(arn) for arn in arns]:
                self.tagging_service.untag_resource_using_names(arn, keys)

    def tags_of(self, arn: str) -> list[dict[str, str]]:
        with self.lock:
            found = self.tagging_service.get_tag_dict_for_resource(self.tagged(arn))
            return [{"Key": key, "Value": value} for key, value in found.items()]

    # Load balancers

    def balancer(self, arn: str) -> LoadBalancer:
        if arn not in self.balancers:
            raise Refusal("LoadBalancerNotFound", f"Load balancer '{arn}' not found")
        return self.balancers[arn]

    def create_balancer(
        self, *, name: str, mappings: list[dict[str, str]], groups: list[str], scheme: str, tags: list[dict[str, str]]
    ) -> LoadBalancer:
        """Create a load balancer, or return the existing one of this name if all settings are the same."""
        with self.lock:
            if not NAME.fullmatch(name):
                raise Refusal("ValidationError", f"The load balancer name '{name}' is not valid")
            subnets = self._subnets(mappings)
            for existing in self.balancers.values():
                if existing.name == name:
                    return self._same(existing, mappings, groups, scheme)
            self._check_groups(groups, subnets[0].vpc_id)
            suffix = mock_random.get_random_hex(16)
            label = f"net/{name}/{suffix}"
            balancer = LoadBalancer(
                arn=self.arn(f"loadbalancer/{label}"),
                name=name,
                dns_name=f"{name}-{suffix}.elb.{self.region_name}.amazonaws.com",
                scheme=scheme,
                vpc_id=subnets[0].vpc_id,
                zones=[],
                security_groups=list(groups),
                ready_at=time.monotonic() + 5 * cloud.current().settings["transition_seconds"],
            )
            balancer.attributes["ipv6.deny_all_igw_traffic"] = "true" if scheme == "internal" else "false"
            self._enable(balancer, mappings, subnets)
            self.balancers[balancer.arn] = balancer
            self.tagging_service.tag_resource(balancer.arn, tags)
            self.changed()
            return balancer

    def _subnets(self, mappings: list[dict[str, str]]) -> list[t.Any]:
        if not mappings:
            raise Refusal("ValidationError", "At least one subnet must be specified")
        subnets = [interfaces.subnet_of(self.ec2, mapping["SubnetId"]) for mapping in mappings]
        if len({subnet.availability_zone for subnet in subnets}) < len(subnets):
            raise Refusal(
                "InvalidConfigurationRequest",
                "A load balancer cannot be attached to multiple subnets in the same Availability Zone",
            )
        if len({subnet.vpc_id for subnet in subnets}) > 1:
            raise Refusal("InvalidConfigurationRequest", "All subnets must belong to the same VPC")
        return subnets

    def _same(
        self, existing: LoadBalancer, mappings: list[dict[str, str]], groups: list[str], scheme: str
    ) -> LoadBalancer:
        zones = {zone.subnet_id for zone in existing.zones}
        same_zones = zones == {mapping["SubnetId"] for mapping in mappings}
        if same_zones and set(existing.security_groups) == set(groups) and existing.scheme == scheme:
            return existing
        raise Refusal(
            "DuplicateLoadBalancerName",
            f"A load balancer with the same name '{existing.name}' exists, but with different settings",
        )

    def _check_groups(self, groups: list[str], vpc_id: str) -> None:
        for group in groups:
            found = self.ec2.get_security_group_from_id(group)
            if found is None or found.vpc_id != vpc_id:
                raise Refusal("InvalidSecurityGroup", f"One or more security groups are invalid: {group}")

    def _enable(self, balancer: LoadBalancer, mappings: list[dict[str, str]], subnets: list[t.Any]) -> None:
        label = balancer.arn.split("loadbalancer/", 1)[1]
        for mapping, subnet in zip(mappings, subnets):
            wanted = mapping.get("PrivateIPv4Address")
            zone = interfaces.make_zone(self.ec2, label, subnet, wanted, balancer.security_groups)
            balancer.zones.append(zone)

    def set_subnets(self, arn: str, mappings: list[dict[str, str]]) -> LoadBalancer:
        """Replace the enabled subnets; a remaining subnet keeps its address."""
        with self.lock:
            balancer, subnets = self.balancer(arn), self._subnets(mappings)
            if subnets[0].vpc_id != balancer.vpc_id:
                raise Refusal("InvalidSubnet", "The subnets are not in the load balancer's VPC")
            kept = {zone.subnet_id: zone for zone in balancer.zones}
            for mapping in mappings:
                wanted, zone = mapping.get("PrivateIPv4Address"), kept.get(mapping["SubnetId"])
                if zone and wanted and wanted != zone.address:
                    raise Refusal(
                        "InvalidConfigurationRequest", "The private IPv4 address of an enabled subnet cannot change"
                    )
            fresh = [one for one in zip(mappings, subnets) if one[0]["SubnetId"] not in kept]
            gone = [zone for zone in balancer.zones if zone.subnet_id not in {one["SubnetId"] for one in mappings}]
            balancer.zones = [zone for zone in balancer.zones if zone not in gone]
            self._enable(balancer, [one[0] for one in fresh], [one[1] for one in fresh])
            self._release(gone)
            self.changed()
            return balancer

    def set_groups(self, arn: str, groups: list[str], private_link: str | None) -> LoadBalancer:
        with self.lock:
            balancer = self.balancer(arn)
            if not balancer.security_groups:
                raise Refusal(
                    "InvalidConfigurationRequest",
                    "You cannot set security groups on a load balancer that was created without one",
                )
            if not groups:
                raise Refusal("InvalidConfigurationRequest", "You must specify at least one security group")
            self._check_groups(groups, balancer.vpc_id)
            balancer.security_groups = list(groups)
            balancer.private_link = private_link or balancer.private_link
            for zone in balancer.zones:
                interfaces.set_groups(self.ec2, zone.interface_id, groups)
            self.changed()
            return balancer

    def delete_balancer(self, arn: str) -> None:
        """Delete a load balancer with its listeners; an unknown ARN is a success, as in AWS."""
        with self.lock:
            if arn not in self.balancers:
                return
            balancer = self.balancers[arn]
            if balancer.attributes["deletion_protection.enabled"] == "true":
                raise Refusal(
                    "OperationNotPermitted",
                    f"Load balancer '{arn}' cannot be deleted because deletion protection is enabled",
                )
            del self.balancers[arn]
            for gone in (arn, *balancer.listeners):
                self.tagging_service.delete_all_tags_for_resource(gone)
            self._release(balancer.zones)
        listeners = cloud.current()
        listeners.background(listeners.balancers.remove, arn)

    def _release(self, zones: list[Zone]) -> None:
        for zone in zones:
            timer = threading.Timer(RELEASE_SECONDS, self.ec2.release_network_interface, [zone.interface_id])
            timer.daemon = True
            timer.start()

    # Attributes

    def modify_attributes(self, resource: t.Any, table: dict[str, t.Any], changes: list[dict[str, str]]) -> None:
        with self.lock:
            resource.attributes = attributes.changed(table, resource.attributes, changes)
            self.changed()

    def view(self, arn: str) -> LoadBalancerView | None:
        """The view of a load balancer for the data path; None if it is deleted."""
        with self.lock:
            balancer = self.balancers.get(arn)
            return data_path.load_balancer(self, balancer, cloud.current().settings) if balancer else None
