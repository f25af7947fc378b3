# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a job's Pods were not created, admitted or started, from events and Kueue. Sources that cannot be read are skipped."""

from __future__ import annotations

import re
import typing as t
from dataclasses import replace

from ..._core.text import printable
from ..._kubernetes.client import Kubernetes, KubernetesError, Object
from ..._kubernetes.pod_runner.pods import LONGEST, Pod
from ..._kubernetes.pod_runner.runner import Pods
from ..._topology.job import denials, reasons
from ..._topology.job.cluster import Cluster
from ..._topology.job.model import Rendered
from ..._topology.job.reasons import Why
from ..._topology.job.workload import JOB_UID, of_job
from .model import Planned

MOST_PODS = 8
"""The maximum number of Pods whose events are read."""
MOUNTS = ("FailedMount", "FailedAttachVolume", "FailedMapVolume")
"""The event reasons of volumes that cannot be attached or mounted."""
BACK_OFF = "ImagePullBackOff"
"""The reason of a container whose image could not be pulled. Older kubelets do not add the cause to its message."""
_UNPULLED = re.compile(r'Failed to pull image(?:.*": |: )(.+)', re.DOTALL)
"""Matches the message of an event. The cause follows the last text in quotes, such as the name of the image."""
_NO_WORKLOAD = Why("the job has no Workload", "Check that Kueue's configuration lists the kind of the job")
_LATER = "Raise queue_timeout, or run again when the queue has room"
T = t.TypeVar("T")


class Evidence:
    """Reads evidence about one job."""

    def __init__(self, kubernetes: Kubernetes, namespace: str, planned: Planned) -> None:
        self.kubernetes = kubernetes
        self.namespace = namespace
        self.planned = planned

    def denied(self, uid: str) -> str:
        """The newest message with which the API server refused a Pod; empty if there is none.

        :param uid: the UID of the job.
        """
        job = Rendered(self.planned.kind, self.planned.job, (), "")
        return _read(lambda: denials.denied(self.kubernetes, job, uid), None) or ""

    def queued(self, uid: str) -> Why | None:
        """Why Kueue has not admitted the job; None if Kueue has admitted it, or if the reason is unknown."""
        return _read(lambda: self._queued(uid), None)

    def unmounted(self, pods: t.Iterable[Pod]) -> tuple[Pod, str] | None:
        """The first Pod with a volume that could not be attached or mounted, and the newest message."""
        for pod in list(pods)[:MOST_PODS]:
            found = [each for each in self._events(pod) if each.get("reason") in MOUNTS and each.get("message")]
            if found:
                return pod, str(max(found, key=_time)["message"])
        return None

    def with_pulls(self, pods: Pods) -> Pods:
        """The Pods, where the trouble of those whose image could not be pulled is the cause in the newest event."""
        waiting = [key for key, pod in pods.items() if pod.trouble.startswith(BACK_OFF)]
        return {**pods, **{key: self._with_pull(pods[key]) for key in waiting[:MOST_PODS]}}

    def _with_pull(self, pod: Pod) -> Pod:
        messages = [(_time(each), _UNPULLED.match(str(each.get("message")))) for each in self._events(pod)]
        failed = [(when, found[1]) for when, found in messages if found]
        return replace(pod, trouble=f"{BACK_OFF}: {printable(max(failed)[1])[:LONGEST]}") if failed else pod

    def _events(self, pod: Pod) -> list[Object]:
        path, of_pod = f"/api/v1/namespaces/{self.namespace}/events", f"involvedObject.uid={pod.uid}"
        return _read(lambda: self.kubernetes.items(path, fieldSelector=of_pod), [])

    def _queued(self, uid: str) -> Why | None:
        cluster = Cluster(self.kubernetes)
        if not cluster.kueue_versions():
            return None
        items = self.kubernetes.items(cluster.path("workloads", self.namespace), labelSelector=f"{JOB_UID}={uid}")
        workload = of_job(items, uid)
        if workload is None:
            return _NO_WORKLOAD
        text, step = reasons.waiting(workload), reasons.next_step(workload)
        return Why(text, _LATER if step == reasons.WAIT_ON else step) if text else None


def _time(event: Object) -> str:
    return str(event.get("lastTimestamp") or event.get("eventTime") or "")


def _read(ask: t.Callable[[], T], nothing: T) -> T:
    try:
        return ask()
    except KubernetesError:
        return nothing
