# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Versions of Kubernetes that the simulated EKS offers, and the checks of a cluster before an upgrade."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from .. import cloud
from .operation import Answer, operation, page

STANDARD, EXTENDED, UNSUPPORTED = "STANDARD_SUPPORT", "EXTENDED_SUPPORT", "UNSUPPORTED"
READINESS = "UPGRADE_READINESS"


@dataclasses.dataclass(frozen=True)
class Kubernetes:
    version: str
    status: str
    standard_ends: str
    extended_ends: str
    default: bool = False

    @property
    def minor(self) -> int:
        return int(self.version.partition(".")[2])

    def answer(self) -> Answer:
        return {
            "clusterVersion": self.version,
            "clusterType": "eks",
            "defaultPlatformVersion": "eks.5",
            "defaultVersion": self.default,
            "endOfStandardSupportDate": _time(self.standard_ends),
            "endOfExtendedSupportDate": _time(self.extended_ends),
            "status": self.status.lower().replace("_", "-"),
            "versionStatus": self.status,
            "kubernetesPatchVersion": f"{self.version}.3",
        }


def _time(day: str) -> float:
    return datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.timezone.utc).timestamp()


VERSIONS = (
    Kubernetes("1.36", STANDARD, "2027-08-02", "2028-08-02"),
    Kubernetes("1.35", STANDARD, "2027-03-27", "2028-03-27", default=True),
    Kubernetes("1.34", STANDARD, "2026-12-02", "2027-12-02"),
    Kubernetes("1.33", EXTENDED, "2026-07-29", "2027-07-29"),
    Kubernetes("1.32", EXTENDED, "2026-03-23", "2027-03-23"),
    Kubernetes("1.31", UNSUPPORTED, "2025-11-26", "2026-11-26"),
    Kubernetes("1.30", UNSUPPORTED, "2025-07-23", "2026-07-23"),
    Kubernetes("1.29", UNSUPPORTED, "2025-03-23", "2026-03-23"),
)
"""The newest first."""
DEFAULT = next(each.version for each in VERSIONS if each.default)


def named(version: str) -> Kubernetes | None:
    return next((each for each in VERSIONS if each.version == version), None)


def accepted(version: str) -> bool:
    """Whether a cluster can be created. Tests that need no add-ons name a version before all of ``VERSIONS``."""
    major, _dot, minor = version.partition(".")
    return named(version) is not None or (major == "1" and minor.isdigit() and int(minor) < VERSIONS[-1].minor)


def insights(cluster: str, version: str) -> list[Answer]:
    """The insights of setting ``eks_insights``, or one that has passed; ``version`` is the cluster's next one."""
    passed = {"name": f"Deprecated APIs removed in Kubernetes v{version}", "status": "PASSING"}
    given: list[Answer] = cloud.current().settings["eks_insights"].get(cluster, [passed])
    return [
        {
            "id": f"00000000-0000-4000-8000-{number:012}",
            "name": each["name"],
            "category": each.get("category", READINESS),
            "kubernetesVersion": each.get("kubernetesVersion", version),
            "insightStatus": {"status": each["status"], "reason": each.get("reason", "No further reason.")},
        }
        for number, each in enumerate(given)
    ]


class Versions:
    """The operations."""

    eks_backend: t.Any

    @operation
    def describe_cluster_versions(self, **params: t.Any) -> Answer:
        """Versions out of support only with ``includeAll``, or if they are requested."""
        names, status = params.get("clusterVersions") or [], params.get("versionStatus")
        found = {
            each.version: each
            for each in VERSIONS
            if (params.get("includeAll") or each.status != UNSUPPORTED or each.version in names or status)
            and (not names or each.version in names)
            and status in (None, each.status)
            and (each.default or not params.get("defaultOnly"))
        }
        shown, more = page(found, params.get("maxResults", 100), params.get("nextToken", ""))
        return {"clusterVersions": [found[name].answer() for name in shown], **more}

    @operation
    def list_insights(self, clusterName: str, **params: t.Any) -> Answer:
        cluster = self.eks_backend.describe_cluster(clusterName)
        wanted = params.get("filter", {})
        found = {each["id"]: each for each in insights(clusterName, cluster.next_version) if _fits(each, wanted)}
        shown, more = page(found, params.get("maxResults", 100), params.get("nextToken", ""))
        return {"insights": [found[name] for name in shown], **more}


def _fits(insight: Answer, wanted: Answer) -> bool:
    pairs = (
        (insight["category"], wanted.get("categories")),
        (insight["kubernetesVersion"], wanted.get("kubernetesVersions")),
        (insight["insightStatus"]["status"], wanted.get("statuses")),
    )
    return all(value in allowed for value, allowed in pairs if allowed)
