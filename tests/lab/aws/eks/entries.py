# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Access entries of a cluster: the Kubernetes user and groups of an IAM principal."""

from __future__ import annotations

import dataclasses
import re
import time
import typing as t
import uuid

ADMINISTRATOR = "AmazonEKSClusterAdminPolicy"
WITH_ENTRIES = ("API", "API_AND_CONFIG_MAP")
"""Authentication modes in which entries are used."""
ASSUMED = re.compile(r"(arn:[^:]+):sts::(\d+):assumed-role/([^/]+)/.+")
OF_PEOPLE = "STANDARD"
WITHOUT_POLICIES = ("EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "HYBRID_LINUX", "HYPERPOD_LINUX")
TYPES = (OF_PEOPLE, "EC2", *WITHOUT_POLICIES)


@dataclasses.dataclass
class Entry:
    """``arn`` is the cluster's, ``groups`` are those in Kubernetes, ``policies`` the scopes of access policies by name."""

    arn: str
    principal: str
    groups: list[str] = dataclasses.field(default_factory=list)
    username: str = ""
    policies: dict[str, dict[str, t.Any]] = dataclasses.field(default_factory=dict)
    type: str = OF_PEOPLE
    tags: dict[str, str] = dataclasses.field(default_factory=dict)
    id: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    created: float = dataclasses.field(default_factory=time.time)

    @property
    def cluster(self) -> str:
        return self.arn.rpartition("/")[2]

    @property
    def own_arn(self) -> str:
        _arn, _partition, _iam, _region, account, rest = self.principal.split(":", 5)
        kind, _slash, name = rest.partition("/")
        return f"{self.arn.replace(':cluster/', ':access-entry/')}/{kind}/{account}/{name.rpartition('/')[2]}/{self.id}"

    def answer(self) -> dict[str, t.Any]:
        return {
            "clusterName": self.cluster,
            "principalArn": self.principal,
            "kubernetesGroups": list(self.groups),
            "accessEntryArn": self.own_arn,
            "createdAt": self.created,
            "modifiedAt": self.created,
            "tags": dict(self.tags),
            "username": self.username or _username(self.principal),
            "type": self.type,
        }

    def associated(self, name: str) -> dict[str, t.Any]:
        return {
            "policyArn": f"arn:aws:eks::aws:cluster-access-policy/{name}",
            "accessScope": self.policies[name],
            "associatedAt": self.created,
            "modifiedAt": self.created,
        }

    def user(self, caller: str) -> dict[str, t.Any]:
        """The user in Kubernetes. EKS evaluates policies itself; here each policy for the whole cluster is a group."""
        wide = [name for name, scope in self.policies.items() if scope["type"] == "cluster"]
        name = self.answer()["username"].replace("{{SessionName}}", caller.rpartition("/")[2])
        return {"username": name, "uid": caller, "groups": [*self.groups, *wide]}


def principal_of(caller: str) -> str:
    """The ARN of the entry for a caller: that of a role, not of its session."""
    found = ASSUMED.fullmatch(caller)
    if found:
        return f"{found[1]}:iam::{found[2]}:role/{found[3]}"
    return caller.replace(":sts:", ":iam:")


def _username(principal: str) -> str:
    if ":role/" not in principal:
        return principal
    name = principal.rpartition("/")[2]
    return f"{principal.split(':role/', maxsplit=1)[0].replace(':iam:', ':sts:')}:assumed-role/{name}/{{{{SessionName}}}}"
