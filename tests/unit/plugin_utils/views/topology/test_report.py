# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the map, for all clusters of the run."""

from __future__ import annotations

import json
import typing as t
from dataclasses import asdict
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.kubernetes import places
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology import report as views
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology.cluster import PLACES
from lab.kubernetes import objects

from ....module_utils._topology.clusters import article

OPTIONS = {
    "topology_json": "topology.json",
    "topology_html": "topology.html",
    "topology_mermaid": "topology-{cluster}.mmd",
    "topology_nodes_needed": 3,
    "topology_instance_type": "",
}


def variables(folder: Path, **more: t.Any) -> dict[str, t.Any]:
    about = {"hyperpod_cluster_arn": "arn", "hyperpod_account_id": "111111111111", "hyperpod_region": "us-west-2"}
    hosts = {"ml": {**about, PLACES: json.loads(json.dumps([asdict(each) for each in article()]))}, "b": {**about, PLACES: None}, "c": about}
    return {
        **OPTIONS,
        "inventory_hostname": "ml",
        "groups": {"hyperpod_clusters": ["ml", "b", "c"]},
        "hostvars": hosts,
        "ansible_play_hosts_all": ["ml", "b"],
        "hyperpod_state_dir": str(folder),
        **more,
    }


def test_each_form_has_a_file_and_each_cluster_a_drawing(tmp_path: Path) -> None:
    found = views.report(variables(tmp_path))
    files = {Path(each["path"]).name: each["content"] for each in found.files}
    assert set(files) == {"topology.json", "topology.html", "topology-ml.mmd"} and {each["mode"] for each in found.files} == {"0600"}
    document = json.loads(files["topology.json"])
    assert set(document["clusters"]) == {"ml", "b"} and files["topology-ml.mmd"] == document["clusters"]["ml"]["mermaid"]
    assert document["clusters"]["ml"]["near"]["nodes"] == ["i-3", "i-4", "i-5"] and "no controller node was reached" in document["clusters"]["b"]["failure"]
    assert [line.partition(":")[0] for line in found.lines] == ["ml", "b", "ml"]


def test_empty_paths_are_not_written(tmp_path: Path) -> None:
    made = variables(tmp_path, topology_html="", topology_mermaid="", topology_json="/elsewhere/map.json")
    assert [each["path"] for each in views.report(made).files] == ["/elsewhere/map.json"]


def test_the_last_run_is_compared(tmp_path: Path) -> None:
    first = views.report(variables(tmp_path))
    (tmp_path / "topology.json").write_text(next(each["content"] for each in first.files if each["path"].endswith("json")))
    made = variables(tmp_path)
    made["hostvars"]["ml"][PLACES].pop()
    assert "ml: i-7 no longer exists; it was below nn-1 > nn-22 > nn-33" in views.report(made).lines
    (tmp_path / "topology.json").write_text("{}")
    assert not [line for line in views.report(made).lines if "gone" in line]


def test_a_thousand_nodes_with_jobs_are_reported(tmp_path: Path) -> None:
    """14 of 16 nodes of leaf 5 are free, and 12 of each other leaf; the last leaf has 8."""
    made = variables(tmp_path, topology_nodes_needed=14)
    pods = [objects.pod(number) for number in range(1000) if objects.job(number)]
    made["hostvars"]["ml"][PLACES] = json.loads(json.dumps([asdict(each) for each in places(map(objects.node, range(1000)), pods)]))
    found = views.report(made)
    cluster = json.loads(found.files[0]["content"])["clusters"]["ml"]
    assert (cluster["counts"], cluster["layers"]) == ({"free": 750, "used": 250, "unhealthy": 0}, [3, 4])
    assert cluster["near"]["nodes"] == [objects.name(number) for number in range(82, 96)] and cluster["moves"]["nodes"] == []
    assert found.lines[0] == (
        "ml: 1000 nodes: 750 free, 250 used, 0 unhealthy. Most free nodes below one network node: 736 of 736 in layer 1, "
        "98 of 736 in layer 2, 14 of 736 in layer 3, 14 of 367 in layer 4. Nodes without topology data: 20."
    )
    nearest = "ml: the nearest free nodes for a job on 14 nodes are below nn-1 > nn-20 > nn-35 > nn-45 (the nearest possible placement): "
    assert found.lines[2].startswith(nearest)


def test_nodes_without_a_known_place_are_a_note_with_the_coverage(tmp_path: Path) -> None:
    rows = [asdict(each) for each in article()]
    bare = [{**each, "layers": []} for each in rows]
    for found, unknown in (([*rows, *bare[:1]], f"1 of {len(rows) + 1}"), (bare, f"{len(rows)} of {len(rows)}")):
        (note,) = views.coverage({PLACES: found})
        assert (note["kind"], note["code"]) == ("note", "topology-unknown") and note["text"].startswith(f"The network location of {unknown} nodes"), note
    assert views.coverage({PLACES: rows}) == views.coverage({PLACES: None}) == views.coverage({PLACES: []}) == []
