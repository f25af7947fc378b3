# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job import report
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.topology_job.findings import SEEN

from .test_findings import job


def host(key: str, seen: t.Any = None) -> dict[str, t.Any]:
    own = {"hyperpod_cluster_group": f"cluster_{key}", **({} if seen is None else {SEEN: seen})}
    return {"hyperpod_cluster_arn": f"arn:{key}", "hyperpod_account_id": "1", "hyperpod_region": "us-west-2", **own}


def variables(path: str = "placement.json") -> dict[str, t.Any]:
    return {
        "hostvars": {"a": host("a", {"jobs": [job("kept"), job("left", name="wrong")], "unseen": []}), "b": host("b"), "s": host("s")},
        "groups": {"hyperpod_clusters": ["a", "b", "s", "t"], "orchestrator_eks": ["a", "b"], "cluster_s": ["s"]},
        "ansible_play_hosts_all": ["a", "b", "s"],
        "hyperpod_state_dir": "/state",
        "topology_job_json": path,
        "hyperpod_inventory_failures": ["profile p: no"],
    }


def test_failed_clusters_are_reported():
    found = report.report(variables())
    (file,) = found.files
    document = json.loads(file["content"])
    assert (file["path"], file["mode"], list(document["clusters"])) == ("/state/placement.json", "0600", ["a", "b", "s"])
    assert [bool(document["clusters"][key]["failure"]) for key in "abs"] == [False, True, True]
    assert [each["placement"]["wrong"] for each in document["clusters"]["a"]["jobs"]] == [False, True]
    assert document["inventory_failures"] == ["profile p: no"]
    assert "a: 2 jobs with a topology request or submitted by this collection, 1 not placed as requested." in found.lines
    assert found.lines[-3:] == ["a: Job hyperpod-ns-a/wrong", "pods", "main"]


@pytest.mark.parametrize(("path", "paths"), [("", []), ("/tmp/a.json", ["/tmp/a.json"])])
def test_the_path_of_the_file_is_resolved(path, paths):
    assert [each["path"] for each in report.report(variables(path)).files] == paths
