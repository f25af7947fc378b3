# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts the clusters that were read and those that filters excluded. The counts explain why a run finds no cluster."""

from __future__ import annotations

import collections
import threading
import typing as t


class Reading:
    """The numbers of clusters of each account and Region. Several threads may count at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: dict[str, t.Counter[str]] = {}
        """The numbers of clusters, keyed by the filter that excluded them. The key of included clusters is an empty string."""

    def place(self, where: str) -> None:
        with self._lock:
            self._places.setdefault(where, collections.Counter())

    def taken(self, where: str) -> None:
        self.left_out(where, "")

    def left_out(self, where: str, by: str) -> None:
        with self._lock:
            self._places.setdefault(where, collections.Counter())[by] += 1

    def nothing_of(self, places: t.Collection[str]) -> tuple[str, ...]:
        """The sentences about ``places``; empty if a cluster was included."""
        read = {where: clusters for where, clusters in sorted(self._places.items()) if where in places}
        if any(clusters[""] for clusters in read.values()):
            return ()
        return tuple(f"{where}: {_counted(clusters)}" for where, clusters in read.items())

    def sentences(self) -> tuple[str, ...]:
        return tuple(f"{where}: {_counted(clusters)}" for where, clusters in sorted(self._places.items()))


def _counted(clusters: t.Mapping[str, int]) -> str:
    total = sum(clusters.values())
    left_out = [f"{count} excluded by {by}" for by, count in sorted(clusters.items()) if by]
    return "; ".join([f"{total} cluster{'' if total == 1 else 's'} found", *left_out])
