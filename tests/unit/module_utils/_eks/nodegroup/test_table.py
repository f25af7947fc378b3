# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of settings matches the service model of EKS."""

from __future__ import annotations

import typing as t

import botocore.session
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import Table
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.nodegroup.table import CONFIGURATION, SETTINGS, VERSIONS, part

MODEL = botocore.session.get_session().get_service_model("eks")
KINDS = {"structure": "dict", "string": "str", "integer": "int", "boolean": "bool", "list": "list", "map": "map"}
ELSEWHERE = {"clusterName", "nodegroupName", "tags", "clientRequestToken", "remoteAccess", "warmPoolConfig"}
"""Parameters without a setting: other options, and what the module does not support."""
OWN_BOUNDS = {"subnets", "instanceTypes", "diskSize", "maxUnavailable"}
"""Bounds that AWS documents only as text."""


def pairs(table: Table, shape: t.Any) -> t.Iterator[tuple[t.Any, t.Any]]:
    for setting in table:
        member = shape.members[setting.api]
        yield setting, member
        if setting.parts:
            yield from pairs(setting.parts, member.member if member.type_name == "list" else member)


def test_each_parameter_of_a_new_group_is_in_the_table() -> None:
    shape = MODEL.operation_model("CreateNodegroup").input_shape
    assert {setting.api for setting in SETTINGS} == set(shape.members) - ELSEWHERE
    assert {setting.api for setting in SETTINGS if setting.required} == set(shape.required_members) - ELSEWHERE


@pytest.mark.parametrize("operation", ["CreateNodegroup", "DescribeNodegroup"])
def test_types_choices_and_bounds_match_requests_and_replies(operation: str) -> None:
    model = MODEL.operation_model(operation)
    shape = model.input_shape if operation == "CreateNodegroup" else model.output_shape.members["nodegroup"]
    for setting, member in pairs(SETTINGS, shape):
        assert setting.type == KINDS[member.type_name], setting.option
        if setting.api != "amiType":
            assert set(setting.choices) == set(getattr(member, "enum", ())), setting.option
        if setting.type == "int" and setting.api not in OWN_BOUNDS:
            assert (setting.low, setting.high) == (member.metadata.get("min"), member.metadata.get("max")), setting.option
        assert setting.type != "dict" or {each.api for each in setting.parts} == set(member.members)


@pytest.mark.parametrize(("operation", "options"), [("UpdateNodegroupConfig", CONFIGURATION), ("UpdateNodegroupVersion", VERSIONS)])
def test_an_operation_accepts_the_settings_that_it_changes(operation: str, options: tuple[str, ...]) -> None:
    members = set(MODEL.operation_model(operation).input_shape.members)
    assert {setting.api for setting in part(options)} <= members
    assert {setting.option for setting in part(options)} == set(options)


def test_each_setting_can_change_or_is_immutable() -> None:
    changing = {*CONFIGURATION, *VERSIONS}
    assert {setting.option for setting in SETTINGS if setting.immutable} == {setting.option for setting in SETTINGS} - changing
