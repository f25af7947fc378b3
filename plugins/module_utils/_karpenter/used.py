# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What NodePools use of their limits: pure."""

from __future__ import annotations

import typing as t

from .model import Inside, NodePool

Amounts = t.Mapping[str, float]
NODES = "nodes"
"""Name of the limit that counts nodes."""


def used(pool: NodePool, inside: Inside, capacity: t.Mapping[str, Amounts]) -> dict[str, float]:
    """By its NodeClaims, those that leave among them, as Karpenter counts.

    :param capacity: of instance types, for claims that do not know their own yet.
    """
    own = [claim for claim in inside.claims if claim.pool == pool.meta.name]
    total: dict[str, float] = {NODES: float(len(own))}
    for claim in own:
        for name, value in (claim.capacity or capacity.get(claim.instance_type, {})).items():
            total[name] = total.get(name, 0.0) + value
    return total


def over(pool: NodePool, there: Amounts, more: Amounts) -> list[str]:
    """Limits that a node more would exceed."""
    after = {name: there.get(name, 0.0) + (1.0 if name == NODES else more.get(name, 0.0)) for name in pool.limits}
    return [name for name, limit in pool.limits.items() if after[name] > limit]
