# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""An add-on of an EKS cluster: desired state, observed state, and the versions that EKS offers."""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass, field

from ..._aws.statuses import Statuses
from ..._core.text import printable
from .configuration import Unreadable, parsed

Answer = t.Mapping[str, t.Any]
DEFAULT, LATEST = "default", "latest"
ACTIVE, DEGRADED, DELETING = "ACTIVE", "DEGRADED", "DELETING"
ADDON = Statuses(
    "eks",
    "AddonStatus",
    settled=(ACTIVE, DEGRADED),
    busy=("CREATING", "UPDATING", DELETING),
    failed=("CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED"),
)
LACKS_NODES = "InsufficientNumberOfReplicas"
"""The code of the issue if no node can run the Pods of an add-on."""
INSTALLED = "installed"
"""Value of the option ``wait_for``."""
DEGRADED_MINUTES = 10
"""How long a wait accepts an add-on that is DEGRADED with the same issues, as it is for a short time after nodes have joined."""
MOST_RESOURCES = 5
"""The number of resources of an issue in a text."""


@dataclass(frozen=True, order=True)
class Identity:
    """The IAM role of those Pods of the add-on that use a certain service account."""

    service_account: str
    role_arn: str

    def to_result(self) -> dict[str, str]:
        return {"service_account": self.service_account, "role_arn": self.role_arn}


@dataclass(frozen=True)
class Desired:
    """The desired add-on. None leaves the current value unchanged."""

    cluster: str
    name: str
    present: bool = True
    version: str = DEFAULT
    """``DEFAULT``, ``LATEST`` or an exact version."""
    upgrade: bool = False
    configuration: t.Any = None
    role: str | None = None
    """Empty for no role."""
    identities: tuple[Identity, ...] | None = None
    namespace: str | None = None
    resolve_conflicts: str = "NONE"
    preserve: bool = False
    tags: t.Mapping[str, str] | None = None
    purge_tags: bool = True
    wait_for: str = "active"

    @property
    def resource(self) -> str:
        return f"add-on {self.name}"

    @property
    def about(self) -> str:
        return f"{self.resource} of EKS cluster {self.cluster}"

    @property
    def newer_parameters(self) -> list[str]:
        """Parameters of the request that an old botocore may not support."""
        needed = {"podIdentityAssociations": self.identities is not None, "namespaceConfig": self.namespace is not None}
        return [name for name, asked in needed.items() if asked]


@dataclass(frozen=True)
class Issue:
    code: str
    text: str
    resources: tuple[str, ...] = ()
    """IDs of the resources that have the problem."""

    @classmethod
    def from_api(cls, answer: Answer) -> Issue:
        resources = tuple(printable(each) for each in answer.get("resourceIds") or ())
        return cls(answer.get("code", "Unknown"), printable(answer.get("message", "")), resources)

    def __str__(self) -> str:
        shown = f"{self.code}: {self.text}" if self.text else self.code
        more = f" and {len(self.resources) - MOST_RESOURCES} more" if len(self.resources) > MOST_RESOURCES else ""
        return f"{shown} (resources {', '.join(self.resources[:MOST_RESOURCES])}{more})" if self.resources else shown


def configuration_of(text: str) -> t.Any:
    """The values of the settings; the text if it cannot be parsed."""
    try:
        return parsed(text)
    except Unreadable:
        return text


@dataclass(frozen=True)
class Addon:
    arn: str
    version: str
    status: str
    issues: tuple[Issue, ...] = ()
    text: str = ""
    """The text of the settings, as it was passed to EKS."""
    role: str = ""
    identities: tuple[Identity, ...] = ()
    namespace: str = ""
    tags: t.Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_api(cls, answer: Answer, identities: t.Iterable[Identity]) -> Addon:
        issues = (answer.get("health") or {}).get("issues") or ()
        return cls(
            arn=answer["addonArn"],
            version=answer["addonVersion"],
            status=answer["status"],
            issues=tuple(map(Issue.from_api, issues)),
            text=answer.get("configurationValues", ""),
            role=answer.get("serviceAccountRoleArn", ""),
            identities=tuple(sorted(identities)),
            namespace=(answer.get("namespaceConfig") or {}).get("namespace", ""),
            tags=dict(answer.get("tags") or {}),
        )

    @property
    def configuration(self) -> t.Any:
        return configuration_of(self.text)

    @property
    def lacks_nodes(self) -> bool:
        """Whether the add-on is DEGRADED only because no node can run its Pods."""
        return self.status == DEGRADED and all(issue.code == LACKS_NODES for issue in self.issues)

    @property
    def described(self) -> str:
        """The status with the reported issues."""
        return f"{self.status} ({'; '.join(map(str, self.issues))})" if self.issues else self.status


@dataclass(frozen=True)
class Version:
    """``identities`` is EKS's ``requiresIamPermissions``: whether the add-on accepts its own pod identity associations."""

    name: str
    default: bool = False
    identities: bool = False
    needs_configuration: bool = False

    @property
    def number(self) -> tuple[int, ...]:
        return number(self.name)

    def to_result(self) -> dict[str, t.Any]:
        return {
            "version": self.name,
            "default": self.default,
            "requires_configuration": self.needs_configuration,
            "requires_iam_permissions": self.identities,
        }


def number(version: str) -> tuple[int, ...]:
    """The numbers in a version, for example 1, 6, 1, 2 in ``v1.6.1-eksbuild.2``."""
    return tuple(int(part) for part in re.findall(r"\d+", version))


@dataclass(frozen=True)
class Catalogue:
    """The versions that EKS offers for the cluster's version of Kubernetes, the newest first."""

    kubernetes: str
    versions: tuple[Version, ...] = ()
    namespace: str = ""
    """Default namespace of the add-on."""

    @property
    def default(self) -> str | None:
        """EKS's default version, or the newest version if EKS has no default."""
        return next((each.name for each in self.versions if each.default), self.latest)

    @property
    def latest(self) -> str | None:
        return self.versions[0].name if self.versions else None

    def find(self, name: str) -> Version | None:
        return next((each for each in self.versions if each.name == name), None)

    def target(self, desired: Desired, addon: Addon | None) -> str | None:
        """The desired version; None if EKS does not offer it.

        ``DEFAULT`` and ``LATEST`` change an installed add-on only to a newer version, and only if ``upgrade`` is set.
        """
        have = addon.version if addon else None
        if desired.version not in (DEFAULT, LATEST):
            return desired.version if desired.version == have or self.find(desired.version) else None
        offered = self.latest if desired.version == LATEST else self.default
        if have is None:
            return offered
        return offered if desired.upgrade and offered and number(offered) > number(have) else have


@dataclass(frozen=True)
class State:
    addon: Addon | None = None
    catalogue: Catalogue | None = None
    """None if the add-on will be removed."""
    schema: t.Any = None
    """Schema for the settings of the desired version; None if the settings need no check or EKS has no schema."""
