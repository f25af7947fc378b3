# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""compute_quota_info against the simulated API."""

from __future__ import annotations

import pytest
from modules.fixtures.governed import TYPE
from simulated.shape import reads

pytestmark = pytest.mark.slow


def test_quotas_have_the_names_of_the_options(governed):
    governed.quota("vision", Description="Models")
    governed.quota("research", count=0)
    governed.set_up(page_size=1)
    first, second = reads(governed, "compute_quota_info", cluster_arn=governed.arn, status="Created")["compute_quotas"]
    assert (first["team_name"], second["team_name"]) == ("research", "vision")
    assert second["compute_quota_resources"] == [{"instance_type": TYPE, "count": 1}] and "description" not in second
    (found,) = reads(governed, "compute_quota_info", cluster_arn=governed.arn, name_contains="vis", details=True)["compute_quotas"]
    assert (found["description"], found["status"], found["version"]) == ("Models", "Created", 1)
    for none in ({"status": "CreateFailed"}, {"created_after": "2130-01-01T00:00:00Z"}, {"created_before": "2020-01-01T00:00:00Z"}):
        assert reads(governed, "compute_quota_info", cluster_arn=governed.arn, **none)["compute_quotas"] == []
    assert len(reads(governed, "compute_quota_info", cluster_arn=governed.arn, limit=1)["compute_quotas"]) == 1


def test_a_quota_by_name_and_by_version(governed):
    """With a name that no other test uses, because deleted quotas are listed as well."""
    for name in ("a-speech", "speech", "speech-b"):
        governed.quota(name, Description="first")
    quota = {"cluster_arn": governed.arn, "name": "speech", "team_name": "speech"}
    done = governed.run("compute_quota", **quota, description="second", poll_interval=1)
    assert done["changed"], done
    query = {"cluster_arn": governed.arn, "name": "speech", "limit": 1}
    (found,) = reads(governed, "compute_quota_info", **query)["compute_quotas"]
    assert (found["name"], found["version"]) == ("speech", 2) and "description" not in found
    for version, description in ((1, "first"), (2, "second")):
        (found,) = reads(governed, "compute_quota_info", **query, version=version)["compute_quotas"]
        assert (found["version"], found["description"]) == (version, description)
    assert reads(governed, "compute_quota_info", **query, version=3)["compute_quotas"] == []
    assert reads(governed, "compute_quota_info", **{**query, "name": "spee"})["compute_quotas"] == []


def test_the_reason_of_a_failure(governed, faults):
    faults(kind="fail_later", operation="CreateComputeQuota", code="no \x1b[1mqueue", times=1)
    governed.run("compute_quota", cluster_arn=governed.arn, name="a", team_name="a", poll_interval=1)
    failed = {"status": "CreateFailed", "details": True}
    (found,) = reads(governed, "compute_quota_info", cluster_arn=governed.arn, **failed)["compute_quotas"]
    assert (found["status"], found["failure_reason"]) == ("CreateFailed", "no ?[1mqueue")


def test_bad_input_is_refused_before_any_call(governed):
    for wrong, named in (
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml'"),
        ({"name_contains": "-"}, "name_contains: '-'"),
        ({"created_after": "now"}, "created_after: 'now'"),
        ({"limit": 0}, "limit: 0"),
        ({"version": 1}, "version: 1 is not allowed. Allowed: a version together with name"),
        ({"name": "a", "version": 0}, "version: 0"),
        ({"name": "-"}, "name: '-'"),
        ({"name": "a", "name_contains": "a"}, "name_contains: 'a' is not allowed. Allowed: one of name and name_contains"),
    ):
        refused = governed.run("compute_quota_info", **{"cluster_arn": governed.arn, **wrong})
        assert refused["failed"] and named in refused["msg"], refused
