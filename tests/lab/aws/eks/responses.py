# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The operations that moto lacks, and what it forgets of a cluster."""

from __future__ import annotations

import typing as t

from moto.core.responses import ActionResult
from moto.ec2.models import ec2_backends
from moto.eks.exceptions import InvalidParameterException, ResourceInUseException, ResourceNotFoundException
from moto.eks.responses import EKSResponse
from moto.sts.models import sts_backends

from .. import cloud
from .entries import ADMINISTRATOR, WITH_ENTRIES, Entry, principal_of


class Responses(EKSResponse):
    def create_cluster(self) -> ActionResult:
        result = super().create_cluster()
        cluster = self._cluster()
        asked = self._get_param("accessConfig") or {}
        subnet = ec2_backends[self.current_account][self.region].get_subnet(cluster.resources_vpc_config["subnetIds"][0])
        cluster.access_config = {"authenticationMode": asked.get("authenticationMode", "CONFIG_MAP")}
        cluster.resources_vpc_config["vpcId"] = subnet.vpc_id
        cluster.addons, cluster.access_entries = {}, {}
        if asked.get("bootstrapClusterCreatorAdminPermissions", True) and cluster.access_config["authenticationMode"] in WITH_ENTRIES:
            caller = sts_backends[self.current_account]["aws"].get_caller_identity(self.get_access_key(), self.region)[1]
            principal = principal_of(caller)
            policies = {ADMINISTRATOR: {"type": "cluster", "namespaces": []}}
            cluster.access_entries[principal] = Entry(cluster.arn, principal, policies=policies)
        return result

    def describe_cluster(self) -> ActionResult:
        """With the endpoint of the lab's API server, and where there is none, with one at which nobody listens."""
        cluster, kubernetes = self._cluster(), cloud.current().settings["kubernetes"]
        cluster.endpoint = kubernetes.get("endpoint", "https://127.0.0.1:1")
        cluster.certificate_authority = {"data": kubernetes.get("certificate_authority", "")}
        return ActionResult({"cluster": cluster})

    def create_addon(self) -> ActionResult:
        cluster, name = self._get_param("name"), self._get_param("addonName")
        version = self._get_param("addonVersion")
        addon = {"addonName": name, "clusterName": cluster, "addonVersion": version, "status": "ACTIVE"}
        self._cluster().addons[name] = addon
        return ActionResult({"addon": addon})

    def describe_addon(self) -> ActionResult:
        cluster, name = self._get_param("name"), self._get_param("addonName")
        found = self._cluster().addons.get(name)
        if found is None:
            raise ResourceNotFoundException(
                clusterName=cluster, addonName=name, message=f"No addon: {name} found in cluster: {cluster}"
            )
        return ActionResult({"addon": found})

    def create_access_entry(self) -> ActionResult:
        cluster, principal = self._cluster(), self._get_param("principalArn")
        if cluster.access_config["authenticationMode"] not in WITH_ENTRIES:
            raise InvalidParameterException(
                clusterName=cluster.name, message="The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP]"
            )
        if principal in cluster.access_entries:
            raise ResourceInUseException(
                clusterName=cluster.name, message="The specified access entry resource is already in use on this cluster."
            )
        groups, username = self._get_param("kubernetesGroups") or [], self._get_param("username") or ""
        cluster.access_entries[principal] = entry = Entry(cluster.arn, principal, groups, username)
        return ActionResult({"accessEntry": entry.answer()})

    def describe_access_entry(self) -> ActionResult:
        return ActionResult({"accessEntry": self._entry().answer()})

    def list_access_entries(self) -> ActionResult:
        return ActionResult({"accessEntries": list(self._cluster().access_entries)})

    def delete_access_entry(self) -> ActionResult:
        del self._cluster().access_entries[self._entry().principal]
        return ActionResult({})

    def associate_access_policy(self) -> ActionResult:
        entry, policy = self._entry(), self._get_param("policyArn")
        scope = {"namespaces": [], **self._get_param("accessScope")}
        entry.policies[policy.rpartition("/")[2]] = scope
        associated = {"policyArn": policy, "accessScope": scope, "associatedAt": entry.created, "modifiedAt": entry.created}
        found = {"clusterName": entry.cluster, "principalArn": entry.principal, "associatedAccessPolicy": associated}
        return ActionResult(found)

    def _cluster(self) -> t.Any:
        return self.eks_backend.describe_cluster(self._get_param("name"))

    def _entry(self) -> Entry:
        cluster, principal = self._cluster(), self._get_param("principalArn")
        if principal not in cluster.access_entries:
            raise ResourceNotFoundException(
                clusterName=cluster.name, message="The specified principalArn could not be found. You can view your available access entries"
            )
        return cluster.access_entries[principal]
