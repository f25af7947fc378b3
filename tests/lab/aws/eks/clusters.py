# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations that create, describe and delete clusters, which EKS completes in the background."""

from __future__ import annotations

import threading
import typing as t

from moto.ec2.models import ec2_backends
from moto.eks.exceptions import (
    InvalidParameterException,
    InvalidRequestException,
    ResourceInUseException,
    ResourceNotFoundException,
)
from moto.eks.utils import validate_role_arn
from moto.sts.models import sts_backends

from .. import cloud, request
from ..delays import pause
from .cluster import Cluster
from .entries import ADMINISTRATOR, WITH_ENTRIES, Entry, principal_of
from .operation import Answer, current_token, operation, page
from .updates import refuse_during_update
from .versions import accepted


class Clusters:
    """The operations."""

    eks_backend: t.Any
    current_account: str
    region: str
    get_access_key: t.Callable[[], str]

    @operation
    def create_cluster(self, name: str, roleArn: str, resourcesVpcConfig: Answer, **params: t.Any) -> Answer:
        """Versions out of support are accepted, so that tests can have old clusters."""
        if name in self.eks_backend.clusters:
            raise ResourceInUseException(clusterName=name, message=f"Cluster already exists with name: {name}")
        validate_role_arn(roleArn)
        given = {"name": name, "roleArn": roleArn, "resourcesVpcConfig": resourcesVpcConfig, **params, "token": current_token()}
        made = Cluster(self.eks_backend, given, **self._network(resourcesVpcConfig["subnetIds"]))
        _check(made)
        self._bootstrap(made)
        self.eks_backend.remember(name)
        self.eks_backend.clusters[name] = made
        rule = cloud.current().faults.take(request.current(), "fail_later")
        if rule or not cloud.current().settings["eks_creates_at_once"]:
            made.status = "CREATING"
            self._later(made, "ACTIVE", rule)
        return {"cluster": made.answer()}

    @operation
    def describe_cluster(self, name: str) -> Answer:
        shown = self.eks_backend.shown(name)
        if shown is None:
            raise ResourceNotFoundException(message=f"No cluster found for name: {name}.")
        return {"cluster": shown}

    @operation
    def list_clusters(self, **params: t.Any) -> Answer:
        shown, more = page(self.eks_backend.clusters, params.get("maxResults", 100), params.get("nextToken", ""))
        return {"clusters": shown, **more}

    @operation
    def delete_cluster(self, name: str) -> Answer:
        cluster = self.eks_backend.describe_cluster(name)
        if cluster.deletion_protection:
            raise InvalidRequestException(clusterName=name, message="Cluster cannot be deleted because deletion protection is enabled")
        for kind, dependents in (("nodegroups", cluster.nodegroups), ("Fargate profiles", cluster.fargate_profiles)):
            if dependents:
                raise ResourceInUseException(clusterName=name, message=f"Cluster has {kind} attached")
        refuse_during_update(cluster, "DeleteCluster")
        if cluster.status in ("CREATING", "DELETING"):
            raise ResourceInUseException(clusterName=name, message=f"Cluster {name} is {cluster.status}")
        self.eks_backend.remember(name)
        cluster.status = "DELETING"
        self._later(cluster, "", cloud.current().faults.take(request.current(), "fail_later"))
        return {"cluster": cluster.answer()}

    def _later(self, cluster: Cluster, status: str, rule: t.Any) -> None:
        """Complete the creation or, with an empty status, the deletion after a while. A fault ``fail_later`` fails it."""
        backend = self.eks_backend

        def end() -> None:
            pause()
            backend.remember(cluster.name)
            if rule:
                code, _colon, message = rule.code.partition(": ")
                cluster.status, cluster.issues = "FAILED", [{"code": code, "message": message, "resourceIds": []}]
            elif status:
                cluster.status = status
            else:
                backend.clusters.pop(cluster.name, None)

        threading.Thread(target=end, daemon=True).start()

    def _network(self, subnets: list[str]) -> dict[str, str]:
        """The VPC, and its default security group, which replaces the group that EKS creates, and like it admits itself."""
        ec2 = ec2_backends[self.current_account][self.region]
        vpc = str(ec2.get_subnet(subnets[0]).vpc_id)
        group = t.cast(t.Any, ec2.get_security_group_from_name("default", vpc))
        if not any(each.source_group for each in group.ingress_rules):
            ec2.authorize_security_group_ingress(group.id, "-1", None, None, [], source_groups=[{"GroupId": group.id}])
        return {"vpc_id": vpc, "group_id": group.id}

    def _bootstrap(self, cluster: Cluster) -> None:
        """The access entry of the caller."""
        access = cluster.access_config
        if access["bootstrapClusterCreatorAdminPermissions"] and access["authenticationMode"] in WITH_ENTRIES:
            caller = sts_backends[self.current_account]["aws"].get_caller_identity(self.get_access_key(), self.region)[1]
            principal, policies = principal_of(caller), {ADMINISTRATOR: {"type": "cluster", "namespaces": []}}
            cluster.access_entries[principal] = Entry(cluster.arn, principal, policies=policies)


def _check(cluster: Cluster) -> None:
    access, network = cluster.access_config, cluster.resources_vpc_config
    wrong = ""
    if not accepted(cluster.version):
        wrong = f"unsupported Kubernetes version {cluster.version}"
    elif access["authenticationMode"] == "CONFIG_MAP" and not access["bootstrapClusterCreatorAdminPermissions"]:
        wrong = "bootstrapClusterCreatorAdminPermissions must be true if cluster authentication mode is set to CONFIG_MAP"
    elif not (network["endpointPublicAccess"] or network["endpointPrivateAccess"]):
        wrong = "Private and public endpoint access cannot be false"
    if wrong:
        raise InvalidParameterException(clusterName=cluster.name, message=wrong)
