# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that the API server refuses: events of their owners, the newest message, and what helps."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job import denials
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.reasons import WAIT_ON

from .jobs import UID, Object, job, job_set, rendered

NO_QUEUE = (
    'Error creating: pods "mnist-" is forbidden: ValidatingAdmissionPolicy hyperpod-task-governance-admission-policy denied request: '
    "missing label kueue.x-k8s.io/queue-name"
)


def event(message: str, time: str, reason: str = "FailedCreate", uid: str = UID, **more: t.Any) -> Object:
    return {"reason": reason, "message": message, "lastTimestamp": time, "involvedObject": {"uid": uid, "kind": "Job"}, **more}


class Api:
    """Lists by paths; ``asked`` has the selectors."""

    def __init__(self, **listed: list[Object]) -> None:
        self.listed, self.asked = listed, []  # type: ignore[var-annotated]

    def items(self, path: str, **query: str) -> list[Object]:
        self.asked.append((path.rpartition("/")[2], query))
        name = "of_jobs" if "reason" in query.get("fieldSelector", "") else path.rpartition("/")[2]
        return self.listed.get(name, [])


def asked(api: t.Any, manifest: Object | None = None) -> str | None:
    return denials.denied(api, rendered(manifest or job()), UID)


def test_the_newest_message_of_the_job() -> None:
    api = Api(events=[event("old", "2026-01-01"), event("new\x1b", "2026-01-02"), event("other", "2026-01-03", reason="Created")])
    assert asked(api) == "new?" and api.asked == [("events", {"fieldSelector": f"involvedObject.uid={UID}"})]
    assert asked(Api()) == ""


@pytest.mark.parametrize("time", [{"eventTime": "2026-02-01"}, {"series": {"lastObservedTime": "2026-02-01"}, "lastTimestamp": "2025"}])
def test_newer_forms_of_events(time: Object) -> None:
    newer = {**event("new", "", reason="FailedCreatePod"), "lastTimestamp": None, **time}
    assert denials.newest([event("old", "2026-01-01"), newer]) == "new"


def test_of_jobs_that_the_job_has_made() -> None:
    made = [{"metadata": {"uid": "made"}}]
    others = [event("of another", "2026-01-09", uid="another"), event("of its own", "2026-01-01", uid="made")]
    api = Api(jobs=made, of_jobs=others)
    assert asked(api, job_set()) == "of its own"
    assert ("jobs", {"labelSelector": "jobset.sigs.k8s.io/jobset-name=mnist"}) in api.asked


class Refusing:
    def __init__(self, status: int) -> None:
        self.status = status

    def items(self, path: str, **query: str) -> list[Object]:
        raise KubernetesError(f"no {path} {query}", self.status)


def test_a_caller_who_may_not_list_events() -> None:
    assert asked(Refusing(403)) is None
    found = denials.why(None)
    assert found is not None and "may not list events" in found.text
    with pytest.raises(KubernetesError):
        asked(Refusing(500))


@pytest.mark.parametrize(
    ("message", "step"),
    [
        (NO_QUEUE, "Put the label kueue.x-k8s.io/queue-name at every Pod template"),
        ('pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces', "Take what the message names out"),
        ('pods "a" is forbidden: exceeded quota: all, requested: pods=1', "Wait until other pods of the namespace have ended"),
        ("something else.", WAIT_ON),
    ],
)
def test_what_helps(message: str, step: str) -> None:
    found = denials.why(message)
    assert found is not None and found.text == f"the API server refuses its pods: {message.rstrip('.')}" and found.step.startswith(step)
    assert denials.why("") is None
