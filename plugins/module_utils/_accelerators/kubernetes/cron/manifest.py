# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""What is made in Kubernetes for looks that recur. Why a CronJob for each node: docs/use/health.md."""

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
from ..jobs.model import INSTANCE, Asked
from .model import CRON, VALUE, Desired, Node, State

LATE_SECONDS = 600
"""A look that could not begin so long after its time is left out: the next one comes."""
_RECURSIVE = "recursiveReadOnly"


def config_map(desired: Desired) -> Object:
    """Named after what it holds, so that no pod starts with half of a new one."""
    program_text, settings = base64.b64encode(archive(program.__name__)).decode(), json.dumps(desired.looks.settings)
    digest = hashlib.sha256(f"{program_text} {settings}".encode()).hexdigest()[:12]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _meta(f"{VALUE}-{digest}", desired),
        "immutable": True,
        "binaryData": {PROGRAM: program_text},
        "data": {SETTINGS: settings},
    }


def cron_job_name(asked: Asked) -> str:
    return f"{VALUE}-{asked.instance_id}"


def cron_job(desired: Desired, state: State, asked: Asked, node: Node, sent: Object) -> Object:
    """It goes with its node, so that none fails because its node is gone.

    :param sent: The ConfigMap with the program.
    """
    own = {INSTANCE: asked.instance_id}
    meta = _meta(cron_job_name(asked), desired, own)
    meta["ownerReferences"] = [{"apiVersion": "v1", "kind": "Node", "name": asked.node, "uid": node.uid}]
    labels = {"labels": meta["labels"]}
    template = {"metadata": labels, "spec": _known(pod(desired.looks, asked, sent), state)}
    deadline = desired.looks.seconds + CONTROLLER_SECONDS
    return {
        "apiVersion": state.api_version,
        "kind": "CronJob",
        "metadata": meta,
        "spec": {
            "schedule": desired.schedule_of(asked),
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
    """Without the field that an older API server refuses when it is applied."""
    for container in spec["containers"]:
        for mount in container["volumeMounts"]:
            if not state.recursive:
                mount.pop(_RECURSIVE, None)
    return spec


def _meta(name: str, desired: Desired, labels: t.Mapping[str, str] | None = None) -> dict[str, t.Any]:
    ours = {MANAGED_BY: US, CRON: VALUE, **(labels or {})}
    return {"name": name, "namespace": desired.looks.namespace, "labels": ours}
