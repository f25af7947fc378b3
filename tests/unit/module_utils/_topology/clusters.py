# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters whose nodes are somewhere in the network."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place

ARTICLE = {
    "i-1": ("nn-1", "nn-21", "nn-31"),
    "i-2": ("nn-1", "nn-21", "nn-31"),
    "i-3": ("nn-1", "nn-22", "nn-32"),
    "i-4": ("nn-1", "nn-22", "nn-32"),
    "i-5": ("nn-1", "nn-22", "nn-32"),
    "i-6": ("nn-1", "nn-22", "nn-33"),
    "i-7": ("nn-1", "nn-22", "nn-33"),
}
"""Seven instances below one network node of layer 1, two of layer 2, three of layer 3."""


def place(name: str, *layers: str, **more: t.Any) -> Place:
    return Place(name=name, layers=layers, **more)


def article(**used: tuple[str, ...]) -> list[Place]:
    """``used``: jobs, by the number of the node (i1)."""
    jobs = {name.replace("i", "i-"): each for name, each in used.items()}
    return [
        Place(name, layers, state="used" if name in jobs else "free", jobs=jobs.get(name, ())) for name, layers in ARTICLE.items()
    ]
