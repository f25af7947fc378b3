# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Pods that the API server refuses: the job keeps its quota, and only events of the Pods' owners report it.

Reasons of events: ``FailedCreate`` from Kubernetes' Job controller, ``FailedCreatePod`` from Kubeflow's training operator, and
``MPIJobFailed`` from the MPI operator. The last one has other causes as well, so the message decides. The MPI launcher is a Job
that the MPIJob owns, without a label of the operator.
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
"""Prefix of the reasons of such events."""
MESSAGES = ("worker pod created failed", "launcher pod created failed")
"""Prefixes of the messages of events with another reason."""
LONGEST = 1000
UNREAD = "it is unknown whether the API server refuses its Pods: the caller may not list events"
_STEPS = (
    (QUEUE, f"Set the label {QUEUE} on every Pod template: task governance refuses Pods without it in a team's namespace"),
    ("violates PodSecurity", "Remove the fields in the message from its Pod templates, or use a namespace with other rules"),
    ("exceeded quota", "Wait until other Pods of the namespace have ended, or raise the ResourceQuota in the message"),
)
"""Parts of messages, and next steps."""


def denied(kubernetes: Kubernetes, job: Rendered, uid: str) -> str | None:
    """The newest message, or empty; None if the caller may not list events.

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
    """Events of the job, and of Jobs that it created."""
    path = f"/api/v1/namespaces/{job.namespace}/events"
    yield from kubernetes.items(path, fieldSelector=f"involvedObject.uid={uid}")
    if job.kind.job_label:
        made = {each["metadata"].get("uid") for each in kubernetes.items(JOB.path(job.namespace)) if _is_made(each, job, uid)}
        listed = kubernetes.items(path, fieldSelector=f"reason={REASON},involvedObject.kind=Job") if made else []
        yield from (each for each in listed if (each.get("involvedObject") or {}).get("uid") in made)


def _is_made(item: Object, job: Rendered, uid: str) -> bool:
    """A TrainJob creates a JobSet, so it does not own the Jobs itself; they have a label with the name of both."""
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
    return Why(f"the API server refuses its Pods: {message.rstrip('.')}", known)
