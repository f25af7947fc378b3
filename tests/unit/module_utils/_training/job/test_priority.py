# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The PriorityClass of a run, and runs that may not create one."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import pod_templates
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import KINDS, Ran

from ..._karpenter.proof.api_server import Server
from .applied import NAME, runner
from .trained import CLASSES, NAMESPACE, Trained

OURS = {"app.kubernetes.io/managed-by": "mlfleet.hyperpod", "mlfleet.hyperpod/training": "old"}
SPACE = "mlfleet.hyperpod/namespace"


def classes_of(job: t.Any) -> list[str | None]:
    return [each["spec"].get("priorityClassName") for each in pod_templates(job.kind, job.planned.job)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("given", [{}, {"queue": "q", "namespace": NAMESPACE}])
def test_pods_without_a_queue_have_the_lowest_priority(kind: str, given: dict[str, t.Any]) -> None:
    world = Trained()
    with Server(world) as kubernetes:
        job = runner(kubernetes, kind, **given)
        assert isinstance(job(), Ran) and world.left == []
    expected = not given and kind != "TrainJob"
    assert (("POST", CLASSES) in world.requests) is (("DELETE", f"{CLASSES}/{NAME}") in world.requests) is expected
    assert classes_of(job) == [NAME if expected else None]
    if expected:
        body = job.planned.priority
        assert (body["value"], body["preemptionPolicy"], body["globalDefault"]) == (-10, "Never", False)
        assert body["metadata"]["labels"] == {**OURS, "mlfleet.hyperpod/training": "0a1b2c3d", SPACE: NAMESPACE}


def test_a_caller_that_may_not_create_a_class_is_warned() -> None:
    world = Trained()
    world.refused["POST", CLASSES] = [403]
    with Server(world) as kubernetes:
        job = runner(kubernetes)
        assert isinstance(job(), Ran)
    assert classes_of(job) == [None] and job.runner.made.left == world.left == []
    assert len(job.warnings) == 1 and job.warnings[0].startswith("The Pods of the job have the default priority, because the caller may not")


def test_a_class_of_another_owner_with_the_name_is_neither_used_nor_removed() -> None:
    world = Trained()
    world.there[f"{CLASSES}/{NAME}"] = {"metadata": {"name": NAME, "labels": {}}}
    with Server(world) as kubernetes, pytest.raises(KubernetesError, match="409"):
        runner(kubernetes)()
    assert world.left == [f"{CLASSES}/{NAME}"]


def test_only_classes_of_killed_runs_of_the_namespace_are_removed() -> None:
    world = Trained()
    for name, labels in {"dead": {**OURS, SPACE: NAMESPACE}, "other": {**OURS, SPACE: "research"}, "theirs": {SPACE: NAMESPACE}}.items():
        world.there[f"{CLASSES}/{name}"] = {"metadata": {"name": name, "labels": labels}}
    with Server(world) as kubernetes:
        assert isinstance(runner(kubernetes)(), Ran)
    assert world.left == [f"{CLASSES}/other", f"{CLASSES}/theirs"]
