# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The nodes on which a PersistentVolume can be used, from its node affinity. No I/O.

Source: the Kubernetes reference of NodeSelectorTerm. Volumes of EBS and local volumes have a node affinity.
"""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._kubernetes.client import Object

LONGEST = 200
"""The maximum length of the description of an affinity, in characters."""
Labels = t.Mapping[str, str]


def unusable_on(volume: Object, nodes: t.Mapping[str, Labels]) -> list[str]:
    """The names of the nodes on which the volume cannot be used.

    :param nodes: the labels of the nodes, keyed by name.
    """
    terms = _terms(volume)
    return [name for name, labels in nodes.items() if terms and not any(_matches(each, name, labels) for each in terms)]


def described(volume: Object) -> str:
    """The node affinity as a text, such as ``topology.kubernetes.io/zone In us-west-2a``."""
    terms = (" and ".join(_text(each) for each in _requirements(term)) for term in _terms(volume))
    return printable(" or ".join(terms))[:LONGEST]


def _terms(volume: Object) -> list[Object]:
    affinity = (volume.get("spec") or {}).get("nodeAffinity") or {}
    return list((affinity.get("required") or {}).get("nodeSelectorTerms") or ())


def _requirements(term: Object) -> list[Object]:
    return [*(term.get("matchExpressions") or ()), *(term.get("matchFields") or ())]


def _matches(term: Object, name: str, labels: Labels) -> bool:
    """Whether a node matches a term. A term without requirements matches no node."""
    fields = {"metadata.name": name}
    found = [_meets(each, labels) for each in term.get("matchExpressions") or ()]
    found += [_meets(each, fields) for each in term.get("matchFields") or ()]
    return bool(found) and all(found)


def _meets(requirement: Object, labels: Labels) -> bool:
    value, values = labels.get(requirement["key"]), requirement.get("values") or []
    operator = requirement["operator"]
    if operator == "In":
        return value in values
    if operator == "NotIn":
        return value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    return _compared(operator, value, values)


def _compared(operator: str, value: str | None, values: t.Sequence[str]) -> bool:
    """Whether the value is greater (``Gt``) or less (``Lt``). True for an unknown operator, because the scheduler then decides."""
    if operator not in ("Gt", "Lt"):
        return True
    try:
        one, other = int(value or ""), int(values[0])
    except (ValueError, IndexError):
        return False
    return one > other if operator == "Gt" else one < other


def _text(requirement: Object) -> str:
    values = ", ".join(map(str, requirement.get("values") or ()))
    return " ".join(filter(None, [str(requirement["key"]), str(requirement["operator"]), values]))
