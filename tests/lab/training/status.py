# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of a PyTorchJob: its conditions, and the number of its replicas in each phase."""

from __future__ import annotations

import datetime
import typing as t

from lab.kubernetes.api import Object

from . import objects

CREATED, RUNNING, RESTARTING = "Created", "Running", "Restarting"
SUSPENDED, SUCCEEDED, FAILED = "Suspended", "Succeeded", "Failed"
EXCLUDES = {RUNNING: RESTARTING, RESTARTING: RUNNING}
PHASES = {"active": "Running", "succeeded": "Succeeded", "failed": "Failed"}


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def age(moment: str) -> float:
    """Seconds since a moment."""
    since = datetime.datetime.fromisoformat(moment.replace("Z", "+00:00"))
    return (datetime.datetime.now(datetime.timezone.utc) - since).total_seconds()


def holds(status: Object, kind: str) -> bool:
    return any(each["type"] == kind and each["status"] == "True" for each in status.get("conditions") or [])


def finished(status: Object) -> bool:
    return holds(status, SUCCEEDED) or holds(status, FAILED)


def put(status: Object, kind: str, message: str, *, value: bool = True, reason: str = "") -> None:
    """Set a condition and move it to the end of the list; do nothing if it has this value already."""
    current = {each["type"]: each for each in status.get("conditions") or []}
    if current.get(kind, {}).get("status") == str(value):
        return
    moment = now()
    kept = [each for name, each in current.items() if name not in (kind, EXCLUDES.get(kind) if value else None)]
    if value and kind in (SUCCEEDED, FAILED, SUSPENDED):
        kept = [{**each, "status": "False"} if each["type"] == RUNNING else each for each in kept]
    made = {"type": kind, "status": str(value), "reason": reason or f"PyTorchJob{kind}", "message": message}
    status["conditions"] = [*kept, {**made, "lastUpdateTime": moment, "lastTransitionTime": moment}]


def counted(job: Object, pods: t.Sequence[Object]) -> dict[str, dict[str, int]]:
    """Replicas by type and phase."""
    found = {}
    for kind in objects.replicas(job):
        own = [pod for pod in pods if pod["metadata"]["labels"][f"{objects.PREFIX}replica-type"] == kind.lower()]
        phases = [pod["status"].get("phase") for pod in own]
        found[kind] = {key: phases.count(phase) for key, phase in PHASES.items() if phase in phases}
    return found


def judge(job: Object, status: Object) -> None:
    """Derive Running, Succeeded or Failed from the counts; the master decides if there is one."""
    title = f"PyTorchJob {job['metadata']['namespace']}/{job['metadata']['name']}"
    specs, counts = objects.replicas(job), status["replicaStatuses"]
    decides = next(iter(specs))
    for kind in specs:
        failed = counts[kind].get("failed", 0)
        if failed:
            put(status, FAILED, f"{title} is failed because {failed} {kind} replica(s) failed.")
            return
    if counts[decides].get("succeeded", 0) >= objects.count(specs[decides]):
        put(status, SUCCEEDED, f"{title} is successfully completed.")
    elif counts[decides].get("active", 0):
        put(status, RUNNING, f"{title} is running.")
