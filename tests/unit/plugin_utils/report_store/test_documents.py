# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents that a run adds to the report store."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.documents import documents, key_of_run, verb

ID = "0123456789abcdef"


def report(**given: t.Any) -> dict[str, t.Any]:
    clusters = {"ml": {"status": "changed", "findings": [{"code": "a"}]}, "other": {"status": "failed", "findings": []}}
    common = {"schema": 3, "status": "failed", "started": "2026-11-22T08:00:00Z", "playbook": "reconcile", "clusters": clusters}
    return {**common, **given}


def test_each_cluster_has_a_document_and_the_run_the_last_one() -> None:
    found = documents(report(), ID, {})
    name = f"20261122T080000Z-{ID}.json"
    keys = [f"v1/clusters/ml/reconcile/{name}", f"v1/clusters/other/reconcile/{name}", f"v1/runs/{name}"]
    assert [each.key for each in found] == keys and key_of_run(report(), ID) == keys[-1]
    one, _other, run = (json.loads(each.text) for each in found)
    common = {"schema": 3, "started": "2026-11-22T08:00:00Z", "playbook": "reconcile", "run_id": ID}
    assert one == {**common, "cluster": "ml", "status": "changed", "findings": [{"code": "a"}]}
    brief = {"ml": {"status": "changed", "document": keys[0]}, "other": {"status": "failed", "document": keys[1]}}
    assert run == {**common, "status": "failed", "clusters": brief, "files": []}


def test_the_files_of_the_run_come_before_its_document() -> None:
    paths = ("/a/accelerators.html", "/b/accelerators.html", "/c/..", "/d/x y\n.json")
    *files, run = documents(report(clusters={}), ID, {path: path for path in paths})
    folder = f"v1/runs/20261122T080000Z-{ID}"
    names = [f"{folder}/{name}" for name in ("accelerators.html", "2-accelerators.html", "file", "x-y-.json")]
    assert [(each.key, each.text) for each in files] == list(zip(names, paths, strict=True))
    assert json.loads(run.text)["files"] == names
    assert [each.media_type for each in files] == ["text/html", "text/html", "text/plain", "application/json"]


def test_a_run_without_clusters_has_a_document() -> None:
    (run,) = documents(report(clusters={}, refused=["no cluster"]), ID, {})
    assert json.loads(run.text)["refused"] == ["no cluster"]


@pytest.mark.parametrize(
    ("cluster", "part"),
    [("ml_us-west-2", "ml_us-west-2"), ("../x", "..%2Fx"), ("..", "%2E%2E"), (".", "%2E"), ("a b/\u00e9", "a%20b%2F%C3%A9"), ("a\nb", "a%0Ab")],
)
def test_no_cluster_chooses_the_place_of_its_document(cluster: str, part: str) -> None:
    first, _run = documents(report(clusters={cluster: {"status": "failed"}}), ID, {})
    assert first.key == f"v1/clusters/{part}/reconcile/20261122T080000Z-{ID}.json"
    assert json.loads(first.text)["cluster"] == cluster


@pytest.mark.parametrize(
    ("playbook", "expected"),
    [("reconcile", "reconcile"), ("site, drift", "site-drift"), ("../../x", "x"), ("", "unknown"), ("..", "unknown"), ("a" * 200, "a" * 100)],
)
def test_the_verb_is_the_playbook(playbook: str, expected: str) -> None:
    assert verb(report(playbook=playbook)) == expected
