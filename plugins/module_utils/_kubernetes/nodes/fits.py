# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether the rules of a Pod allow it to run on a node, regardless of free resources and of volumes. No I/O.

Source: the Kubernetes documentation, "Assigning Pods to Nodes" and "Taints and Tolerations".
"""

from __future__ import annotations

import typing as t

from ..client import Object

REFUSING = ("NoSchedule", "NoExecute")
Labels = t.Mapping[str, str]


def fits(spec: Object, node: Object) -> bool:
    """
    :param spec: the specification of a Pod.
    :param node: the node as the API server returns it.
    """
    metadata = node["metadata"]
    labels = metadata.get("labels") or {}
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    taints = [each for each in (node.get("spec") or {}).get("taints") or () if each.get("effect") in REFUSING]
    return (
        (spec.get("nodeSelector") or {}).items() <= labels.items()
        and (required is None or any(_matches(each, labels, metadata["name"]) for each in required["nodeSelectorTerms"]))
        and all(any(_tolerates(each, taint) for each in spec.get("tolerations") or ()) for taint in taints)
    )


def _matches(term: Object, labels: Labels, name: str) -> bool:
    rules = [(each, labels.get(each["key"])) for each in term.get("matchExpressions") or ()]
    rules += [(each, name) for each in term.get("matchFields") or ()]
    return bool(rules) and all(_holds(rule, value) for rule, value in rules)


def _holds(rule: Object, value: str | None) -> bool:
    """The operators ``Gt`` and ``Lt`` count as fulfilled if the label exists."""
    operator, values = rule["operator"], rule.get("values") or ()
    if operator in ("NotIn", "DoesNotExist"):
        return value is None or (operator == "NotIn" and value not in values)
    return value is not None and (operator != "In" or value in values)


def _tolerates(toleration: Object, taint: Object) -> bool:
    exists = toleration.get("operator") == "Exists"
    same = toleration.get("key") == taint["key"] and (exists or (toleration.get("value") or "") == (taint.get("value") or ""))
    return (same or (exists and not toleration.get("key"))) and toleration.get("effect") in (None, "", taint["effect"])
