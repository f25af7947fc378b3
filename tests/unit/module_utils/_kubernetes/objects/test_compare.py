# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What of an object is not as declared."""

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
    meta = {"name": "a", "uid": "u", "generation": 3, "labels": {"l": "1", "theirs": "2"}}
    return {"apiVersion": "v1", "kind": "K", "metadata": meta, "spec": {**WANTED["spec"], "weight": 1, **spec}, "status": {"n": 1}}


def told(wanted: t.Any, there: t.Any) -> list[tuple[str, t.Any, t.Any]]:
    return [(each.field, each.before, each.after) for each in differences(wanted, there)]


def test_what_others_added_is_no_difference() -> None:
    assert told(WANTED, live()) == []
    assert told(WANTED, live(taints=[{"key": "x", "effect": "NoSchedule"}])) == []


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
def test_what_differs(there: t.Any, differs: t.Any) -> None:
    assert told(WANTED, there) == differs


def managed(manager: str, operation: str = "Apply", **more: t.Any) -> dict[str, t.Any]:
    fields = {
        "f:metadata": {"f:labels": {"f:l": {}, "f:gone": {}}},
        "f:spec": {"f:weight": {}, "f:limits": {"f:cpu": {}}, "f:taints": {}},
    }
    there = live()
    there["metadata"]["managedFields"] = [{"manager": manager, "operation": operation, "fieldsV1": fields, **more}]
    return there


def test_what_we_declared_once_and_do_not_any_more_goes() -> None:
    assert told(WANTED, managed("mlfleet.hyperpod")) == [("spec.weight", 1, None)]


def test_a_map_that_is_one_field_has_no_more_than_we_want() -> None:
    there = managed("mlfleet.hyperpod")
    there["metadata"]["managedFields"][0]["fieldsV1"] = {"f:spec": {"f:limits": {}, "f:taints": {}}}
    there["spec"]["limits"] = {"cpu": 8, "memory": "1Gi"}
    assert told(WANTED, there) == [("spec.limits.memory", "1Gi", None)]
    assert told({**WANTED, "spec": {"limits": {}}}, there) == [("spec.taints", [{"key": "x"}], None)], "may be others'"


@pytest.mark.parametrize(
    "there", [managed("kubectl"), managed("mlfleet.hyperpod", "Update"), managed("mlfleet.hyperpod", subresource="status")]
)
def test_what_others_declared_stays(there: t.Any) -> None:
    assert told(WANTED, there) == []


def test_what_is_wanted_empty_and_not_there() -> None:
    assert told({"metadata": {}, "spec": {"a": None}}, {"metadata": {}, "spec": {}}) == []
    assert told({"metadata": {}, "spec": {"a": []}}, {"metadata": {}, "spec": {}}) == [("spec.a", None, [])]
