# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of a cluster's settings matches the service model."""

from __future__ import annotations

import typing as t

import boto3
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.settings import Setting, Table
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.model import LISTS
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.table import CLUSTER

ELSEWHERE = {"ClusterName", "Tags", "InstanceGroups", "RestrictedInstanceGroups"}
"""Parameters of CreateCluster that have their own options and lists."""
KINDS = {"structure": "dict", "string": "str", "integer": "int", "boolean": "bool", "list": "list", "map": "map", "timestamp": "time"}
MODEL = boto3.client("sagemaker", region_name="us-west-2", aws_access_key_id="a", aws_secret_access_key="b").meta.service_model
CREATE = MODEL.operation_model("CreateCluster").input_shape
TABLES = [
    ((), CLUSTER, MODEL.operation_model("DescribeCluster").output_shape),
    (("InstanceGroups",), LISTS[0][2], MODEL.shape_for("ClusterInstanceGroupDetails")),
    (("RestrictedInstanceGroups",), LISTS[1][2], MODEL.shape_for("ClusterRestrictedInstanceGroupDetails")),
]


def walk(table: Table, shape: t.Any, path: str = "") -> t.Iterator[tuple[str, Setting, t.Any]]:
    """Each setting with its shape in the model; fails if a setting has no counterpart."""
    members = {name: member for name, member in shape.members.items() if path or name not in ELSEWHERE}
    assert {setting.api for setting in table} == set(members), path
    for setting in table:
        member = members[setting.api]
        yield f"{path}.{setting.api}", setting, member
        inner = member.member if member.type_name == "list" else member
        if setting.parts:
            yield from walk(setting.parts, inner, f"{path}.{setting.api}")


@pytest.mark.parametrize(("path", "table"), [(path, table) for path, table, _answer in TABLES])
def test_every_parameter_of_the_model_has_its_type_and_bounds(path: tuple[str, ...], table: Table) -> None:
    shape = CREATE
    for name in path:
        shape = shape.members[name].member
    for where, setting, member in walk(table, shape, "".join(path)):
        assert setting.type == KINDS[member.type_name], where
        text = member.member if member.type_name == "list" else member
        if getattr(text, "enum", None) and setting.choices:
            assert sorted(setting.choices) == sorted(text.enum), where
        assert bool(setting.choices) == bool(0 < len(getattr(text, "enum", None) or []) < 20), where
        if member.type_name in ("integer", "list", "map"):
            assert (setting.low, setting.high) == (member.metadata.get("min"), member.metadata.get("max")), where


@pytest.mark.parametrize(("path", "table"), [(path, table) for path, table, _answer in TABLES])
def test_parameters_required_by_aws_are_required(path: tuple[str, ...], table: Table) -> None:
    """A rule checks the count of a group: an existing group keeps its own."""
    shape = CREATE
    for name in path:
        shape = shape.members[name].member
    pairs = [(table, shape, "")]
    while pairs:
        settings, structure, where = pairs.pop()
        required = {setting.api for setting in settings if setting.required}
        assert required | ({"InstanceCount"} if path and not where else set()) == set(structure.required_members) - ELSEWHERE, where
        for setting in settings:
            member = structure.members[setting.api]
            if setting.parts:
                pairs.append((setting.parts, member.member if member.type_name == "list" else member, f"{where}.{setting.api}"))


@pytest.mark.parametrize(("table", "answer"), [(table, answer) for _path, table, answer in TABLES])
def test_answers_use_the_names_of_the_table(table: Table, answer: t.Any) -> None:
    pairs = [(table, answer, "")]
    while pairs:
        settings, shape, where = pairs.pop()
        for setting in settings:
            names = setting.answers or (setting.api,)
            assert set(names) <= set(shape.members), f"{where}.{setting.api}"
            member = shape.members[names[0]]
            if setting.parts:
                pairs.append((setting.parts, member.member if member.type_name == "list" else member, f"{where}.{setting.api}"))
