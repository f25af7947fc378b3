# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The desired and the observed access entry."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

Answer = t.Mapping[str, t.Any]
STANDARD = "STANDARD"
OF_NODES = ("EC2_LINUX", "EC2_WINDOWS", "FARGATE_LINUX", "HYBRID_LINUX", "HYPERPOD_LINUX")
"""Types of entries for nodes. These entries support no groups, no username and no access policies."""
TYPES = (STANDARD, "EC2", *OF_NODES)
SERVICE_LINKED = ":role/aws-service-role/"
BY_CONFIG_MAP = "CONFIG_MAP"


@dataclass(frozen=True, order=True)
class Policy:
    """An access policy. With empty ``namespaces``, it applies to the whole cluster."""

    arn: str
    namespaces: tuple[str, ...] = ()

    def to_result(self) -> dict[str, t.Any]:
        return {"policy": self.arn, "namespaces": list(self.namespaces)}

    @property
    def scope(self) -> dict[str, t.Any]:
        """The scope in the form of the API."""
        return {"type": "namespace", "namespaces": list(self.namespaces)} if self.namespaces else {"type": "cluster"}


@dataclass(frozen=True)
class Desired:
    """The desired entry. None leaves the current value unchanged."""

    cluster: str
    principal: str
    present: bool = True
    type: str | None = None
    groups: tuple[str, ...] | None = None
    username: str | None = None
    policies: tuple[Policy, ...] | None = None
    purge_policies: bool = True
    tags: t.Mapping[str, str] | None = None
    purge_tags: bool = True

    @property
    def resource(self) -> str:
        return f"access entry {self.principal}"

    @property
    def about(self) -> str:
        return f"{self.resource} of EKS cluster {self.cluster}"


@dataclass(frozen=True)
class Entry:
    arn: str
    principal: str
    type: str = STANDARD
    groups: tuple[str, ...] = ()
    username: str = ""
    policies: tuple[Policy, ...] = ()
    tags: t.Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_api(cls, answer: Answer, associated: t.Iterable[Answer]) -> Entry:
        return cls(
            arn=answer["accessEntryArn"],
            principal=answer["principalArn"],
            type=answer.get("type", STANDARD),
            groups=tuple(sorted(answer.get("kubernetesGroups") or ())),
            username=answer.get("username", ""),
            policies=tuple(sorted(_policy(each) for each in associated)),
            tags=dict(answer.get("tags") or {}),
        )

    @property
    def of_a_service(self) -> bool:
        """Whether AWS creates such entries itself, for nodes or for the role of a service."""
        return self.type != STANDARD or SERVICE_LINKED in self.principal


@dataclass(frozen=True)
class State:
    """The observed entry. ``mode`` is the authentication mode of the cluster if the entry must be created."""

    entry: Entry | None = None
    mode: str = ""


def _policy(answer: Answer) -> Policy:
    scope = answer.get("accessScope") or {}
    return Policy(answer["policyArn"], tuple(sorted(scope.get("namespaces") or ())))
