# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Pods of people, and the resources of AWS that stay after the cluster is removed."""

from __future__ import annotations

import dataclasses
import typing as t
from dataclasses import dataclass

from ..._core.text import printable
from ..client import Object

GROUP = "eks.amazonaws.com/nodegroup"
"""The label of a node with the name of its node group."""
SYSTEM = "kube-system"
OVER = ("Succeeded", "Failed")
PROVISIONED_BY = "pv.kubernetes.io/provisioned-by"
"""The annotation of a volume that a driver created for a claim."""


@dataclass(frozen=True)
class Pod:
    """A Pod that has not ended. Pods of DaemonSets and static Pods are none, because they belong to their nodes."""

    namespace: str
    name: str
    node: str = ""
    node_group: str = ""
    owner: str = ""
    """Kind and name of the controller, such as ``Job train``."""
    claims: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        return f"{self.namespace}/{self.name}"

    def to_result(self) -> dict[str, t.Any]:
        return {**dataclasses.asdict(self), "claims": list(self.claims)}


@dataclass(frozen=True)
class Volume:
    """A PersistentVolume. ``dynamic`` if a driver created it, so that the cluster's removal leaves it in the account."""

    name: str
    driver: str
    handle: str
    claim: str
    dynamic: bool

    @classmethod
    def from_api(cls, item: Object) -> Volume:
        spec, claim = item["spec"], item["spec"].get("claimRef") or {}
        csi = spec.get("csi") or {}
        return cls(
            name=printable(item["metadata"]["name"]),
            driver=printable(csi.get("driver") or ""),
            handle=printable(csi.get("volumeHandle") or ""),
            claim=printable(f"{claim['namespace']}/{claim['name']}") if claim else "",
            dynamic=PROVISIONED_BY in (item["metadata"].get("annotations") or {}),
        )


def pods_of(items: t.Iterable[Object], groups: t.Mapping[str, str]) -> list[Pod]:
    """:param groups: node groups by the name of the node."""
    return [_pod(item, groups) for item in items if _counts(item)]


def _counts(item: Object) -> bool:
    owners = [each["kind"] for each in item["metadata"].get("ownerReferences") or () if each.get("controller")]
    over = (item.get("status") or {}).get("phase") in OVER
    return not over and not {"DaemonSet", "Node"} & set(owners)


def _pod(item: Object, groups: t.Mapping[str, str]) -> Pod:
    meta, spec = item["metadata"], item["spec"]
    owner = next((each for each in meta.get("ownerReferences") or () if each.get("controller")), None)
    used = [each["persistentVolumeClaim"]["claimName"] for each in spec.get("volumes") or () if "persistentVolumeClaim" in each]
    node = spec.get("nodeName") or ""
    return Pod(
        namespace=printable(meta["namespace"]),
        name=printable(meta["name"]),
        node=printable(node),
        node_group=groups.get(node, ""),
        owner=printable(f"{owner['kind']} {owner['name']}") if owner else "",
        claims=tuple(printable(f"{meta['namespace']}/{each}") for each in used),
    )
