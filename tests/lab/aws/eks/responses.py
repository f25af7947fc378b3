# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations and fields of clusters that moto lacks."""

from __future__ import annotations

import typing as t

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.eks.models import eks_backends
from moto.eks.responses import EKSResponse
from moto.sts.models import sts_backends

from .. import cloud, request
from .access import AccessEntries
from .addons import Addons
from .entries import ADMINISTRATOR, WITH_ENTRIES, Entry, principal_of
from .identities import Identities
from .operation import Answer, NotFoundException, operation


class Responses(AccessEntries, Addons, Identities, EKSResponse):
    @property
    def eks_backend(self) -> t.Any:
        """The backend of the Region in the signature, because moto misreads paths with the name of a service-linked role."""
        return eks_backends[self.current_account][request.current().region]

    def create_cluster(self) -> ActionResult:
        result = super().create_cluster()
        cluster = self.eks_backend.describe_cluster(self._get_param("name"))
        access = self._get_param("accessConfig") or {}
        subnet = ec2_backends[self.current_account][self.region].get_subnet(cluster.resources_vpc_config["subnetIds"][0])
        cluster.access_config = {"authenticationMode": access.get("authenticationMode", "CONFIG_MAP")}
        cluster.resources_vpc_config["vpcId"] = subnet.vpc_id
        cluster.addons, cluster.access_entries, cluster.identities = {}, {}, {}
        if access.get("bootstrapClusterCreatorAdminPermissions", True) and cluster.access_config["authenticationMode"] in WITH_ENTRIES:
            caller = sts_backends[self.current_account]["aws"].get_caller_identity(self.get_access_key(), self.region)[1]
            principal = principal_of(caller)
            policies = {ADMINISTRATOR: {"type": "cluster", "namespaces": []}}
            cluster.access_entries[principal] = Entry(cluster.arn, principal, policies=policies)
        return result

    def describe_cluster(self) -> ActionResult:
        """Describe with the endpoint of the lab's API server, or one without a listener if there is none."""
        cluster, kubernetes = self.eks_backend.describe_cluster(self._get_param("name")), cloud.current().settings["kubernetes"]
        cluster.endpoint = kubernetes.get("endpoint", "https://127.0.0.1:1")
        cluster.certificate_authority = {"data": kubernetes.get("certificate_authority", "")}
        return ActionResult({"cluster": cluster})

    @operation
    def tag_resource(self, resourceArn: str, tags: dict[str, str]) -> None:
        self._tags(resourceArn).update(tags)

    @operation
    def untag_resource(self, resourceArn: str, tagKeys: list[str]) -> None:
        found = self._tags(resourceArn)
        for key in tagKeys:
            found.pop(key, None)

    @operation
    def list_tags_for_resource(self, resourceArn: str) -> Answer:
        return {"tags": dict(self._tags(resourceArn))}

    def _tags(self, arn: str) -> dict[str, str]:
        found = self.eks_backend.tagged(arn)
        if found is None:
            raise NotFoundException(message=f"Resource {arn} was not found")
        return t.cast("dict[str, str]", found)
