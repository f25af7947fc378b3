# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Operations on access entries and their policies."""

from __future__ import annotations

import typing as t

from moto.eks.exceptions import (
    InvalidParameterException,
    InvalidRequestException,
    ResourceInUseException,
    ResourceNotFoundException,
)

from .entries import OF_PEOPLE, TYPES, WITH_ENTRIES, WITHOUT_POLICIES, Entry
from .operation import Answer, operation, page

POLICIES = (
    *("AmazonEKSAdminPolicy", "AmazonEKSAdminViewPolicy", "AmazonEKSClusterAdminPolicy", "AmazonEKSEditPolicy", "AmazonEKSViewPolicy"),
    *("AmazonEKSAutoNodePolicy", "AmazonSagemakerHyperpodClusterPolicy", "AmazonSagemakerHyperpodSystemNamespacePolicy"),
)
RESERVED = ("system:", "eks:", "aws:", "amazon:", "iam:")
"""Forbidden prefixes of groups and user names (User Guide, creating-access-entries)."""


class AccessEntries:
    """The operations."""

    eks_backend: t.Any

    @operation
    def create_access_entry(self, clusterName: str, principalArn: str, **params: t.Any) -> Answer:
        cluster = self.eks_backend.describe_cluster(clusterName)
        if cluster.access_config["authenticationMode"] not in WITH_ENTRIES:
            raise InvalidRequestException(
                clusterName=clusterName, message="The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP]"
            )
        if principalArn in cluster.access_entries:
            raise ResourceInUseException(
                clusterName=clusterName, message="The specified access entry resource is already in use on this cluster."
            )
        kind, groups, username = params.get("type", OF_PEOPLE), params.get("kubernetesGroups", []), params.get("username", "")
        if kind not in TYPES:
            raise InvalidParameterException(clusterName=clusterName, message=f"The specified type {kind} is not supported")
        _check(clusterName, kind, groups, username)
        made = Entry(cluster.arn, principalArn, groups, username, type=kind, tags=params.get("tags", {}))
        cluster.access_entries[principalArn] = made
        return {"accessEntry": made.answer()}

    @operation
    def describe_access_entry(self, clusterName: str, principalArn: str) -> Answer:
        return {"accessEntry": self._entry(clusterName, principalArn).answer()}

    @operation
    def list_access_entries(self, clusterName: str, **params: t.Any) -> Answer:
        policy = params.get("associatedPolicyArn", "").rpartition("/")[2]
        entries = self.eks_backend.describe_cluster(clusterName).access_entries
        fits = [principal for principal, entry in entries.items() if not policy or policy in entry.policies]
        shown, more = page(fits, params.get("maxResults", 100), params.get("nextToken", ""))
        return {"accessEntries": shown, **more}

    @operation
    def update_access_entry(self, clusterName: str, principalArn: str, **params: t.Any) -> Answer:
        entry = self._entry(clusterName, principalArn)
        groups, username = params.get("kubernetesGroups", entry.groups), params.get("username", entry.username)
        _check(clusterName, entry.type, groups, username)
        entry.groups, entry.username = groups, username
        return {"accessEntry": entry.answer()}

    @operation
    def delete_access_entry(self, clusterName: str, principalArn: str) -> None:
        entry = self._entry(clusterName, principalArn)
        del self.eks_backend.describe_cluster(clusterName).access_entries[entry.principal]

    @operation
    def list_access_policies(self, maxResults: int = 100, nextToken: str = "") -> Answer:
        shown, more = page(POLICIES, maxResults, nextToken)
        return {"accessPolicies": [{"name": name, "arn": f"arn:aws:eks::aws:cluster-access-policy/{name}"} for name in shown], **more}

    @operation
    def associate_access_policy(self, clusterName: str, principalArn: str, policyArn: str, accessScope: Answer) -> Answer:
        entry, name = self._entry(clusterName, principalArn), policyArn.rpartition("/")[2]
        if entry.type in WITHOUT_POLICIES:
            raise InvalidRequestException(clusterName=clusterName, message=f"Access policies can't be associated with type {entry.type}")
        if name not in POLICIES:
            raise ResourceNotFoundException(clusterName=clusterName, message="The policyArn in the request was not found")
        if (accessScope.get("type") == "namespace") is not bool(accessScope.get("namespaces")):
            raise InvalidParameterException(clusterName=clusterName, message="A scope of namespaces names them, and no other does")
        entry.policies[name] = {"namespaces": [], **accessScope}
        return {"clusterName": clusterName, "principalArn": principalArn, "associatedAccessPolicy": entry.associated(name)}

    @operation
    def disassociate_access_policy(self, clusterName: str, principalArn: str, policyArn: str) -> None:
        entry, name = self._entry(clusterName, principalArn), policyArn.rpartition("/")[2]
        if entry.policies.pop(name, None) is None:
            raise ResourceNotFoundException(clusterName=clusterName, message="The specified associated access policy could not be found")

    @operation
    def list_associated_access_policies(self, clusterName: str, principalArn: str, **params: t.Any) -> Answer:
        entry = self._entry(clusterName, principalArn)
        shown, more = page(entry.policies, params.get("maxResults", 100), params.get("nextToken", ""))
        found = [entry.associated(name) for name in shown]
        return {"clusterName": clusterName, "principalArn": principalArn, "associatedAccessPolicies": found, **more}

    def _entry(self, cluster: str, principal: str) -> Entry:
        entries = self.eks_backend.describe_cluster(cluster).access_entries
        if principal not in entries:
            raise ResourceNotFoundException(
                clusterName=cluster, message="The specified principalArn could not be found. You can view your available access entries"
            )
        return t.cast(Entry, entries[principal])


def _check(cluster: str, kind: str, groups: t.Sequence[str], username: str) -> None:
    if kind in WITHOUT_POLICIES and (groups or username):
        raise InvalidParameterException(clusterName=cluster, message=f"Type {kind} takes neither kubernetesGroups nor username")
    wrong = [each for each in (*groups, username) if each.startswith(RESERVED)]
    if wrong:
        raise InvalidParameterException(clusterName=cluster, message=f"The name {wrong[0]} begins with a reserved prefix")
