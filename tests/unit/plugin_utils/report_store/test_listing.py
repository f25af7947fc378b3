# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The newest reports of each cluster and verb, by ranges of keys."""

from __future__ import annotations

import collections
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store import listing as of_listing
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.documents import Document, cluster_of, part_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.listing import DEPTH, Listing, listing
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import NotListed, source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.store import store

CLUSTERS = ["a-b", "a", "b/../c", "Größe", "..", "<script>", *(f"n{number}" for number in range(30))]


def name(number: int) -> str:
    return f"20261129T{number:06d}Z-0123456789abcdef"


def stored(folder: Path, clusters: t.Iterable[str], runs: int = 2) -> None:
    keys = [f"v1/clusters/{part_of(key)}/verify/{name(number)}.json" for key in clusters for number in range(runs)]
    store(Folder(str(folder)), [Document(key, "{}") for key in keys])


def listed(folder: Path, *without: str, late: t.Callable[[], bool] = lambda: False) -> Listing:
    return listing(source(Folder(str(folder))), late=late, without=without)


@pytest.mark.parametrize("without", [(), ("none",)], ids=["ranges", "by cluster"])
def test_each_cluster_is_found_once(tmp_path: Path, without: tuple[str, ...]) -> None:
    stored(tmp_path, CLUSTERS)
    found = listed(tmp_path, *without)
    assert found.clusters == {*CLUSTERS} and set(found.pairs) == {(key, "verify") for key in CLUSTERS}
    assert {each.count for each in found.pairs.values()} == {2} and not found.foreign and not found.not_listed


def test_only_the_newest_are_kept_and_all_are_counted(tmp_path: Path) -> None:
    stored(tmp_path, ["ml"], DEPTH + 5)
    (found,) = listed(tmp_path).pairs.values()
    assert (list(found.newest), found.count) == ([name(number) for number in range(5, DEPTH + 5)], DEPTH + 5)


def test_reports_of_other_clusters_are_not_listed(tmp_path: Path) -> None:
    stored(tmp_path, ["ml", "other"])
    found = listed(tmp_path, "other")
    assert set(found.pairs) == {("ml", "verify")} and found.clusters == {"ml", "other"}


FOREIGN = (
    *("%2f/verify/x.json", "ml/x.json", "ml/verify/x.json", f"ml/verify/sub/{name(1)}.json"),
    *(f"ml/ver ify/{name(1)}.json", "ml/verify/20261129T000000Z-x.json"),
)


@pytest.mark.parametrize("key", FOREIGN)
def test_a_key_that_no_run_writes_is_named(tmp_path: Path, key: str) -> None:
    stored(tmp_path, ["ml"])
    store(Folder(str(tmp_path)), [Document(f"v1/clusters/{key}", "{}")])
    found = listed(tmp_path)
    assert set(found.pairs) == {("ml", "verify")} and found.foreign_count == 1
    assert found.foreign == [f"v1/clusters/{key}" if not key.startswith("%") else "v1/clusters/%2f/"]


def test_nothing_is_known_about_clusters_that_could_not_be_listed_completely(tmp_path: Path) -> None:
    """The newest key is the last one."""
    stored(tmp_path, ["a", "b"])
    real = source(Folder(str(tmp_path)))

    class Broken:
        calls: t.ClassVar = collections.Counter()
        folders, content = real.folders, real.content

        def keys(self, prefix: str, after: str, before: str) -> t.Iterator[str]:
            yield from list(real.keys(prefix, after, before))[:1]
            if prefix.endswith("/a/"):
                raise NotListed("access was denied")

    found = listing(Broken(), late=lambda: False)
    assert set(found.pairs) == {("b", "verify")} and found.not_listed == {"a": "access was denied"}


def test_a_late_listing_is_not_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored(tmp_path, ["a"])
    assert listed(tmp_path, late=lambda: True).not_listed == {"a": "the time was over"}
    moments = iter([False, True])
    monkeypatch.setattr(of_listing, "_CHECK_EVERY", 1)
    assert listed(tmp_path, late=lambda: next(moments)).not_listed == {"a": "the time was over"}


@pytest.mark.parametrize("part", ["", "%", "%41", "%2f", "%ff", "a%2Fb/", ".", "a b"])
def test_a_part_of_a_key_that_no_run_writes_is_no_cluster(part: str) -> None:
    assert cluster_of(part) is None
