# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What events and Kueue report about a job without Pods; evidence that cannot be read is no error."""

from __future__ import annotations

import dataclasses
import typing as t
import urllib.parse

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.job_kinds import known_kind
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.pod_runner.pods import Pod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.reasons import Why
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.evidence import Evidence
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.job.model import Planned

from ..._karpenter.proof.api_server import Server

EVENTS, KUEUE = "/api/v1/namespaces/ml/events", "/apis/kueue.x-k8s.io"
WORKLOADS = f"{KUEUE}/v1beta1/namespaces/ml/workloads"
QUOTA = "insufficient unused quota for nvidia.com/gpu in flavor gpus, 8 more needed"
LATER = "Raise queue_timeout, or run again when the queue has room"
Object = dict[str, t.Any]


class World:
    """An API server with events by UID, and with the Workload of the job."""

    def __init__(self, *events: tuple[str, str, str, str], workload: Object | None = None, kueue: bool = True) -> None:
        self.events, self.workload, self.kueue = events, workload, kueue
        self.statuses: dict[str, int] = {}

    def answer(self, _method: str, target: str, _body: object) -> tuple[int, t.Any]:
        path, _mark, query = target.partition("?")
        if path in self.statuses:
            return self.statuses[path], {"message": "no"}
        if path == EVENTS:
            selector = urllib.parse.parse_qs(query)["fieldSelector"][0]
            found = [each for each in self.events if selector == f"involvedObject.uid={each[0]}"]
            return 200, {"items": [{"reason": reason, "message": text, "lastTimestamp": when} for _uid, reason, text, when in found]}
        if path == WORKLOADS:
            return 200, {"items": [self.workload] if self.workload else []}
        known = {KUEUE: {"versions": [{"version": "v1beta1"}]}, f"{KUEUE}/v1beta1": {"resources": [{"name": "workloads"}]}}
        return (200, known[path]) if self.kueue and path in known else (404, {})


T = t.TypeVar("T")


def seen(world: World, read: t.Callable[[Evidence], T]) -> T:
    job = {"metadata": {"name": "training-1", "namespace": "ml"}}
    with Server(world) as kubernetes:
        return read(Evidence(kubernetes, "ml", Planned(known_kind("PyTorchJob"), "1", {}, None, job)))


def workload(status: str, reason: str, message: str, **spec: t.Any) -> Object:
    conditions = [{"type": "QuotaReserved", "status": status, "reason": reason, "message": message}]
    meta = {"name": "w", "ownerReferences": [{"uid": "u"}]}
    return {"metadata": meta, "spec": spec, "status": {"conditions": conditions}}


def pod(uid: str) -> Pod:
    return Pod(f"w-{uid}", job="j", node="a", phase="Pending", trouble="", hopeless=False, started=False, uid=uid)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], ""),
        ([("u", "FailedCreatePod", "Error creating: exceeded quota", "2")], "Error creating: exceeded quota"),
        ([("u", "FailedCreate", "new", "2"), ("u", "FailedCreate", "old", "1")], "new"),
        ([("other", "FailedCreatePod", "x", "2"), ("u", "Created", "x", "3")], ""),
    ],
)
def test_refused_pods_are_reported(events: list[tuple[str, str, str, str]], expected: str) -> None:
    assert seen(World(*events), lambda evidence: evidence.denied("u")) == expected


@pytest.mark.parametrize(
    ("world", "expected"),
    [
        (World(workload=workload("False", "Pending", QUOTA)), Why(QUOTA, LATER)),
        (World(workload=workload("False", "NoMatchingFlavor", "")), "no ResourceFlavor of the queue"),
        (World(workload=workload("False", "Pending", QUOTA, active=False)), "it was deactivated"),
        (World(), Why("the job has no Workload", "Check that Kueue's configuration lists the kind of the job")),
        (World(workload={**workload("False", "Pending", QUOTA), "metadata": {"name": "w"}}), "the job has no Workload"),
        (World(kueue=False), None),
    ],
)
def test_the_reason_why_kueue_has_not_admitted_a_job_is_reported(world: World, expected: Why | str | None) -> None:
    found = seen(world, lambda evidence: evidence.queued("u"))
    assert found is not None and expected in found.text if isinstance(expected, str) else found == expected


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], None),
        ([("2", "FailedMount", "old", "1"), ("2", "FailedAttachVolume", "new", "2"), ("2", "Pulling", "x", "3")], ("2", "new")),
        ([("2", "FailedMount", "", "1"), ("3", "FailedMount", "x", "1")], None),
        ([("1", "FailedMapVolume", "first", "1"), ("2", "FailedMount", "second", "2")], ("1", "first")),
    ],
)
def test_volumes_that_cannot_be_mounted_are_reported(events: list[tuple[str, str, str, str]], expected: tuple[str, str] | None) -> None:
    found = seen(World(*events), lambda evidence: evidence.unmounted([pod("1"), pod("2")]))
    assert (found and (found[0].uid, found[1])) == expected


REFERENCE = "registry.example/train@sha256:0a"
UNPULLED = f'Failed to pull image "{REFERENCE}": rpc error: code = Unknown desc = failed to resolve reference "{REFERENCE}": '


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], "ImagePullBackOff"),
        ([("1", "Failed", f"{UNPULLED}new\x1b", "2"), ("1", "Failed", f"{UNPULLED}old", "1")], "ImagePullBackOff: new?"),
        ([("1", "Failed", f"{UNPULLED}{REFERENCE}: not found", "1")], f"ImagePullBackOff: {REFERENCE}: not found"),
        ([("1", "Failed", "Failed to pull image: no space", "1")], "ImagePullBackOff: no space"),
        ([("1", "Failed", "Error: ErrImagePull", "2"), ("1", "BackOff", "Back-off pulling image", "3")], "ImagePullBackOff"),
        ([("2", "Failed", f"{UNPULLED}x", "1")], "ImagePullBackOff"),
    ],
)
def test_the_cause_of_a_failed_pull_is_reported(events: list[tuple[str, str, str, str]], expected: str) -> None:
    waiting = dataclasses.replace(pod("1"), trouble="ImagePullBackOff")
    found = seen(World(*events), lambda evidence: evidence.with_pulls({"a": waiting, "b": pod("2")}))
    assert found == {"a": dataclasses.replace(waiting, trouble=expected), "b": pod("2")}


def test_only_the_events_of_few_pods_are_read() -> None:
    world = World(("9", "FailedMount", "x", "1"))
    assert seen(world, lambda evidence: evidence.unmounted([pod(str(number)) for number in range(1, 10)])) is None


@pytest.mark.parametrize("status", [403, 404, 500])
def test_evidence_that_cannot_be_read_is_left_out(status: int) -> None:
    world = World(("u", "FailedCreatePod", "x", "2"), ("1", "FailedMount", "x", "1"), workload=workload("False", "Pending", QUOTA))
    world.statuses = dict.fromkeys((EVENTS, WORKLOADS), status)
    assert seen(world, lambda evidence: (evidence.denied("u"), evidence.queued("u"), evidence.unmounted([pod("1")]))) == ("", None, None)
    waiting = {"a": dataclasses.replace(pod("1"), trouble="ImagePullBackOff: no")}
    assert seen(world, lambda evidence: evidence.with_pulls(waiting)) == waiting
