# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The network nodes above a node, from its labels."""

from __future__ import annotations

import itertools
import typing as t

from ..._core.text import printable

LAYER = "topology.k8s.aws/network-node-layer-"
LONGEST = 253


def layers_of(labels: t.Mapping[str, t.Any]) -> tuple[str, ...]:
    """The network nodes from layer 1 up to the first missing layer."""
    layers = (printable(labels.get(f"{LAYER}{number}") or "")[:LONGEST] for number in itertools.count(1))
    return tuple(itertools.takewhile(bool, layers))
