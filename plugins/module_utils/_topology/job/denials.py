# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Pods that the API server refuses: the job keeps its quota, and only events of the Pods' owners tell of it.

Reasons of events: Kubernetes' Job controller has ``FailedCreate``, Kubeflow's training operator ``FailedCreatePod``, and the MPI
operator ``MPIJobFailed``, which other failures have as well, so there the message decides. Its launcher is a Job that the MPIJob
owns, without a label of the operator.
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
"""Begins the reasons of such events."""
MESSAGES = ("worker pod created failed", "launcher pod created failed")
"""Begin the messages of those that have another reason."""
LONGEST = 1000
UNREAD = "whether the API server refuses its pods is not known: the caller may not list events"
_STEPS = (
    (QUEUE, f"Put the label {QUEUE} at every Pod template: task governance admits no pod without it in a team's namespace"),
    ("violates PodSecurity", "Take what the message names out of its Pod templates, or use a namespace with other rules"),
    ("exceeded quota", "Wait until other pods of the namespace have ended, or raise the ResourceQuota that the message names"),
)
"""What a message has in it, and what helps."""


def denied(kubernetes: Kubernetes, job: Rendered, uid: str) -> str | None:
    """The newest message, or empty; None where the caller may not list events.

    :raises KubernetesError: for answers that are none.
    """
    try:
        events = list(_events(kubernetes, job, uid))
    except KubernetesError as error:
        if error.status != FORBIDDEN:
            raise
        return None
    return newest(events)


def _events(kubernetes: Kubernetes, job: Rendered, uid: str) -> t.Iterator[Object]:
    """Of the job, and of Jobs that it has made."""
    path = f"/api/v1/namespaces/{job.namespace}/events"
    yield from kubernetes.items(path, fieldSelector=f"involvedObject.uid={uid}")
    if job.kind.job_label:
        made = {each["metadata"].get("uid") for each in kubernetes.items(JOB.path(job.namespace)) if _is_made(each, job, uid)}
        listed = kubernetes.items(path, fieldSelector=f"reason={REASON},involvedObject.kind=Job") if made else []
        yield from (each for each in listed if (each.get("involvedObject") or {}).get("uid") in made)


def _is_made(item: Object, job: Rendered, uid: str) -> bool:
    """A TrainJob makes a JobSet, so it does not own the Jobs itself; they have a label with the name of both."""
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
        return Why(UNREAD, "Allow list of events in the namespace, or look at the events of the job")
    if not message:
        return None
    known = next((step for words, step in _STEPS if words in message), WAIT_ON)
    return Why(f"the API server refuses its pods: {message.rstrip('.')}", known)
