# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The possible instance types of a pool, sorted by price. No I/O."""

from __future__ import annotations

import typing as t

from ..._kubernetes.nodes.labels import TYPE
from ..model import Inside, NodePool
from ..offers import offers
from ..outside import Outside
from .model import Candidate, Cost


def groups_by_type(pool: NodePool, inside: Inside, outside: Outside) -> dict[str, tuple[str, ...]]:
    """The instance groups of the NodeClass that meet the pool's requirements, keyed by type."""
    found: dict[str, dict[str, None]] = {}
    for offer in offers(pool, inside, outside, {}):
        if offer.group in outside.groups:
            found.setdefault(offer.labels[TYPE], {})[offer.group] = None
    return {instance_type: tuple(groups) for instance_type, groups in found.items()}


def candidates(offered: t.Mapping[str, tuple[str, ...]], costs: t.Mapping[str, Cost]) -> tuple[Candidate, ...]:
    """The instance types, the cheapest first. Types without a known price come last, sorted by name."""
    found = [Candidate(name, groups, costs.get(name, Cost())) for name, groups in offered.items()]
    return tuple(sorted(found, key=_order))


def _order(candidate: Candidate) -> tuple[bool, float, str]:
    price = candidate.cost.price
    return price is None, price or 0.0, candidate.instance_type
