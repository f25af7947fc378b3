# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pod identity associations of a cluster: the roles of pods by service account."""

from __future__ import annotations

import dataclasses
import secrets
import time
import typing as t

from moto.eks.exceptions import (
    InvalidParameterException,
    InvalidRequestException,
    ResourceInUseException,
    ResourceNotFoundException,
)

from .operation import Answer, operation, page


@dataclasses.dataclass
class Association:
    """``cluster`` is the ARN of the cluster, ``owner`` that of the add-on that created it."""

    cluster: str
    namespace: str
    account: str
    role: str
    target: str = ""
    untagged: bool = False
    policy: str = ""
    owner: str = ""
    tags: dict[str, str] = dataclasses.field(default_factory=dict)
    id: str = dataclasses.field(default_factory=lambda: f"a-{secrets.token_hex(8)}")
    created: float = dataclasses.field(default_factory=time.time)
    modified: float = dataclasses.field(default_factory=time.time)

    @property
    def arn(self) -> str:
        return f"{self.cluster.replace(':cluster/', ':podidentityassociation/')}/{self.id}"

    def summary(self) -> Answer:
        fields = {
            "clusterName": self.cluster.rpartition("/")[2],
            "namespace": self.namespace,
            "serviceAccount": self.account,
            "associationArn": self.arn,
            "associationId": self.id,
        }
        return {**fields, **({"ownerArn": self.owner} if self.owner else {})}

    def answer(self) -> Answer:
        target = {"targetRoleArn": self.target, "externalId": f"{self.id}-external"} if self.target else {}
        return {
            **self.summary(),
            "roleArn": self.role,
            "tags": dict(self.tags),
            "createdAt": self.created,
            "modifiedAt": self.modified,
            "disableSessionTags": self.untagged,
            **({"policy": self.policy} if self.policy else {}),
            **target,
        }


def of_account(cluster: t.Any, namespace: str, account: str) -> Association | None:
    found = (each for each in cluster.identities.values() if (each.namespace, each.account) == (namespace, account))
    return next(found, None)


def _restricting(cluster: str, policy: str, *, untagged: bool) -> str:
    """API reference of CreatePodIdentityAssociation: "When using this policy, disableSessionTags must be set to true"."""
    if policy and not untagged:
        raise InvalidParameterException(clusterName=cluster, message="A policy needs disableSessionTags to be true")
    return policy


class Identities:
    """The operations."""

    eks_backend: t.Any

    @operation
    def create_pod_identity_association(self, clusterName: str, namespace: str, serviceAccount: str, roleArn: str, **params: t.Any) -> Answer:
        cluster = self.eks_backend.describe_cluster(clusterName)
        if of_account(cluster, namespace, serviceAccount) is not None:
            raise ResourceInUseException(clusterName=clusterName, message="Association already exists")
        made = Association(cluster.arn, namespace, serviceAccount, roleArn, tags=params.get("tags", {}))
        made.target, made.untagged = params.get("targetRoleArn", ""), params.get("disableSessionTags", False)
        made.policy = _restricting(clusterName, params.get("policy", ""), untagged=made.untagged)
        cluster.identities[made.id] = made
        return {"association": made.answer()}

    @operation
    def describe_pod_identity_association(self, clusterName: str, associationId: str) -> Answer:
        return {"association": self._association(clusterName, associationId).answer()}

    @operation
    def list_pod_identity_associations(self, clusterName: str, **params: t.Any) -> Answer:
        wanted = (params.get("namespace"), params.get("serviceAccount"))
        all_of_it = self.eks_backend.describe_cluster(clusterName).identities
        fits = {
            key: each for key, each in all_of_it.items() if wanted[0] in (None, each.namespace) and wanted[1] in (None, each.account)
        }
        shown, more = page(fits, params.get("maxResults", 100), params.get("nextToken", ""))
        return {"associations": [fits[key].summary() for key in shown], **more}

    @operation
    def update_pod_identity_association(self, clusterName: str, associationId: str, **params: t.Any) -> Answer:
        found = self._own(clusterName, associationId)
        untagged = params.get("disableSessionTags", found.untagged)
        found.policy = _restricting(clusterName, params.get("policy", found.policy), untagged=untagged)
        found.role, found.target = params.get("roleArn", found.role), params.get("targetRoleArn", found.target)
        found.untagged, found.modified = untagged, time.time()
        return {"association": found.answer()}

    @operation
    def delete_pod_identity_association(self, clusterName: str, associationId: str) -> Answer:
        found = self._own(clusterName, associationId)
        del self.eks_backend.describe_cluster(clusterName).identities[associationId]
        return {"association": found.answer()}

    def _association(self, cluster: str, key: str) -> Association:
        found = self.eks_backend.describe_cluster(cluster).identities.get(key)
        if found is None:
            raise ResourceNotFoundException(clusterName=cluster, message=f"Association {key} not found")
        return t.cast(Association, found)

    def _own(self, cluster: str, key: str) -> Association:
        """The association, unless an add-on owns it."""
        found = self._association(cluster, key)
        if found.owner:
            raise InvalidRequestException(clusterName=cluster, message=f"The association is owned by {found.owner}")
        return found
