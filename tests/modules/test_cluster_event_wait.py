# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cluster_event_wait against the simulated API: handled events, and the lock of another run."""

from __future__ import annotations

import time

import pytest
from simulated.shape import reads

EVENT = "2026-11-21T01:02:03Z"
READ, LOCK = "GetParameter", "GetParametersByPath"


def wait(account, **options):
    account.calls()
    found = reads(account, "cluster_event_wait", cluster_arn=account.arn, **{"time": EVENT, "wait": False, **options})
    return found["handled"], found["locked"]


def until_listed(account, name):
    """Listings lag behind writes."""
    deadline, ssm = time.monotonic() + 60, account.client("ssm")
    while name not in str(ssm.get_parameters_by_path(Path=name.rpartition("/")[0])["Parameters"]):
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture
def looked(account):
    """The record of a full look that changed something."""
    nodes = [node["instance_id"] for node in account.start("cluster_node_info", cluster_arn=account.arn)["nodes"]]
    options = {"cluster_arn": account.arn, "instance_ids": nodes, "declaration": {"variables": "same"}}
    seen = account.start("cluster_look", **options)["seen"]
    account.start("cluster_look", **options, state="present", began=seen, complete=True)
    return seen["time"]


def test_an_event_before_the_last_complete_look_is_handled(account, looked):
    assert wait(account) == (True, False)
    assert wait(account, time=looked) == (False, False), "AWS's replies could have been older"


def test_without_a_record_no_event_is_handled(account):
    assert wait(account) == (False, False)


def test_the_lock_counts_only_for_an_event_that_is_not_handled(account, looked):
    account.start("cluster_lock", cluster_arn=account.arn, token="other")
    assert wait(account) == (True, False)
    assert wait(account, time=looked) == (False, True)
    assert wait(account, time=looked, wait=True, wait_timeout=1, poll_interval=1) == (False, True)


def test_what_cannot_be_read_is_not_handled(account, looked):
    account.fault(operation="GetParameter", kind="error", code="AccessDeniedException", times=20)
    found = account.run("cluster_event_wait", cluster_arn=account.arn, time=EVENT, wait=False)
    assert (found["handled"], found["locked"]) == (False, False)
    assert "GetParameter for parameter" in str(found["warnings"]), found


def test_an_unreadable_lock_does_not_end_the_run(account, looked):
    name = f"/mlfleet/hyperpod/{account.id}/lock/1"
    account.client("ssm").put_parameter(Name=name, Value="no claim", Type="String")
    until_listed(account, name)
    found = account.run("cluster_event_wait", cluster_arn=account.arn, time=looked, wait=False)
    assert (found["handled"], found["locked"]) == (False, False)
    assert f"Parameter {name} is not a lock" in str(found["warnings"]), found


def test_a_time_without_a_zone_is_refused(account):
    found = account.run("cluster_event_wait", cluster_arn=account.arn, time="2026-11-21T01:02:03")
    assert found["failed"] and "time: '2026-11-21T01:02:03' is not allowed" in found["msg"]
