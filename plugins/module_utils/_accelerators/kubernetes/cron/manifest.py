# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Manifests of scheduled checks. docs/use/health.md explains why each node has its own CronJob."""

from __future__ import annotations

import base64
import hashlib
import json
import typing as t

from ...._core.program_archive import archive
from ...._kubernetes.client import Object
from ...._kubernetes.objects.model import MANAGED_BY, US
from ...._kubernetes.pod_runner.manifest import CONTROLLER_SECONDS
from ...node.pod import recurring as program
from ..jobs.manifest import PROGRAM, SETTINGS, pod
from ..jobs.model import INSTANCE, Target
from .model import CRON, VALUE, Desired, Node, State

LATE_SECONDS = 600
"""A check that has not started within this number of seconds after its scheduled time is skipped."""
_RECURSIVE = "recursiveReadOnly"


def config_map(desired: Desired) -> Object:
    """The ConfigMap is named after its content, so that no Pod starts with a mix of old and new content."""
    program_text, settings = base64.b64encode(archive(program.__name__)).decode(), json.dumps(desired.checks.settings)
    digest = hashlib.sha256(f"{program_text} {settings}".encode()).hexdigest()[:12]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _meta(f"{VALUE}-{digest}", desired),
        "immutable": True,
        "binaryData": {PROGRAM: program_text},
        "data": {SETTINGS: settings},
    }


def cron_job_name(target: Target) -> str:
    return f"{VALUE}-{target.instance_id}"


def cron_job(desired: Desired, state: State, target: Target, node: Node, program_map: Object) -> Object:
    """The Node owns its CronJob, so Kubernetes deletes the CronJob after the Node is deleted.

    :param program_map: the ConfigMap with the program.
    """
    own = {INSTANCE: target.instance_id}
    meta = _meta(cron_job_name(target), desired, own)
    meta["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": target.node, "uid": node.uid}]
    labels = {"labels": meta["labels"]}
    template = {"metadata": labels, "spec": _known(pod(desired.checks, target, program_map), state)}
    deadline = desired.checks.seconds + CONTROLLER_SECONDS
    return {
        "apiVersion": state.api_version,
        "kind": "CronJob",
        "metadata": meta,
        "spec": {
            "schedule": desired.schedule_of(target),
            "concurrencyPolicy": "Forbid",
            "startingDeadlineSeconds": LATE_SECONDS,
            "successfulJobsHistoryLimit": 1,
            "failedJobsHistoryLimit": 1,
            "jobTemplate": {
                "metadata": labels,
                "spec": {"backoffLimit": 0, "activeDeadlineSeconds": deadline, "template": template},
            },
        },
    }


def _known(spec: Object, state: State) -> Object:
    """The specification, without ``recursiveReadOnly`` if the API server is too old: server-side apply refuses unknown fields."""
    for container in spec["containers"]:
        for mount in container["volumeMounts"]:
            if not state.recursive:
                mount.pop(_RECURSIVE, None)
    return spec


def _meta(name: str, desired: Desired, labels: t.Mapping[str, str] | None = None) -> dict[str, t.Any]:
    own_labels = {MANAGED_BY: US, CRON: VALUE, **(labels or {})}
    return {"name": name, "namespace": desired.checks.namespace, "labels": own_labels}
