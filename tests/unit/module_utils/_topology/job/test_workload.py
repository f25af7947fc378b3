# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import Assigned, Condition
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.workload import of_job, read

LEVELS = ["layer-1", "layer-2"]
HOST = ["kubernetes.io/hostname"]


def workload(topology: object, **more: object) -> dict:
    assignment = {"name": "main", "count": 3, "flavors": {"cpu": "gpus", "nvidia.com/gpu": "gpus"}, "topologyAssignment": topology}
    return {"metadata": {"name": "job-a"}, "status": {"admission": {"podSetAssignments": [assignment]}}, **more}


@pytest.mark.parametrize(
    ("topology", "levels", "domains"),
    [
        (
            {"levels": LEVELS, "domains": [{"values": ["a", "b"], "count": 1}, {"values": ["a", "c"], "count": 2}]},
            LEVELS,
            ((("a", "b"), 1), (("a", "c"), 2)),
        ),
        (
            {
                "levels": LEVELS,
                "slices": [
                    {
                        "domainCount": 2,
                        "valuesPerLevel": [{"universal": "a"}, {"individual": {"roots": ["b", "c"]}}],
                        "podCounts": {"individual": [1, 2]},
                    }
                ],
            },
            LEVELS,
            ((("a", "b"), 1), (("a", "c"), 2)),
        ),
        (
            {
                "levels": HOST,
                "slices": [
                    {
                        "domainCount": 2,
                        "valuesPerLevel": [{"individual": {"prefix": "hyperpod-i-", "suffix": ".x", "roots": ["1", "2"]}}],
                        "podCounts": {"universal": 1},
                    },
                    {"domainCount": 1, "valuesPerLevel": [{"universal": "other"}], "podCounts": {"universal": 1}},
                ],
            },
            HOST,
            ((("hyperpod-i-1.x",), 1), (("hyperpod-i-2.x",), 1), (("other",), 1)),
        ),
        (
            {"levels": HOST, "slices": [{"domainCount": 1, "valuesPerLevel": [{"individual": {"prefix": "n", "roots": [""]}}]}]},
            HOST,
            ((("n",), 0),),
        ),
        (None, [], ()),
    ],
    ids=["v1beta1", "v1beta2", "v1beta2 by hostname", "a name that is the prefix of others", "not placed"],
)
def test_assignments_of_both_api_versions_are_read(topology, levels, domains):
    assert read(workload(topology)).assigned == (Assigned("main", 3, ("gpus",), tuple(levels), domains),)


def test_conditions_are_printable_and_lost_nodes_are_returned():
    condition = {"type": "QuotaReserved", "status": "False", "reason": "Pending", "message": "a\x1b[2Jb\nc"}
    found = read({"metadata": {"name": "w"}, "spec": {"active": False}, "status": {"conditions": [condition], "unhealthyNodes": [{"name": "n1"}]}})
    assert found.conditions == {"QuotaReserved": Condition("False", "Pending", "a?[2Jb?c")}
    assert not found.active and found.unhealthy == ("n1",) and not found.holds("QuotaReserved")
    assert read({"metadata": {"name": "w"}}).active


def test_reasons_of_evictions_are_returned_once():
    counted = [{"reason": each, "underlyingCause": "", "count": 2} for each in ("Preempted", "Preempted", "Node\nFailures")]
    there = {"metadata": {"name": "w"}, "status": {"schedulingStats": {"evictions": counted}}}
    assert read(there).evictions == ("Preempted", "Node?Failures") and read({"metadata": {"name": "w"}}).evictions == ()


def item(name: str, uid: str = "", owner: str = "", **meta: str) -> dict:
    return {"metadata": {"name": name, "labels": {"kueue.x-k8s.io/job-uid": uid}, "ownerReferences": [{"uid": owner}], **meta}}


def test_the_workload_of_a_job_is_found_by_label_or_owner():
    there = [item("other", "2"), item("labelled", "1", creationTimestamp="2026-01-01T00:00:00Z")]
    assert of_job(there, "1").name == "labelled"
    assert of_job([*there, item("owned", owner="1", creationTimestamp="2026-01-02T00:00:00Z")], "1").name == "owned"
    assert of_job([item("leaving", "1", deletionTimestamp="x")], "1") is None
    assert of_job([], "1") is None
