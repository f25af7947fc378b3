# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the pod of a look stands, and why it brought no answer."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.accelerator_jobs.model import Answer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.accelerator_jobs.pods import HOPELESS, Pod

Object = dict[str, t.Any]
IMAGE = "Name an image that the node can pull, with Python 3.9 or newer."


def pod(phase: str = "Pending", *states: Object, meta: Object | None = None, node: str = "n", **status: t.Any) -> Pod:
    told = {"phase": phase, "containerStatuses": [{"state": state} for state in states], **status}
    return Pod.of({"metadata": {"name": "a", **(meta or {})}, "spec": {"nodeName": node}, "status": told})


def waiting(reason: str, **more: str) -> Object:
    return {"waiting": {"reason": reason, **more}}


def ended(reason: str, **more: str) -> Object:
    return {"terminated": {"reason": reason, **more}}


def test_whose_a_pod_is() -> None:
    owners = [{"uid": "1"}, {"uid": "2", "controller": True}, {"uid": "3", "controller": True}]
    assert (pod(meta={"ownerReferences": owners}).job, pod().job, pod().name, pod().node) == ("2", "", "a", "n")
    bare = Pod.of({"metadata": {"name": "a"}, "spec": {}})
    assert bare == Pod("a", job="", node="", phase="", trouble="", hopeless=False, started=False)


@pytest.mark.parametrize(
    ("states", "status", "trouble"),
    [
        ([], {}, ""),
        ([waiting("A", message="b\x1b")], {}, "A: b?"),
        ([waiting("A")], {}, "A"),
        ([waiting("A"), ended("B")], {}, "B"),
        ([waiting("A"), ended("B")], {"reason": "C", "message": "d"}, "C: d"),
        ([ended("", message="b")], {}, "b"),
        ([waiting("A", message="b" * 501)], {}, f"A: {'b' * 500}"),
    ],
)
def test_trouble(states: list[Object], status: Object, trouble: str) -> None:
    assert pod("Pending", *states, **status).trouble == trouble


@pytest.mark.parametrize("reason", HOPELESS)
def test_a_container_that_waits_in_vain(reason: str) -> None:
    found = pod("Pending", {"running": {}}, waiting(reason))
    assert found.hopeless and found.over


@pytest.mark.parametrize(
    ("found", "started", "over"),
    [
        (pod(), False, False),
        (pod("Pending", waiting("ContainerCreating")), False, False),
        (pod("Running", {"running": {}}), True, False),
        (pod("Running", waiting("A"), ended("B")), True, False),
        (pod("Succeeded"), False, True),
        (pod("Failed"), False, True),
    ],
)
def test_how_far_it_is(found: Pod, started: bool, over: bool) -> None:
    assert (found.started, found.over, found.hopeless) == (started, over, False)


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (pod("Failed", reason="DeadlineExceeded", message="b"), "The look did not end within 60 s: a tool may hang in the driver."),
        (pod("Pending", waiting("InvalidImageName")), f"Its pod can't be started (InvalidImageName). {IMAGE}"),
        (pod("Failed", ended("OOMKilled")), "Its pod ended without an answer (OOMKilled)."),
        (pod("Succeeded"), "Its pod ended without an answer."),
        (pod("Running"), "Its pod is still Running after 60 s."),
        (pod("", waiting("A")), "Its pod is still unknown after 60 s (A)."),
    ],
)
def test_why_it_brought_no_answer(found: Pod, why: str) -> None:
    assert found.why(60) == why


def test_an_answer_is_empty_at_first() -> None:
    assert Answer() == Answer(health=None, why="", ran=False)
