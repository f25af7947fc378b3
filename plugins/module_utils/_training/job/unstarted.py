# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why the Pods of a job did not get a node, or did not start. No I/O."""

from __future__ import annotations

import re

from ..._kubernetes.pod_runner.pods import Pod
from ..._kubernetes.pod_runner.runner import Pods
from ..._topology.job.reasons import Why
from .model import ALLOCATION, IMAGE, STORAGE, TIMEOUT, Desired, NotRun
from .refused import clause, refused

PULLS = ("ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull")
"""Kubernetes' reasons for a container that waits because its image cannot be pulled. A container that waits for any other reason
may be unable to mount its storage.
"""
_VOLUME = re.compile(r"volume|mount|subpath", re.IGNORECASE)
_OURS = re.compile(r'volume "(program|shared)"')
"""Matches messages about volumes that do not belong to the claim."""


def unplaced(desired: Desired, kind: str, pods: Pods, *, denied: str, queued: Why | None) -> NotRun:
    """Why not all Pods have a node.

    :param denied: the message with which the API server refused a Pod; empty if there is none.
    :param queued: why Kueue has not admitted the job; None if it has, or if the reason is unknown.
    """
    waited, miscounted = f"within {desired.queue_timeout} s", _miscounted(desired, pods)
    if miscounted and denied:
        return refused(desired, f"Pods of the {kind}", denied)
    if miscounted and queued:
        return NotRun(ALLOCATION, f"Kueue did not admit the {kind} {waited}: {clause(queued.text)}. {queued.step}.")
    if not pods:
        first = "that Kueue admits the job, and " if desired.queue.name else ""
        return NotRun(ALLOCATION, f"No Pod of the {kind} was created {waited}. Check {first}that its operator runs.")
    why = clause(miscounted or next(trouble(each) for each in pods.values() if not each.bound))
    if desired.claim and re.search("persistentvolumeclaim|volume", why, re.IGNORECASE):
        step = f"Check PersistentVolumeClaim {desired.namespace}/{desired.claim}, and on which nodes its volume can be used"
        return NotRun(STORAGE, f"Kubernetes did not place all Pods {waited}: {why}. {step}.")
    step = "Check which Pods run on the nodes, or raise queue_timeout"
    return NotRun(ALLOCATION, f"Kubernetes did not place all Pods {waited}: {why}. {step}.")


def failed_before_start(desired: Desired, pods: Pods) -> NotRun | None:
    """Why a container will not run; None if no Pod has failed before it ran."""
    failed = sorted((each for each in pods.values() if each.failed and not each.started), key=lambda pod: not pod.hopeless)
    if not failed:
        return None
    pod, why = failed[0], clause(trouble(failed[0]))
    if not pod.hopeless:
        return NotRun(ALLOCATION, f"Node {pod.node} refused Pod {pod.name} ({why}). Check which Pods run on the node.")
    if why.startswith(PULLS):
        return NotRun(IMAGE, f"Pod {pod.name} cannot start ({why}). Name an image that the nodes can pull.")
    if _VOLUME.search(why):
        return unmounted(desired, pod, why)
    return NotRun(IMAGE, f"The container of Pod {pod.name} cannot start ({why}). Check the image and its entry point.")


def unmounted(desired: Desired, pod: Pod, why: str) -> NotRun:
    """The failure if a Pod cannot mount its storage.

    :param why: the message of the node.
    """
    check = "the volumes of the Pod"
    if desired.claim and not _OURS.search(why):
        claim = f"PersistentVolumeClaim {desired.namespace}/{desired.claim}"
        check = f"{claim}, its CSI driver, and the security groups of the file system"
    return NotRun(STORAGE, f"Pod {pod.name} cannot mount its storage on {pod.node}: {clause(why)}. Check {check}.")


def unstarted(desired: Desired, pods: Pods) -> NotRun:
    """The failure if the time was over before all containers ran."""
    waiting = [each for each in pods.values() if not each.begun]
    why = clause(_miscounted(desired, pods) or trouble(waiting[0]))
    where = f"of Pod {waiting[0].name} on {waiting[0].node}" if waiting else "of the job"
    text = f"Not all Pods had started after {desired.start_timeout} s ({why})."
    return NotRun(TIMEOUT, f"{text} Check the events {where}, or raise start_timeout.")


def _miscounted(desired: Desired, pods: Pods) -> str:
    """A text if there are fewer or more Pods than nodes; empty if the numbers match."""
    missing = len(desired.nodes) - len(pods)
    if missing < 0:
        return f"there are {len(pods)} Pods for {len(desired.nodes)} nodes"
    return f"there is no Pod for {missing} of {len(desired.nodes)} nodes" if missing else ""


def trouble(pod: Pod) -> str:
    """Why the Pod does not run."""
    return (pod.trouble if pod.bound else pod.unscheduled) or "Kubernetes reports no reason"
