# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Compares the usage of NodePools with their limits. No I/O."""

from __future__ import annotations

import typing as t

from .model import Inside, NodePool

Amounts = t.Mapping[str, float]
NODES = "nodes"
"""The limit that counts nodes."""


def used(pool: NodePool, inside: Inside, capacity: t.Mapping[str, Amounts]) -> dict[str, float]:
    """The usage by the pool's NodeClaims. As in Karpenter, NodeClaims that are being removed count.

    :param capacity: the capacities of instance types, for NodeClaims that do not report a capacity yet.
    """
    own = [claim for claim in inside.claims if claim.pool == pool.meta.name]
    total: dict[str, float] = {NODES: float(len(own))}
    for claim in own:
        for name, value in (claim.capacity or capacity.get(claim.instance_type, {})).items():
            total[name] = total.get(name, 0.0) + value
    return total


def over(pool: NodePool, there: Amounts, more: Amounts) -> list[str]:
    """The limits that one more node would exceed."""
    after = {name: there.get(name, 0.0) + (1.0 if name == NODES else more.get(name, 0.0)) for name in pool.limits}
    return [name for name, limit in pool.limits.items() if after[name] > limit]
