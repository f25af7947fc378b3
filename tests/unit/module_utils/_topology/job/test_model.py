# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A job from its manifest, and fields that are empty if unknown."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import (
    Assigned,
    Facts,
    PodSet,
    State,
    Wish,
    Workload,
)

from .jobs import QUEUE, SPACE, conditions, desired, job, rendered


@pytest.mark.parametrize(("wish", "requested"), [(Wish(), False), (Wish("required"), True), (Wish(slice_level="a"), True), (Wish(level="a"), False)])
def test_a_topology_request_is_recognised(wish: Wish, requested: bool) -> None:
    assert bool(wish) is requested


def test_a_job_is_read_from_its_manifest() -> None:
    found = rendered()
    assert (found.name, found.namespace, found.described, found.queue, found.priority) == ("mnist", SPACE, f"Job {SPACE}/mnist", QUEUE, "")
    assert found.path == f"/apis/batch/v1/namespaces/{SPACE}/jobs/mnist"
    assert rendered(priority="high").priority == "high"
    bare = dataclasses.replace(found, manifest={"metadata": {"name": "a", "namespace": "b"}})
    assert (bare.queue, bare.priority) == ("", "")


def test_rights_beyond_containers_are_named() -> None:
    reaching = dataclasses.replace(rendered(), rights=("hostNetwork", "privileged"))
    assert reaching.reach == f"Pods of Job {SPACE}/mnist have rights beyond their containers: hostNetwork, privileged."
    assert rendered().reach == ""


@pytest.mark.parametrize(
    ("meta", "hashed", "uid", "leaving"),
    [
        (None, "", "", False),
        ({}, "", "", False),
        ({"annotations": None, "uid": None}, "", "", False),
        ({"annotations": {"mlfleet.hyperpod/manifest": "abc"}, "uid": "1", "deletionTimestamp": "x"}, "abc", "1", True),
    ],
)
def test_the_existing_job_is_read(meta: dict[str, t.Any] | None, hashed: str, uid: str, leaving: bool) -> None:
    found = State(None if meta is None else {"metadata": meta})
    assert (found.hash, found.uid, found.leaving) == (hashed, uid, leaving)


def test_a_condition_holds_if_its_status_is_true() -> None:
    found = Workload("w", conditions=conditions(Admitted=("True", "", ""), Evicted=("False", "", "")))
    assert [found.holds(each) for each in ("Admitted", "Evicted", "Finished")] == [True, False, False]


def test_missing_fields_are_empty() -> None:
    facts = {field.name: getattr(Facts(), field.name) for field in dataclasses.fields(Facts)}
    lists, unknown = ("kueue", "queues", "unseen"), ("local_queue", "cluster_queue", "flavors", "levels", "priorities", "frameworks", "topology_aware")
    assert facts == {"namespace": "there", "kind_served": True, **dict.fromkeys(lists, ()), **dict.fromkeys(unknown)}
    assert Workload("w") == Workload("w", True, {}, {}, (), (), ()) and Assigned("a", 1) == Assigned("a", 1, (), (), ())
    assert State() == State(None, None, (), None, (), None, (), "")
    assert Wish() == Wish("", "", "", 0) and PodSet("a", 1, Wish()) == PodSet("a", 1, Wish(), leads=False)
    assert (desired(job()).vanishing, rendered().rights) == ("", ())
