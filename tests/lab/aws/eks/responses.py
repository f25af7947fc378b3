# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations that moto lacks, and what it forgets of a cluster."""

from __future__ import annotations

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.eks.exceptions import ResourceNotFoundException
from moto.eks.responses import EKSResponse


class Responses(EKSResponse):
    def create_cluster(self) -> ActionResult:
        result = super().create_cluster()
        cluster = self.eks_backend.clusters[self._get_param("name")]
        asked = self._get_param("accessConfig") or {}
        subnet = ec2_backends[self.current_account][self.region].get_subnet(cluster.resources_vpc_config["subnetIds"][0])
        cluster.access_config = {"authenticationMode": asked.get("authenticationMode", "CONFIG_MAP")}
        cluster.resources_vpc_config["vpcId"] = subnet.vpc_id
        cluster.addons = {}
        return result

    def create_addon(self) -> ActionResult:
        cluster, name = self._get_param("name"), self._get_param("addonName")
        version = self._get_param("addonVersion")
        addon = {"addonName": name, "clusterName": cluster, "addonVersion": version, "status": "ACTIVE"}
        self.eks_backend.describe_cluster(cluster).addons[name] = addon
        return ActionResult({"addon": addon})

    def describe_addon(self) -> ActionResult:
        cluster, name = self._get_param("name"), self._get_param("addonName")
        found = self.eks_backend.describe_cluster(cluster).addons.get(name)
        if found is None:
            raise ResourceNotFoundException(
                clusterName=cluster, addonName=name, message=f"No addon: {name} found in cluster: {cluster}"
            )
        return ActionResult({"addon": found})
