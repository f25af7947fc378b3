# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between an object and its declaration."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.compare import differences

WANTED = {
    "apiVersion": "v1",
    "kind": "K",
    "metadata": {"name": "a", "labels": {"l": "1"}},
    "spec": {"limits": {"cpu": 8}, "taints": [{"key": "x"}]},
}


def live(**spec: t.Any) -> dict[str, t.Any]:
    meta = {"name": "a", "uid": "u", "generation": 3, "labels": {"l": "1", "foreign": "2"}}
    return {"apiVersion": "v1", "kind": "K", "metadata": meta, "spec": {**WANTED["spec"], "weight": 1, **spec}, "status": {"n": 1}}


def differing_fields(wanted: t.Any, there: t.Any) -> list[tuple[str, t.Any, t.Any]]:
    return [(each.field, each.before, each.after) for each in differences(wanted, there)]


def test_fields_added_by_others_are_no_difference() -> None:
    assert differing_fields(WANTED, live()) == []
    assert differing_fields(WANTED, live(taints=[{"key": "x", "effect": "NoSchedule"}])) == []


@pytest.mark.parametrize(
    ("there", "differs"),
    [
        (live(limits={"cpu": 4}), [("spec.limits.cpu", 4, 8)]),
        (live(limits={}), [("spec.limits.cpu", None, 8)]),
        (live(taints=[]), [("spec.taints", [], [{"key": "x"}])]),
        (live(taints=[{"key": "y"}]), [("spec.taints", [{"key": "y"}], [{"key": "x"}])]),
        (live(taints=[{"key": "x"}, {"key": "y"}]), [("spec.taints", [{"key": "x"}, {"key": "y"}], [{"key": "x"}])]),
        ({**live(), "spec": None}, [("spec", None, WANTED["spec"])]),
    ],
)
def test_differing_fields_are_listed(there: t.Any, differs: t.Any) -> None:
    assert differing_fields(WANTED, there) == differs


def managed(manager: str, operation: str = "Apply", **more: t.Any) -> dict[str, t.Any]:
    fields = {
        "f:metadata": {"f:labels": {"f:l": {}, "f:gone": {}}},
        "f:spec": {"f:weight": {}, "f:limits": {"f:cpu": {}}, "f:taints": {}},
    }
    there = live()
    there["metadata"]["managedFields"] = [{"manager": manager, "operation": operation, "fieldsV1": fields, **more}]
    return there


def test_fields_that_we_no_longer_declare_are_removed() -> None:
    assert differing_fields(WANTED, managed("mlfleet.hyperpod")) == [("spec.weight", 1, None)]


def test_an_atomic_map_contains_only_declared_keys() -> None:
    there = managed("mlfleet.hyperpod")
    there["metadata"]["managedFields"][0]["fieldsV1"] = {"f:spec": {"f:limits": {}, "f:taints": {}}}
    there["spec"]["limits"] = {"cpu": 8, "memory": "1Gi"}
    assert differing_fields(WANTED, there) == [("spec.limits.memory", "1Gi", None)]
    assert differing_fields({**WANTED, "spec": {"limits": {}}}, there) == [("spec.taints", [{"key": "x"}], None)], "the limits may belong to others"


@pytest.mark.parametrize(
    "there", [managed("kubectl"), managed("mlfleet.hyperpod", "Update"), managed("mlfleet.hyperpod", subresource="status")]
)
def test_fields_declared_by_others_are_kept(there: t.Any) -> None:
    assert differing_fields(WANTED, there) == []


def test_a_missing_field_equals_null_but_not_an_empty_list() -> None:
    assert differing_fields({"metadata": {}, "spec": {"a": None}}, {"metadata": {}, "spec": {}}) == []
    assert differing_fields({"metadata": {}, "spec": {"a": []}}, {"metadata": {}, "spec": {}}) == [("spec.a", None, [])]
