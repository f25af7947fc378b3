# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a pod fits on an offered node; pure functions."""

from __future__ import annotations

import collections
import re
import typing as t
from dataclasses import dataclass

from lab.kubernetes.hyperpod_nodes import TYPE, ZONE

Object = t.Mapping[str, t.Any]
ARCH = "kubernetes.io/arch"
KEYS = (TYPE, ZONE, ARCH)
"""Keys that requirements of a NodePool may use."""
HIDDEN = ("NoSchedule", "NoExecute")


@dataclass(frozen=True)
class Offer:
    """A possible node with its properties."""

    group: str
    labels: t.Mapping[str, str]
    taints: t.Sequence[Object]
    capacity: t.Mapping[str, float]

    @property
    def instance_type(self) -> str:
        return self.labels[TYPE]


def takes(offer: Offer, pod: Object) -> bool:
    """Whether selectors and taints allow the pod, regardless of free resources."""
    spec = pod["spec"]
    if any(offer.labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    required = ((spec.get("affinity") or {}).get("nodeAffinity") or {}).get("requiredDuringSchedulingIgnoredDuringExecution")
    terms = required["nodeSelectorTerms"] if required else ()
    if terms and not any(meets(offer.labels, term.get("matchExpressions") or ()) for term in terms):
        return False
    hiding = [taint for taint in offer.taints if taint["effect"] in HIDDEN]
    return all(any(_tolerates(each, taint) for each in spec.get("tolerations") or ()) for taint in hiding)


def meets(labels: t.Mapping[str, str], requirements: t.Iterable[Object]) -> bool:
    return all(_meets(labels.get(each["key"]), each["operator"], each.get("values") or ()) for each in requirements)


def _meets(value: str | None, operator: str, values: t.Sequence[str]) -> bool:
    if operator in ("Exists", "DoesNotExist"):
        return (value is not None) == (operator == "Exists")
    return (value in values) == (operator == "In")


def _tolerates(toleration: Object, taint: Object) -> bool:
    same = toleration.get("key") in (None, taint["key"]) and toleration.get("effect") in (None, "", taint["effect"])
    return same and (toleration.get("operator") == "Exists" or toleration.get("value", "") == taint.get("value", ""))


def requested(pod: Object) -> collections.Counter[str]:
    """Resources that a pod requests; ``pods`` is 1."""
    found: collections.Counter[str] = collections.Counter({"pods": 1})
    for container in pod["spec"]["containers"]:
        resources = container.get("resources") or {}
        for name, value in {**(resources.get("limits") or {}), **(resources.get("requests") or {})}.items():
            found[name] += quantity(value)
    return found


SUFFIXES = {"m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}


def quantity(text: str | int) -> float:
    """The number of a Kubernetes quantity such as ``500m`` or ``2Ti``."""
    match = re.fullmatch(r"([0-9.]+)([a-zA-Z]*)", str(text))
    return float(match[1]) * SUFFIXES[match[2]]


def within(wanted: t.Mapping[str, float], free: t.Mapping[str, float]) -> bool:
    return all(value <= free.get(name, 0) for name, value in wanted.items())


def seconds(duration: str) -> float | None:
    """Seconds of a duration such as ``1h30m``; None for Never."""
    if duration == "Never":
        return None
    units = {"h": 3600, "m": 60, "s": 1}
    return float(sum(int(number) * units[unit] for number, unit in re.findall(r"(\d+)([hms])", duration)))


def allowed(budgets: t.Sequence[Object], nodes: int, reason: str) -> int:
    """How many nodes of a pool may be in removal, by the strictest of its budgets."""
    applying = [each["nodes"] for each in budgets or ({"nodes": "10%"},) if reason in each.get("reasons", (reason,))]
    counts = [-(-nodes * int(each[:-1]) // 100) if each.endswith("%") else int(each) for each in applying]
    return min([nodes, *counts])
