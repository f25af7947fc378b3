# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_look against the simulated API: a complete check is recorded, or not."""

from __future__ import annotations

import pytest
from simulated.shape import changes_once, reads


@pytest.fixture
def options(account):
    nodes = account.start("cluster_node_info", cluster_arn=account.arn)["nodes"]
    declared = {"declaration": {"variables": "same"}, "full_look_minutes": 10080}
    return {"cluster_arn": account.arn, "instance_ids": [node["instance_id"] for node in nodes], **declared}


def test_a_cluster_without_a_recorded_complete_check_is_not_quiet(account, options):
    for check in (True, False):
        found = reads(account, "cluster_look", check=check, **options)
        assert not found["quiet"] and found["reasons"] and found["full_look"] is None


def test_recorded_each_time_and_removed_once(account, options):
    seen = reads(account, "cluster_look", **options)["seen"]
    present = {**options, "state": "present", "began": seen, "well": True}
    foreseen = account.run("cluster_look", check=True, **present)
    assert (foreseen["changed"], account.changes()) == (True, [])
    for action in ("create", "update"):
        recorded = account.run("cluster_look", **present)
        assert (recorded["reasons"], account.changes()) == ([], ["PutParameter"])
        (change,) = recorded["changes"]
        assert (change["action"], change["resource"]) == (action, foreseen["changes"][0]["resource"])
    assert reads(account, "cluster_look", **options)["full_look"] == recorded["full_look"]
    removed = changes_once(account, "cluster_look", state="absent", cluster_arn=account.arn)
    assert removed["full_look"] is None


def test_a_failed_check_only_replaces_an_earlier_record(account, options):
    badly = {**options, "state": "present", "well": False}
    assert not account.run("cluster_look", **badly)["changed"] and account.changes() == []
    seen = reads(account, "cluster_look", **options)["seen"]
    account.run("cluster_look", **{**badly, "began": seen, "well": True})
    assert account.run("cluster_look", **badly)["changed"] and account.changes() == ["PutParameter"]
    assert not reads(account, "cluster_look", **options)["quiet"]


def test_a_complete_check_records_when_it_began_even_if_it_changed_something(account, options):
    seen = reads(account, "cluster_look", **options)["seen"]
    assert seen["time"]
    ended = {**options, "state": "present", "began": seen, "complete": True}
    assert account.run("cluster_look", **ended)["changed"] and account.changes() == ["PutParameter"]
    assert not account.run("cluster_look", **ended)["changed"]
    assert reads(account, "cluster_event_wait", cluster_arn=account.arn, time="2026-11-21T00:00:00Z")["full_look"] == seen["time"]


def test_a_check_without_a_node_of_the_cluster_has_no_time(account, options):
    others = {**options, "instance_ids": options["instance_ids"][1:]}
    assert reads(account, "cluster_look", **others)["seen"]["time"] == ""
