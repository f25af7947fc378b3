# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_scheduler_config against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.small_cluster import QUICK
from simulated.shape import changes_once, one_shape, reads

CLASSES = [{"name": "training", "weight": 80}, {"name": "experiment", "weight": 20}]
IDS = ["cluster_scheduler_config.cluster_scheduler_config_id", "cluster_scheduler_config.cluster_scheduler_config_arn"]
DETAILS = "cluster_scheduler_config.status_details"


@pytest.fixture
def wanted(governed):
    return {"cluster_arn": governed.arn, "name": "fair", **QUICK}


def test_made_and_removed(governed, wanted):
    settings = {"priority_classes": CLASSES, "idle_resource_sharing": "Enabled", "description": "Training first"}
    made, removed = one_shape(
        governed,
        "cluster_scheduler_config",
        present={**wanted, **settings, "tags": {"team": "platform"}},
        absent={**wanted, "state": "absent"},
        unforeseen=[*IDS, DETAILS],
    )
    found = made["cluster_scheduler_config"]
    assert {name: found[name] for name in settings} == settings and found["fair_share"] == "Enabled"
    assert found["status_details"] == dict.fromkeys(("FairShare", "IdleResourceSharing", "PriorityClasses"), "Created")
    assert removed["cluster_scheduler_config"] == {"exists": False, "name": "fair"}


@pytest.mark.slow
def test_omitted_options_are_kept(governed, wanted):
    governed.run("cluster_scheduler_config", **wanted, priority_classes=CLASSES, idle_resource_sharing="Disabled")
    reads(governed, "cluster_scheduler_config", **wanted, priority_classes=CLASSES[::-1])
    done = changes_once(governed, "cluster_scheduler_config", unforeseen=[DETAILS], **wanted, fair_share="Disabled")
    found = done["cluster_scheduler_config"]
    assert (found["priority_classes"], found["idle_resource_sharing"], found["version"]) == (CLASSES, "Disabled", 2)
    done = changes_once(governed, "cluster_scheduler_config", unforeseen=[DETAILS], **wanted, priority_classes=[])
    assert done["cluster_scheduler_config"]["priority_classes"] == [] and done["cluster_scheduler_config"]["fair_share"] == "Disabled"


def test_a_cluster_has_only_one(governed, wanted):
    governed.run("cluster_scheduler_config", **wanted)
    for state in ("present", "absent"):
        refused = governed.run("cluster_scheduler_config", **{**wanted, "name": "other", "state": state})
        assert "name: 'other' is not allowed: the cluster can have only one, and has scheduler configuration fair" in refused["msg"], refused
        assert refused["failed"] and not refused["mutating"]


@pytest.mark.slow
def test_failures_are_repaired_as_aws_documents(governed, wanted, faults):
    faults(kind="fail_later", operation="CreateClusterSchedulerConfig", code="no add-on", times=1)
    failed = governed.run("cluster_scheduler_config", **wanted, priority_classes=CLASSES)
    assert failed["failed"] and "scheduler configuration fair is CreateFailed: no add-on" in failed["msg"], failed
    refused = governed.run("cluster_scheduler_config", **wanted)
    assert "Set recreate: true to delete and recreate it" in refused["msg"] and not refused["mutating"], refused
    refused = governed.run("cluster_scheduler_config", **wanted, recreate=True)
    assert "Also declare its other settings (priority_classes)" in refused["msg"] and not refused["mutating"], refused
    done = governed.run("cluster_scheduler_config", **wanted, priority_classes=CLASSES, recreate=True)
    assert done["cluster_scheduler_config"]["status"] == "Created" and done["cluster_scheduler_config"]["priority_classes"] == CLASSES
    faults(kind="fail_later", operation="UpdateClusterSchedulerConfig", code="busy", times=1)
    assert governed.run("cluster_scheduler_config", **wanted, description="x")["failed"]
    done = governed.run("cluster_scheduler_config", **wanted, description="x")
    assert done["cluster_scheduler_config"]["status"] == "Updated" and not done.get("failed"), done


@pytest.mark.slow
def test_lost_replies_cause_no_duplicates(governed, wanted, faults):
    for operation in ("CreateClusterSchedulerConfig", "UpdateClusterSchedulerConfig", "DeleteClusterSchedulerConfig"):
        faults(kind="cut_after", operation=operation, times=1)
    for options in ({}, {"description": "x"}, {"state": "absent"}):
        done = governed.run("cluster_scheduler_config", **wanted, **options)
        assert not done.get("failed") and done["changed"], done
        assert not governed.run("cluster_scheduler_config", **wanted, **options)["changed"]
    assert [rule["fired"] for rule in governed.control("faults")] == [1, 1, 1]


def test_bad_input_is_refused_before_any_call(governed, wanted):
    for wrong, named in (
        ({"priority_classes": CLASSES * 2}, "each value once"),
        ({"priority_classes": CLASSES * 6}, "priority_classes: 12 is not allowed. Allowed: 0 to 10 entries."),
        ({"priority_classes": [{"name": "Training", "weight": 1}]}, "priority_classes[0].name: 'Training'"),
        ({"priority_classes": [{"name": "training", "weight": 101}]}, "priority_classes[0].weight: 101 is not allowed. Allowed: 0 to 100."),
        ({"priority_classes": [{"name": "training"}]}, "priority_classes[0].weight: missing; priority_classes requires it."),
        ({"fair_share": "maybe"}, "fair_share"),
        ({"tags": {"aws:x": "y"}}, "tags: 'aws:x'"),
    ):
        governed.simulator.control("reset-calls", {})
        refused = governed.run("cluster_scheduler_config", **{**wanted, **wrong})
        assert refused["failed"] and named in refused["msg"], refused
        assert not governed.control("calls"), wrong
