# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import placements


def job(name: str, verdict: str, described: str = "", **more: t.Any) -> dict[str, t.Any]:
    placement = {"verdict": verdict, "told": described, "table": [f"table of {name}"]}
    return {"kind": "Job", "namespace": "a", "name": name, "state": "running", "why": "", "problem": "", "placement": placement, **more}


def lines(*jobs: dict[str, t.Any]) -> list[str]:
    seen = {"jobs": list(jobs), "unseen": []}
    return placements.lines(placements.document([placements.Cluster("ml", "arn", "1", "r", seen)], created="now", not_read=[]))


def test_each_job_has_a_row_and_misplaced_jobs_show_their_pods():
    found = lines(job("one", "kept", "in aaa"), job("two", "differs", "elsewhere"), job("new", "", why="no room", state="waiting"))
    assert found[0] == "ml: 3 jobs with a topology request or submitted by this collection, 1 not placed as requested."
    assert [line.split() for line in found[1:5]] == [
        ["JOB", "CLUSTER", "STATE", "PLACEMENT", "WHERE"],
        ["Job", "a/one", "ml", "running", "kept", "in", "aaa"],
        ["Job", "a/two", "ml", "running", "differs", "elsewhere"],
        ["Job", "a/new", "ml", "waiting", "not", "placed", "yet", "no", "room"],
    ]
    assert found[5:] == ["", "ml: Job a/two", "table of two"]


def test_a_problem_is_shown_if_there_is_no_placement():
    assert lines(job("odd", "", problem="two annotations"))[2].endswith("two annotations")


def test_a_cluster_without_jobs_has_no_table():
    assert lines() == ["ml: 0 jobs with a topology request or submitted by this collection, 0 not placed as requested."]
