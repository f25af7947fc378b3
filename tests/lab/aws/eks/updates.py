# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Updates of a cluster: one at a time, one kind for each call, and completed in the background."""

from __future__ import annotations

import threading
import time
import typing as t
import uuid

from moto.ec2.models import ec2_backends
from moto.eks.exceptions import (
    EKSError,
    InvalidParameterException,
    ResourceInUseException,
    ResourceNotFoundException,
)

from .. import cloud, request
from ..delays import pause
from .cluster import ANYWHERE, enabled_logs
from .operation import Answer, operation, page
from .versions import READINESS, UNSUPPORTED, insights, named

NETWORK = ("subnetIds", "securityGroupIds")
ENDPOINT = ("endpointPublicAccess", "endpointPrivateAccess", "publicAccessCidrs")
MODES = ("CONFIG_MAP", "API_AND_CONFIG_MAP", "API")
"""Authentication modes; an update moves one step forward."""


class InvalidStateException(EKSError):
    TYPE = "InvalidStateException"
    STATUS = 400


class Updates:
    """The operations."""

    eks_backend: t.Any
    current_account: str
    region: str

    @operation
    def update_cluster_config(self, name: str, **params: t.Any) -> Answer:
        cluster = self.eks_backend.describe_cluster(name)
        changes = [change for change in (part(self, cluster, params) for part in PARTS) if change is not None]
        if len(changes) != 1:
            _refuse(name, "Only one type of update can be allowed." if changes else "Invalid type for cluster update.")
        kind, needed, apply = changes[0]
        refuse_during_update(cluster, kind)
        if not needed:
            _refuse(name, f"No changes needed: the cluster is already at the desired configuration for {kind}")
        return self._start(cluster, kind, apply)

    @operation
    def update_cluster_version(self, name: str, version: str, force: bool = False, **_others: t.Any) -> Answer:
        cluster = self.eks_backend.describe_cluster(name)
        refuse_during_update(cluster, "VersionUpdate")
        offered = named(version)
        if version != cluster.next_version or offered is None or offered.status == UNSUPPORTED:
            _refuse(name, f"Unsupported Kubernetes minor version update from {cluster.version} to {version}")
        if not force and any(_stops(each, version) for each in insights(name, version)):
            raise InvalidStateException(clusterName=name, message="Upgrade readiness issues detected. Pass the force flag to override them.")
        return self._start(cluster, "VersionUpdate", lambda: setattr(cluster, "version", version))

    @operation
    def associate_encryption_config(self, clusterName: str, encryptionConfig: list[Answer]) -> Answer:
        cluster = self.eks_backend.describe_cluster(clusterName)
        refuse_during_update(cluster, "AssociateEncryptionConfig")
        if cluster.encryption_config:
            _refuse(clusterName, "Cluster already has encryption config")
        return self._start(cluster, "AssociateEncryptionConfig", lambda: setattr(cluster, "encryption_config", encryptionConfig))

    @operation
    def describe_update(self, name: str, updateId: str, **of: t.Any) -> Answer:
        found = self._updates_of(name, **of).get(updateId)
        if found is None:
            raise ResourceNotFoundException(clusterName=name, message=f"No update found for ID: {updateId}")
        return {"update": dict(found)}

    @operation
    def list_updates(self, name: str, maxResults: int = 100, nextToken: str = "", **of: t.Any) -> Answer:
        shown, more = page(self._updates_of(name, **of), maxResults, nextToken)
        return {"updateIds": shown, **more}

    def _updates_of(self, name: str, addonName: str = "", nodegroupName: str = "", **_others: t.Any) -> dict[str, Answer]:
        """The updates of a cluster, or of one of its add-ons or node groups."""
        if addonName:
            return t.cast("dict[str, Answer]", self._addon(name, addonName).updates)  # type: ignore[attr-defined]
        if nodegroupName:
            return t.cast("dict[str, Answer]", self._nodegroup(name, nodegroupName).shown_updates)  # type: ignore[attr-defined]
        return t.cast("dict[str, Answer]", self.eks_backend.describe_cluster(name).updates)

    def _start(self, cluster: t.Any, kind: str, apply: t.Callable[[], None]) -> Answer:
        """Complete the update after a while. A fault ``fail_later`` with ``CODE: message`` fails it without an effect."""
        rule, backend = cloud.current().faults.take(request.current(), "fail_later"), self.eks_backend
        update = {"id": str(uuid.uuid4()), "status": "InProgress", "type": kind, "params": [], "createdAt": time.time(), "errors": []}
        backend.remember(cluster.name)
        cluster.updates[update["id"]], cluster.status = update, "UPDATING"

        def end() -> None:
            pause()
            backend.remember(cluster.name)
            if rule:
                code, _colon, message = rule.code.partition(": ")
                update["errors"] = [{"errorCode": code, "errorMessage": message, "resourceIds": []}]
            else:
                apply()
            cluster.status, update["status"] = "ACTIVE", "Failed" if rule else "Successful"

        threading.Thread(target=end, daemon=True).start()
        return {"update": dict(update)}


