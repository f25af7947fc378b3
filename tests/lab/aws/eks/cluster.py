# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster with the settings that moto's lacks."""

from __future__ import annotations

import typing as t

from moto.eks import models

from .. import cloud
from .versions import DEFAULT

Answer = dict[str, t.Any]
LOGS = ("api", "audit", "authenticator", "controllerManager", "scheduler")
ANYWHERE = ["0.0.0.0/0"]
WITHOUT_LISTENER = "https://127.0.0.1:1"
"""The endpoint if the lab has no API server."""
AS_GIVEN = ("computeConfig", "controlPlaneScalingConfig", "outpostConfig", "remoteNetworkConfig", "storageConfig", "zonalShiftConfig")
"""Settings that are stored and returned without any effect."""


class Cluster(models.Cluster):
    """``backend`` is moto's, ``params`` are the request's; defaults are those of CreateCluster."""

    def __init__(self, backend: t.Any, params: Answer, *, vpc_id: str, group_id: str) -> None:
        given = params["resourcesVpcConfig"]
        public = given.get("endpointPublicAccess", True)
        network = {
            "subnetIds": list(given["subnetIds"]),
            "securityGroupIds": list(given.get("securityGroupIds", [])),
            "clusterSecurityGroupId": group_id,
            "vpcId": vpc_id,
            "endpointPublicAccess": public,
            "endpointPrivateAccess": given.get("endpointPrivateAccess", False),
            "publicAccessCidrs": list(given.get("publicAccessCidrs") or ANYWHERE) if public else [],
        }
        super().__init__(
            name=params["name"],
            role_arn=params["roleArn"],
            resources_vpc_config=network,
            account_id=backend.account_id,
            region_name=backend.region_name,
            aws_partition=backend.partition,
            version=params.get("version", DEFAULT),
            client_request_token=params["token"],
            tags=dict(params.get("tags", {})),
            encryption_config=params.get("encryptionConfig", []),
        )
        access = params.get("accessConfig", {})
        self.access_config = {
            "authenticationMode": access.get("authenticationMode", "CONFIG_MAP"),
            "bootstrapClusterCreatorAdminPermissions": access.get("bootstrapClusterCreatorAdminPermissions", True),
        }
        self.service_network = {"ipFamily": "ipv4", "serviceIpv4Cidr": "172.20.0.0/16", **params.get("kubernetesNetworkConfig", {})}
        self.logs = enabled_logs(params.get("logging", {}))
        self.upgrade_policy = {"supportType": "EXTENDED", **params.get("upgradePolicy", {})}
        self.deletion_protection = params.get("deletionProtection", False)
        self.self_managed_addons = params.get("bootstrapSelfManagedAddons", True)
        self.as_given = {name: params[name] for name in AS_GIVEN if name in params}
        self.issues: list[Answer] = []
        self.updates: dict[str, Answer] = {}
        """Replies of DescribeUpdate by ID."""
        self.addons: dict[str, t.Any] = {}
        self.access_entries: dict[str, t.Any] = {}
        self.identities: dict[str, t.Any] = {}

    @property
    def next_version(self) -> str:
        return f"1.{int(self.version.partition('.')[2]) + 1}"

    def answer(self) -> Answer:
        """The cluster in the API. A cluster in creation has no endpoint yet."""
        kubernetes = cloud.current().settings["kubernetes"]
        authority = {"data": kubernetes.get("certificate_authority", "")}
        logs = [{"types": kinds, "enabled": enabled} for kinds, enabled in self._logs() if kinds]
        reached = {"endpoint": kubernetes.get("endpoint", WITHOUT_LISTENER), "identity": self.identity, "certificateAuthority": authority}
        return {
            "name": self.name,
            "arn": self.arn,
            "createdAt": self.created_at,
            "version": self.version,
            "roleArn": self.role_arn,
            "resourcesVpcConfig": {name: list(value) if isinstance(value, list) else value for name, value in self.resources_vpc_config.items()},
            "kubernetesNetworkConfig": dict(self.service_network),
            "logging": {"clusterLogging": logs},
            "status": self.status,
            "clientRequestToken": self.client_request_token,
            "platformVersion": "eks.5",
            "tags": dict(self.tags),
            "encryptionConfig": list(self.encryption_config),
            "health": {"issues": list(self.issues)},
            "accessConfig": dict(self.access_config),
            "upgradePolicy": dict(self.upgrade_policy),
            "deletionProtection": self.deletion_protection,
            **self.as_given,
            **({} if self.status == "CREATING" else reached),
        }

    def _logs(self) -> tuple[tuple[list[str], bool], ...]:
        return (self.logs, True), ([each for each in LOGS if each not in self.logs], False)


def enabled_logs(setup: Answer, before: t.Iterable[str] = ()) -> list[str]:
    """The enabled log types after a LogSetup; types that it omits stay as before."""
    enabled = set(before)
    for each in setup.get("clusterLogging", []):
        enabled = enabled | set(each["types"]) if each.get("enabled") else enabled - set(each["types"])
    return [each for each in LOGS if each in enabled]
