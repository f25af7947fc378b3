# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A node group of an EKS cluster: desired state and observed state."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass, field

from ..._aws.statuses import Statuses
from ..._core.settings import Values, observed
from .health import Issue
from .table import SETTINGS

Answer = t.Mapping[str, t.Any]
ACTIVE, DEGRADED, DELETING = "ACTIVE", "DEGRADED", "DELETING"
CREATING, CREATE_FAILED = "CREATING", "CREATE_FAILED"
NODEGROUP = Statuses(
    "eks",
    "NodegroupStatus",
    settled=(ACTIVE, DEGRADED),
    busy=(CREATING, "UPDATING", DELETING),
    failed=(CREATE_FAILED, "DELETE_FAILED"),
)
CUSTOM = "CUSTOM"
"""AMI type of a group whose launch template contains an AMI. EKS accepts the value in replies only."""
AMI_TYPES = (
    "AL2023_x86_64_STANDARD",
    "AL2023_x86_64_NVIDIA",
    "AL2023_x86_64_NEURON",
    "AL2023_ARM_64_STANDARD",
    "AL2023_ARM_64_NVIDIA",
    CUSTOM,
)
"""AMI types of new groups."""
OTHER_AMI_TYPES = (
    *("AL2_x86_64", "AL2_x86_64_GPU", "AL2_ARM_64"),
    *("BOTTLEROCKET_ARM_64", "BOTTLEROCKET_x86_64", "BOTTLEROCKET_ARM_64_FIPS", "BOTTLEROCKET_x86_64_FIPS"),
    *("BOTTLEROCKET_ARM_64_NVIDIA", "BOTTLEROCKET_x86_64_NVIDIA"),
    *("BOTTLEROCKET_ARM_64_NVIDIA_FIPS", "BOTTLEROCKET_x86_64_NVIDIA_FIPS"),
    *("WINDOWS_CORE_2019_x86_64", "WINDOWS_FULL_2019_x86_64", "WINDOWS_CORE_2022_x86_64", "WINDOWS_FULL_2022_x86_64"),
    *("WINDOWS_CORE_2025_x86_64", "WINDOWS_FULL_2025_x86_64"),
)
"""AMI types that only existing groups may have."""


@dataclass(frozen=True)
class Desired:
    """The desired node group. Missing settings stay unchanged."""

    cluster: str
    name: str
    present: bool = True
    settings: Values = field(default_factory=dict)
    force_update: bool = False
    tags: t.Mapping[str, str] | None = None
    purge_tags: bool = True

    @property
    def resource(self) -> str:
        return f"node group {self.name}"

    @property
    def about(self) -> str:
        return about(self.cluster, self.name)


@dataclass(frozen=True)
class Nodegroup:
    arn: str
    status: str
    settings: Values = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()
    auto_scaling_groups: tuple[str, ...] = ()
    tags: t.Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_api(cls, answer: Answer) -> Nodegroup:
        resources = answer.get("resources") or {}
        return cls(
            arn=answer["nodegroupArn"],
            status=answer["status"],
            settings=_settings(answer),
            issues=tuple(map(Issue.from_api, (answer.get("health") or {}).get("issues") or ())),
            auto_scaling_groups=tuple(each["name"] for each in resources.get("autoScalingGroups") or ()),
            tags=dict(answer.get("tags") or {}),
        )

    @property
    def template(self) -> Values:
        """The launch template; empty for a group without one."""
        found: Values = self.settings.get("launch_template") or {}
        return found

    @property
    def has_own_ami(self) -> bool:
        """Whether the AMI is in the launch template."""
        return self.settings.get("ami_type") == CUSTOM

    @property
    def described(self) -> str:
        """The status with the desired number of nodes and the reported issues."""
        desired = (self.settings.get("scaling") or {}).get("desired")
        details = [*([] if desired is None else [f"desired {desired}"]), *map(str, self.issues)]
        return f"{self.status} ({'; '.join(details)})" if details else self.status


@dataclass(frozen=True)
class State:
    group: Nodegroup | None = None
    kubernetes: str = ""
    """Kubernetes version of the cluster; empty if the group will be removed."""

    def having(self, **values: t.Any) -> State:
        """A copy in which these values of the group are replaced."""
        return dataclasses.replace(self, group=dataclasses.replace(self.group, **values)) if self.group else self


def about(cluster: str, name: str) -> str:
    return f"node group {name} of EKS cluster {cluster}"


def _settings(answer: Answer) -> dict[str, t.Any]:
    """The settings, with EKS's defaults for those that a reply may omit."""
    found = observed(SETTINGS, answer)
    taints = [{"key": each["key"], "value": each.get("value", ""), "effect": each["effect"]} for each in found.get("taints", ())]
    return {
        **found,
        "labels": found.get("labels", {}),
        "taints": taints,
        "update_config": {"strategy": "DEFAULT", **found.get("update_config", {})},
        "node_repair": {"enabled": False, **found.get("node_repair", {})},
    }
