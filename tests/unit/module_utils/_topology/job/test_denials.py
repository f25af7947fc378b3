# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods that the API server refuses: events of their owners, the newest message, and the next step."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import KubernetesError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job import denials
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.reasons import WAIT_ON

from .jobs import UID, Object, job, job_set, mpi_job, rendered, train_job

NO_QUEUE = (
    'Error creating: pods "mnist-" is forbidden: ValidatingAdmissionPolicy hyperpod-task-governance-admission-policy denied request: '
    "missing label kueue.x-k8s.io/queue-name"
)


def event(message: str, time: str, reason: str = "FailedCreate", uid: str = UID, **more: t.Any) -> Object:
    return {"reason": reason, "message": message, "lastTimestamp": time, "involvedObject": {"uid": uid, "kind": "Job"}, **more}


class Api:
    """Lists by path; ``requests`` contains the selectors."""

    def __init__(self, **listed: list[Object]) -> None:
        self.listed, self.requests = listed, []  # type: ignore[var-annotated]

    def items(self, path: str, **query: str) -> list[Object]:
        self.requests.append((path.rpartition("/")[2], query))
        name = "of_jobs" if "reason" in query.get("fieldSelector", "") else path.rpartition("/")[2]
        label, _equals, value = query.get("labelSelector", "").partition("=")
        return [each for each in self.listed.get(name, []) if not label or each["metadata"].get("labels", {}).get(label) == value]


def denial(api: t.Any, manifest: Object | None = None) -> str | None:
    return denials.denied(api, rendered(manifest or job()), UID)


def test_the_newest_message_of_the_job_is_returned() -> None:
    api = Api(events=[event("old", "2026-01-01"), event("new\x1b", "2026-01-02"), event("other", "2026-01-03", reason="Created")])
    assert denial(api) == "new?" and api.requests == [("events", {"fieldSelector": f"involvedObject.uid={UID}"})]
    assert denial(Api()) == ""


@pytest.mark.parametrize("time", [{"eventTime": "2026-02-01"}, {"series": {"lastObservedTime": "2026-02-01"}, "lastTimestamp": "2025"}])
def test_newer_forms_of_events_are_read(time: Object) -> None:
    newer = {**event("new", "", reason="FailedCreatePod"), "lastTimestamp": None, **time}
    assert denials.newest([event("old", "2026-01-01"), newer]) == "new"


def made(uid: str, owner: str = "", **labels: str) -> Object:
    """A Job, by default of another owner."""
    owners = [{"kind": "Pod", "uid": "another"}, {"uid": owner or "another"}]
    return {"metadata": {"uid": uid, "labels": {name.replace("__", "/"): value for name, value in labels.items()}, "ownerReferences": owners}}


BY_JOB_SET = {"jobset.sigs.k8s.io__jobset-name": "mnist"}


@pytest.mark.parametrize(
    ("manifest", "there", "message"),
    [
        (job_set(), made("made", **BY_JOB_SET), "of its own"),
        (train_job(), made("made", **BY_JOB_SET), "of its own"),
        (job_set(), made("made", **{**BY_JOB_SET, "jobset.sigs.k8s.io__jobset-name": "mnist-2"}), ""),
        (mpi_job(), made("made", UID, app="mnist"), "of its own"),
        (mpi_job(), made("made", app="mnist"), ""),
        (mpi_job(), {"metadata": {"uid": "made"}}, ""),
    ],
    ids=["JobSet", "TrainJob", "other JobSet", "MPIJob", "other owner", "no owner"],
)
def test_messages_of_jobs_created_by_the_job_are_returned(manifest: Object, there: Object, message: str) -> None:
    others = [event("of another", "2026-01-09", uid="another"), event("of its own", "2026-01-01", uid="made")]
    assert denial(Api(jobs=[there], of_jobs=others), manifest) == message


@pytest.mark.parametrize("begin", ["worker pod created failed: ", "launcher pod created failed: "])
def test_the_event_of_the_mpi_operator_about_refused_pods_is_read(begin: str) -> None:
    """Source: kubeflow/mpi-operator ``pkg/controller/mpi_job_controller.go``."""
    newest = event(f"{begin}{NO_QUEUE}\x1b", "2026-01-02", reason="MPIJobFailed")
    ended = event("MPIJob team/mnist has failed: worker pod created failed", "2026-01-03", reason="MPIJobFailed")
    assert denial(Api(events=[newest, ended, {"reason": "MPIJobFailed"}]), mpi_job()) == f"{begin}{NO_QUEUE}?"


class Refusing:
    def __init__(self, status: int) -> None:
        self.status = status

    def items(self, path: str, **query: str) -> list[Object]:
        raise KubernetesError(f"no {path} {query}", self.status)


def test_without_permission_to_list_events_the_message_is_unknown() -> None:
    assert denial(Refusing(403)) is None
    found = denials.why(None)
    assert found is not None and "may not list events" in found.text
    with pytest.raises(KubernetesError):
        denial(Refusing(500))


@pytest.mark.parametrize(
    ("message", "step"),
    [
        (NO_QUEUE, "Set the label kueue.x-k8s.io/queue-name on every Pod template"),
        ('pods "a" is forbidden: violates PodSecurity "baseline:latest": host namespaces', "Remove from the Pod templates the fields that the message names"),
        ('pods "a" is forbidden: exceeded quota: all, requested: pods=1', "Wait until other Pods of the namespace have ended"),
        ("something else.", WAIT_ON),
    ],
)
def test_a_message_has_a_next_step(message: str, step: str) -> None:
    found = denials.why(message)
    assert found is not None and found.text == f"the API server refuses the job's Pods: {message.rstrip('.')}" and found.step.startswith(step)
    assert denials.why("") is None
