# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Finds out whether the API server refuses a job's Pods. Such a job keeps its quota, and only events report the refusal.

The events are about the Pods' owners. Their reasons are ``FailedCreate`` (Kubernetes' Job controller), ``FailedCreatePod``
(Kubeflow's training operator) and ``MPIJobFailed`` (MPI operator). The last reason also has other causes, so the message decides.
The MPI launcher is a Job that the MPIJob owns and that has no label of the operator.
"""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..._kubernetes.client import Kubernetes, KubernetesError, Object
from ..._kubernetes.job_kinds import JOB
from .cluster import FORBIDDEN
from .model import Rendered
from .reasons import WAIT_ON, Why
from .render import QUEUE

REASON = "FailedCreate"
"""The prefix of the reasons of such events."""
MESSAGES = ("worker pod created failed", "launcher pod created failed")
"""The prefixes of the messages of those events whose reason does not begin with ``REASON``."""
LONGEST = 1000
UNREAD = "it is unknown whether the API server refuses the job's Pods, because the caller may not list events"
_STEPS = (
    (QUEUE, f"Set the label {QUEUE} on every Pod template, because task governance refuses other Pods in a team's namespace"),
    (
        "violates PodSecurity",
        "Remove from the Pod templates the fields that the message names, or use a namespace with a weaker level",
    ),
    ("exceeded quota", "Wait until other Pods of the namespace have ended, or raise the ResourceQuota that the message names"),
)
"""Texts that a message may contain, and the next step for each."""


def denied(kubernetes: Kubernetes, job: Rendered, uid: str) -> str | None:
    """The newest message about a refused Pod, or empty; None if the caller may not list events.

    :raises KubernetesError: for failed requests.
    """
    try:
        events = list(_events(kubernetes, job, uid))
    except KubernetesError as error:
        if error.status != FORBIDDEN:
            raise
        return None
    return newest(events)


def _events(kubernetes: Kubernetes, job: Rendered, uid: str) -> t.Iterator[Object]:
    """The events of the job, and of the Jobs that it created."""
    path = f"/api/v1/namespaces/{job.namespace}/events"
    yield from kubernetes.items(path, fieldSelector=f"involvedObject.uid={uid}")
    if job.kind.job_label:
        made = {each["metadata"].get("uid") for each in kubernetes.items(JOB.path(job.namespace)) if _is_made(each, job, uid)}
        listed = kubernetes.items(path, fieldSelector=f"reason={REASON},involvedObject.kind=Job") if made else []
        yield from (each for each in listed if (each.get("involvedObject") or {}).get("uid") in made)


def _is_made(item: Object, job: Rendered, uid: str) -> bool:
    """Whether the job created this Job. A JobSet with the TrainJob's name owns a TrainJob's Jobs, and their label has this name."""
    meta = item["metadata"]
    owned = uid in [each.get("uid") for each in meta.get("ownerReferences") or ()]
    return owned or (meta.get("labels") or {}).get(job.kind.job_label) == job.name


def newest(events: t.Iterable[Object]) -> str:
    found = [each for each in events if _is_denial(each)]
    return printable(max(found, key=_time)["message"])[:LONGEST] if found else ""


def _is_denial(event: Object) -> bool:
    message = str(event.get("message") or "")
    return bool(message) and (str(event.get("reason") or "").startswith(REASON) or message.startswith(MESSAGES))


def _time(event: Object) -> str:
    series = event.get("series") or {}
    return str(series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime") or "")


def why(message: str | None) -> Why | None:
    if message is None:
        return Why(UNREAD, "Allow the caller to list events in the namespace, or check the events of the job")
    if not message:
        return None
    known = next((step for words, step in _STEPS if words in message), WAIT_ON)
    return Why(f"the API server refuses the job's Pods: {message.rstrip('.')}", known)
