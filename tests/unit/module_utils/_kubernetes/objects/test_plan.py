# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From existing objects to declared ones."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.model import (
    Declared,
    Desired,
    Found,
    Kind,
    State,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.objects.plan import plan

LABELS = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod"}
KIND = Kind("nodepools", namespaced=False)


def declared(name: str = "gpus", **spec: t.Any) -> Declared:
    return Declared(
        {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name, "labels": LABELS}, "spec": spec}
    )


def live(name: str = "gpus", labels: t.Any = None, meta: t.Any = None, **spec: t.Any) -> dict[str, t.Any]:
    return {"metadata": {"name": name, "labels": LABELS if labels is None else labels, **(meta or {})}, "spec": spec}


def planned(*found: Found, present: bool = True, adopt: bool = False, keep_foreign: bool = False) -> Plan:
    return plan(Desired(tuple(each.declared for each in found), present, adopt, keep_foreign), State(found))


def changes_of(found: Plan) -> list[tuple[str, str, t.Any]]:
    return [(change.action, change.resource, change.field) for change in found.changes]


def test_objects_are_created_changed_or_left_alone() -> None:
    new, other, same = declared("new"), declared("other", weight=2), declared("same", weight=1)
    state = (Found(new, KIND), Found(other, KIND, live("other", weight=1)), Found(same, KIND, live("same", weight=1)))
    found = planned(*state)
    assert changes_of(found) == [("create", "NodePool new", None), ("update", "NodePool other", "spec.weight")]
    after = found.after(State(state))
    assert planned(*after.found).steps == ()
    assert after.found[1].live["spec"] == {"weight": 2}


def test_a_kind_that_does_not_exist_yet_is_accepted() -> None:
    assert changes_of(planned(Found(declared(), None))) == [("create", "NodePool gpus", None)]


@pytest.mark.parametrize("labels", [LABELS, {}])
def test_an_object_in_deletion_is_created_again(labels: dict[str, str]) -> None:
    found = planned(Found(declared(weight=1), KIND, live(labels=labels, meta={"deletionTimestamp": "x"}, weight=1)))
    assert changes_of(found) == [("create", "NodePool gpus", None)]


@pytest.mark.parametrize("present", [True, False])
def test_a_foreign_object_is_changed_only_with_adopt(present: bool) -> None:
    foreign = Found(declared(), KIND, live(labels={}))
    with pytest.raises(Refused, match="Existing objects were not created by mlfleet.hyperpod: NodePool gpus"):
        planned(foreign, present=present)
    assert len(planned(foreign, present=present, adopt=True).steps) == 1
    assert planned(foreign, present=present, keep_foreign=True).steps == ()


def test_existing_objects_are_deleted() -> None:
    there, leaving = Found(declared("a"), KIND, live("a")), Found(declared("b"), KIND, live("b", meta={"deletionTimestamp": "x"}))
    found = planned(there, leaving, Found(declared("c"), KIND), Found(declared("d"), None), present=False)
    assert changes_of(found) == [("delete", "NodePool a", None)]
    assert found.after(State((there,))).found[0].live is None


def test_paths_are_built() -> None:
    assert KIND.path(declared()) == "/apis/karpenter.sh/v1/nodepools/gpus"
    pod = Declared({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}})
    assert Kind("pods", namespaced=True).path(pod) == "/api/v1/namespaces/default/pods/a"
