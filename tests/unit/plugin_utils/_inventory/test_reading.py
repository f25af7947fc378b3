# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The message for a run that finds no cluster."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.reading import Reading


def test_clusters_are_counted_by_place_and_filter() -> None:
    seen = Reading()
    seen.place("empty")
    seen.left_out("a", "tags")
    seen.left_out("a", "tags")
    seen.left_out("a", "names")
    seen.taken("b")
    assert seen.sentences() == (
        "a: 3 clusters found; 1 excluded by names; 2 excluded by tags",
        "b: 1 cluster found",
        "empty: 0 clusters found",
    )


def test_places_are_reported_only_if_none_has_a_cluster() -> None:
    seen = Reading()
    seen.left_out("a", "tags")
    seen.taken("b")
    seen.place("c")
    assert seen.nothing_of(["a", "b"]) == seen.nothing_of(["b"]) == seen.nothing_of([]) == ()
    assert seen.nothing_of(["c", "a"]) == ("a: 1 cluster found; 1 excluded by tags", "c: 0 clusters found")