def refuse_during_update(cluster: t.Any, kind: str) -> None:
    """One update at a time, and none while the cluster is created or deleted."""
    running = next((each["id"] for each in list(cluster.updates.values()) if each["status"] == "InProgress"), "")
    if running:
        message = f"Cannot {kind} because cluster {cluster.name} currently has update {running} in progress"
        raise ResourceInUseException(clusterName=cluster.name, message=message)
    if kind != "DeleteCluster" and cluster.status != "ACTIVE":
        raise ResourceInUseException(clusterName=cluster.name, message=f"Cannot {kind} because cluster {cluster.name} is {cluster.status}")


def _stops(insight: Answer, version: str) -> bool:
    """Whether the insight is an error that concerns the upgrade to a version."""
    is_error = insight["insightStatus"]["status"] == "ERROR" and insight["category"] == READINESS
    return is_error and insight["kubernetesVersion"] <= version


def _refuse(name: str, message: str) -> t.NoReturn:
    raise InvalidParameterException(clusterName=name, message=message)


Change = tuple[str, bool, t.Callable[[], None]]
"""Type of the update, whether it changes anything, and how it is applied."""


def _network(self: t.Any, cluster: t.Any, params: Answer) -> Change | None:
    given = {name: value for name, value in params.get("resourcesVpcConfig", {}).items() if name in NETWORK}
    if not given:
        return None
    have, ec2 = cluster.resources_vpc_config, ec2_backends[self.current_account][self.region]
    subnets = [ec2.get_subnet(each) for each in given.get("subnetIds", have["subnetIds"])]
    if {each.vpc_id for each in subnets} != {have["vpcId"]}:
        _refuse(cluster.name, "Provided subnets belong to a different VPC than the cluster")
    if len({each.availability_zone for each in subnets}) < 2:
        _refuse(cluster.name, "Subnets specified must be in at least two different AZs")
    needed = any(sorted(have[name]) != sorted(value) for name, value in given.items())
    return "VpcConfigUpdate", needed, lambda: have.update(given)


def _endpoint(_self: t.Any, cluster: t.Any, params: Answer) -> Change | None:
    given = {name: value for name, value in params.get("resourcesVpcConfig", {}).items() if name in ENDPOINT}
    if not given:
        return None
    have = cluster.resources_vpc_config
    after = {**{name: have[name] for name in ENDPOINT}, **given}
    if not (after["endpointPublicAccess"] or after["endpointPrivateAccess"]):
        _refuse(cluster.name, "Private and public endpoint access cannot be false")
    after["publicAccessCidrs"] = (after["publicAccessCidrs"] or ANYWHERE) if after["endpointPublicAccess"] else []
    return "EndpointAccessUpdate", any(have[name] != after[name] for name in ENDPOINT), lambda: have.update(after)


def _logging(_self: t.Any, cluster: t.Any, params: Answer) -> Change | None:
    if "logging" not in params:
        return None
    after = enabled_logs(params["logging"], cluster.logs)
    return "LoggingUpdate", after != cluster.logs, lambda: setattr(cluster, "logs", after)


def _access(_self: t.Any, cluster: t.Any, params: Answer) -> Change | None:
    if "accessConfig" not in params:
        return None
    have, after = cluster.access_config["authenticationMode"], params["accessConfig"]["authenticationMode"]
    if have != after and MODES.index(after) != MODES.index(have) + 1:
        _refuse(cluster.name, f"Unsupported authentication mode update from {have} to {after}")
    return "AccessConfigUpdate", have != after, lambda: cluster.access_config.update(authenticationMode=after)


def _policy(_self: t.Any, cluster: t.Any, params: Answer) -> Change | None:
    if "upgradePolicy" not in params:
        return None
    after, kubernetes = params["upgradePolicy"], named(cluster.version)
    if kubernetes is None or kubernetes.status != "STANDARD_SUPPORT":
        _refuse(cluster.name, "The upgrade policy cannot be changed after the end of standard support")
    return "UpgradePolicyUpdate", cluster.upgrade_policy != after, lambda: setattr(cluster, "upgrade_policy", after)


def _protection(_self: t.Any, cluster: t.Any, params: Answer) -> Change | None:
    if "deletionProtection" not in params:
        return None
    after = params["deletionProtection"]
    return "DeletionProtectionUpdate", cluster.deletion_protection != after, lambda: setattr(cluster, "deletion_protection", after)


PARTS: tuple[t.Callable[[t.Any, t.Any, Answer], Change | None], ...] = (_network, _endpoint, _logging, _access, _policy, _protection)
