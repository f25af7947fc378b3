# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a Job's pod."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.pods import HOPELESS, Pod

Object = dict[str, t.Any]
SCHEDULED = {"type": "PodScheduled", "status": "False", "message": "no\n nodes"}
RUNNING: Object = {"running": {}}


def pod(phase: str = "Pending", *states: Object, meta: Object | None = None, node: str = "n", **status: t.Any) -> Pod:
    statuses = {"phase": phase, "containerStatuses": [{"state": state} for state in states], **status}
    return Pod.of({"metadata": {"name": "a", **(meta or {})}, "spec": {"nodeName": node}, "status": statuses})


def waiting(reason: str, **more: str) -> Object:
    return {"waiting": {"reason": reason, **more}}


def ended(reason: str, **more: str) -> Object:
    return {"terminated": {"reason": reason, **more}}


def test_a_pod_belongs_to_the_job_of_its_controller() -> None:
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
def test_the_trouble_of_a_pod_is_described(states: list[Object], status: Object, trouble: str) -> None:
    assert pod("Pending", *states, **status).trouble == trouble


@pytest.mark.parametrize("reason", HOPELESS)
def test_a_pod_is_hopeless_if_its_container_cannot_start(reason: str) -> None:
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
def test_the_progress_of_a_pod_is_recognised(found: Pod, started: bool, over: bool) -> None:
    assert (found.started, found.over, found.hopeless) == (started, over, False)


@pytest.mark.parametrize(
    ("conditions", "unscheduled"),
    [
        ([], ""),
        ([SCHEDULED], "no? nodes"),
        ([{**SCHEDULED, "status": "True"}], ""),
        ([{**SCHEDULED, "type": "Ready"}], ""),
        ([{**SCHEDULED, "message": None}], ""),
        ([{**SCHEDULED, "message": "a" * 501}], "a" * 500),
    ],
)
def test_the_scheduler_message_is_read(conditions: list[Object], unscheduled: str) -> None:
    assert pod(conditions=conditions).unscheduled == unscheduled


def exited(code: t.Any) -> Object:
    return {"terminated": {"exitCode": code}}


@pytest.mark.parametrize(
    ("states", "status"),
    [
        ([], None),
        ([RUNNING], None),
        ([exited(0)], 0),
        ([exited(0), exited(3)], 3),
        ([exited(2), exited(3)], 2),
        ([RUNNING, exited(0)], 0),
        ([exited("1")], None),
        ([{}], None),
    ],
)
def test_the_exit_status_is_read(states: list[Object], status: int | None) -> None:
    assert pod("", *states).status == status


@pytest.mark.parametrize(
    ("found", "bound", "begun", "over", "failed"),
    [
        (pod(node=""), False, False, False, False),
        (pod(), True, False, False, False),
        (pod("Running", RUNNING), True, True, False, False),
        (pod("Succeeded"), True, True, True, False),
        (pod("Failed"), True, True, True, True),
        (pod("Pending", waiting("ErrImageNeverPull")), True, True, True, True),
    ],
)
def test_the_phase_of_a_pod_is_recognised(found: Pod, bound: bool, begun: bool, over: bool, failed: bool) -> None:
    assert (found.bound, found.begun, found.over, found.failed) == (bound, begun, over, failed)


@pytest.mark.parametrize(("counts", "expected"), [((), 0), ((0, 2), 2), ((1, 2), 3), (("x", None, -1), 0)])
def test_restarts_are_summed(counts: tuple[t.Any, ...], expected: int) -> None:
    statuses = [{"restartCount": count} for count in counts]
    assert Pod.of({"metadata": {"name": "a"}, "spec": {}, "status": {"containerStatuses": statuses}}).restarts == expected


DIGEST = f"sha256:{'0a' * 32}"
LAST = {"restartCount": 1, "state": waiting("CrashLoopBackOff"), "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}}}


def test_a_container_that_waits_for_a_restart_has_run() -> None:
    found = Pod.of({"metadata": {"name": "a"}, "spec": {}, "status": {"phase": "Running", "containerStatuses": [LAST]}})
    assert (found.started, found.over, found.restarts, found.reasons) == (True, False, 1, ("OOMKilled",))


@pytest.mark.parametrize(
    ("states", "status", "reasons"),
    [
        ([], {}, ()),
        ([ended("OOMKilled")], {"reason": "Evicted"}, ("Evicted", "OOMKilled")),
        ([ended("A\x1b"), ended(""), waiting("B")], {}, ("A?",)),
        ([ended("A" * 501)], {}, ("A" * 500,)),
    ],
)
def test_the_reasons_of_the_end_are_read(states: list[Object], status: Object, reasons: tuple[str, ...]) -> None:
    assert pod("Failed", *states, **status).reasons == reasons


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (f"docker-pullable://ecr.aws/dlc/pytorch@{DIGEST}", f"ecr.aws/dlc/pytorch@{DIGEST}"),
        (f"localhost:5000/pytorch@{DIGEST}", f"localhost:5000/pytorch@{DIGEST}"),
        *((unknown, "") for unknown in (None, 7, "", DIGEST, f"docker://{DIGEST}", f"a@{DIGEST}0", f"a@{DIGEST}\n", f"a\x1b@{DIGEST}")),
        *((unknown, "") for unknown in (f"a@{DIGEST.upper()}", f"{'a' * 256}@{DIGEST}", f"a b@{DIGEST}", "a:1")),
    ],
)
def test_the_image_digest_is_read(image: t.Any, expected: str) -> None:
    statuses = [{"name": "pytorch", "imageID": image}, {"name": "proxy"}]
    found = Pod.of({"metadata": {"name": "a"}, "spec": {}, "status": {"containerStatuses": statuses}})
    assert found.images == ({"pytorch": expected} if expected else {})


def test_a_pod_of_the_same_name_has_another_uid() -> None:
    assert (pod(meta={"uid": "1"}).uid, pod().uid) == ("1", "")
