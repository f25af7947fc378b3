# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of task governance match the service model: every member, bound and choice."""

from __future__ import annotations

import typing as t

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import Table
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.fields import QUOTA, SCHEDULER, Kind, completed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.listing import FILTERS, specification

MODEL = botocore.session.get_session().get_service_model("sagemaker")
ELSEWHERE = {"Name", "ClusterArn", "Tags"}
"""Parameters with their own options."""
TYPES = {"str": "string", "int": "integer", "float": "float", "dict": "structure", "list": "list"}
RESOURCE = {"instance_type": "ml.p4d.24xlarge", "count": 2}


@pytest.mark.parametrize("kind", [SCHEDULER, QUOTA])
def test_tables_contain_every_member_of_the_model(kind: Kind) -> None:
    for operation, more in ((kind.create, ELSEWHERE), (kind.update, {kind.id, "TargetVersion"})):
        shape = MODEL.operation_model(operation).input_shape
        plain = {setting.api for structure, table in kind.parts if not structure for setting in table}
        assert set(shape.members) == {*more, *plain, *(structure for structure, _table in kind.parts if structure)}
        for structure, table in kind.parts:
            compare(table, shape.members[structure] if structure else shape, whole=bool(structure))
    answer = MODEL.operation_model(kind.describe).output_shape.members
    assert {kind.id, kind.arn, kind.version, "Name", "Status", "FailureReason"} <= set(answer)
    assert kind.summaries in MODEL.operation_model(kind.listing).output_shape.members


READ: t.Mapping[str, str] = {**{each.api: each.option for each in FILTERS}, "ClusterArn": "cluster_arn", "MaxResults": "limit"}
"""Inputs of listings, and the options of the modules that read them."""
LEFT_OUT = {
    "SortBy": "the result is sorted by name, and Jinja's filter sort sorts it by any field",
    "SortOrder": "the same",
    "NextToken": "pages are followed up to the limit",
}


@pytest.mark.parametrize("kind", [SCHEDULER, QUOTA])
def test_info_modules_have_each_input_of_the_model(kind: Kind) -> None:
    listing, describe = (set(MODEL.operation_model(each).input_shape.members) for each in (kind.listing, kind.describe))
    options = specification()
    assert listing == {*READ, *LEFT_OUT} and set(READ.values()) <= set(options)
    assert describe == {kind.id, kind.version}, "the ID comes from the listing, by name"
    assert set(options) == {*READ.values(), "name", "version", "details"}
    statuses = MODEL.operation_model(kind.listing).input_shape.members["Status"].enum
    assert options["status"]["choices"] == sorted(statuses)


def compare(table: Table, shape: t.Any, *, whole: bool) -> None:
    assert not whole or {setting.api for setting in table} == set(shape.members)
    for setting in table:
        member = shape.members[setting.api]
        enum = tuple(getattr(member, "enum", ()))
        assert member.type_name == TYPES[setting.type]
        assert setting.choices == (enum if setting.api != "InstanceType" else ())
        if setting.type not in ("str", "dict"):
            bounds = (member.metadata.get("min"), member.metadata.get("max"))
            assert (setting.low, setting.high) == bounds, setting.option
        assert setting.required == (setting.api in shape.required_members) or setting.option == "team_name"
        if setting.parts:
            compare(setting.parts, member.member if setting.type == "list" else member, whole=True)


def test_a_request_contains_only_structures_that_differ_and_these_completely() -> None:
    values = {"compute_quota_resources": [RESOURCE], "team_name": "a", "fair_share_weight": 5, "description": "", "preempt_team_tasks": "Never"}
    config = {"ComputeQuotaResources": [{"InstanceType": "ml.p4d.24xlarge", "Count": 2}], "PreemptTeamTasks": "Never"}
    target = {"TeamName": "a", "FairShareWeight": 5}
    assert QUOTA.request(values, differing=["preempt_team_tasks"]) == {"ComputeQuotaConfig": config}
    assert QUOTA.request(values, differing=["fair_share_weight", "description"]) == {"ComputeQuotaTarget": target, "Description": ""}
    assert QUOTA.observed({"ComputeQuotaConfig": config, "ComputeQuotaTarget": target, "Name": "x"}) == {
        name: value for name, value in values.items() if name != "description"
    }
    assert SCHEDULER.request({"priority_classes": []}, differing=["priority_classes"]) == {"SchedulerConfig": {"PriorityClasses": []}}
    assert SCHEDULER.request({}, differing=["fair_share"]) == {"SchedulerConfig": {}}


def test_documented_defaults_of_aws_are_used() -> None:
    borrowing = {"strategy": "LendAndBorrow", "borrow_limit": 50}
    assert completed(QUOTA, {"team_name": "a"})["resource_sharing_config"] == borrowing
    assert completed(QUOTA, {"resource_sharing_config": {"strategy": "Lend"}})["resource_sharing_config"] == {"strategy": "Lend"}
    assert completed(SCHEDULER, {"fair_share": "Disabled"}) == {"fair_share": "Disabled"}
