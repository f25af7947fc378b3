# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_extension against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.small_cluster import QUICK
from simulated.shape import changes_once, one_shape, reads

NAME = "sagemaker-observability"
ADVANCED = {"metricsProvider": {"nodeMetrics": {"level": "ADVANCED"}}}


@pytest.fixture
def wanted(small_cluster):
    return {"cluster_arn": small_cluster.arn, "name": NAME, **QUICK}


def test_installed_and_removed(small_cluster, wanted):
    unforeseen = ["extension.extension_arn", "extension.version", "changes.after.version"]
    present, absent = {**wanted, "configuration": ADVANCED}, {**wanted, "state": "absent"}
    made, removed = one_shape(small_cluster, "cluster_extension", present=present, absent=absent, unforeseen=unforeseen)
    assert made["extension"]["configuration"] == ADVANCED and removed["extension"] == {"exists": False, "name": NAME}


def test_omitted_settings_are_kept_and_null_removes_them(small_cluster, wanted):
    small_cluster.run("cluster_extension", **wanted, version="1.0.0", configuration={"a": 1, "b": {"c": 2, "d": 3}})
    done = changes_once(small_cluster, "cluster_extension", **wanted, configuration={"a": None, "b": {"c": 4}})
    assert done["extension"]["configuration"] == {"b": {"c": 4, "d": 3}}
    reads(small_cluster, "cluster_extension", **wanted)
    done = changes_once(small_cluster, "cluster_extension", **wanted, version="1.1.0")
    assert done["extension"]["version"] == "1.1.0"
    refused = small_cluster.run("cluster_extension", **wanted, version="1.0.0")
    assert "version: '1.0.0' is not allowed: the cluster has 1.1.0" in refused["msg"] and not refused["mutating"]


def test_a_failure_gives_the_reason_and_is_retried(small_cluster, wanted, faults):
    faults(kind="fail_later", operation="CreateClusterExtension", code="no permission", times=1)
    failed = small_cluster.run("cluster_extension", **wanted)
    assert failed["failed"] and "CreateFailed" in failed["msg"] and "AccessDenied (nodes: 2): no permission" in failed["msg"], failed
    second = small_cluster.run("cluster_extension", **wanted)
    assert second["changed"] and (second["extension"]["status"], second["extension"]["issues"]) == ("Active", []), second
    assert [(each["field"], each["before"]) for each in second["changes"]] == [("status", "CreateFailed")]


def test_lost_replies_cause_no_duplicates(small_cluster, wanted, faults):
    for operation in ("CreateClusterExtension", "UpdateClusterExtension", "DeleteClusterExtension"):
        faults(kind="cut_after", operation=operation, times=1)
    for options in ({}, {"configuration": ADVANCED}, {"state": "absent"}):
        done = small_cluster.run("cluster_extension", **wanted, **options)
        assert not done.get("failed") and done["changed"], done
        assert not small_cluster.run("cluster_extension", **wanted, **options)["changed"]
    assert [rule["fired"] for rule in small_cluster.control("faults")] == [1, 1, 1]


def test_bad_input_is_refused_before_any_call(small_cluster, wanted):
    for wrong, named in (
        ({"name": "Observability"}, "name: 'Observability'"),
        ({"version": "newest"}, "version: 'newest'"),
        ({"configuration": {"a": "x" * 10240}}, "configuration: "),
        ({"cluster_arn": "small"}, "cluster_arn: 'small'"),
        ({"wait_timeout": 0}, "wait_timeout: 0"),
    ):
        refused = small_cluster.run("cluster_extension", **{**wanted, **wrong})
        assert refused["failed"] and named in refused["msg"] and not refused["mutating"], refused
