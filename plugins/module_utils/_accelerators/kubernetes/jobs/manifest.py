# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Manifests of checks. docs/use/health.md explains why the Pod needs its rights."""

from __future__ import annotations

import base64
import functools
import json

from ...._core.program_archive import archive
from ...._kubernetes import verified_program
from ...._kubernetes.client import Object
from ...._kubernetes.pod_runner.manifest import CONTROLLER_SECONDS, job as job_of
from ...._kubernetes.pod_runner.mark import Mark
from ...node import hung_tools
from ...node.pod import main as program
from .model import INSTANCE, LOOK, Desired, Target

PROGRAM, SETTINGS, FOLDER = "look.pyz", "settings.json", "/mlfleet-hyperpod"
CONTAINER = "look"


def name(run: str) -> str:
    return f"look-{run}"


def config_map(run: str, desired: Desired, *, needed: int) -> Object:
    """The ConfigMap with the program and the settings for all nodes.

    :param needed: the seconds for which the run needs the ConfigMap.
    """
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": Mark(LOOK, run).metadata(name(run), needed=needed),
        "immutable": True,
        "binaryData": {PROGRAM: _program()},
        "data": {SETTINGS: json.dumps(desired.settings)},
    }


@functools.cache
def _program() -> str:
    return base64.b64encode(archive(program.__name__)).decode()


def job_name(run: str, target: Target) -> str:
    return f"{name(run)}-{target.instance_id}"


def job(run: str, desired: Desired, target: Target) -> Object:
    """The Pod is bound to its node by name. It requests no accelerators, so it also starts while other Pods use all of them."""
    longest = desired.seconds + CONTROLLER_SECONDS
    program_map = config_map(run, desired, needed=longest)
    metadata = Mark(LOOK, run).metadata(job_name(run, target), needed=longest, labels={INSTANCE: target.instance_id})
    return job_of(metadata, pod(desired, target, program_map), seconds=desired.seconds)


def pod(desired: Desired, target: Target, program_map: Object) -> Object:
    """:param program_map: the ConfigMap with the program."""
    return {
        "nodeName": target.node,
        "tolerations": [{"operator": "Exists"}],
        "restartPolicy": "Never",
        "activeDeadlineSeconds": desired.seconds,
        "terminationGracePeriodSeconds": 1,
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "hostPID": True,
        "hostNetwork": True,
        "dnsPolicy": "Default",
        "containers": [
            {
                "name": CONTAINER,
                "image": desired.image,
                "command": verified_program.command(program_map, FOLDER, [json.dumps(target.options)]),
                "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"memory": "1Gi"}},
                "securityContext": {"privileged": True, "runAsUser": 0, "readOnlyRootFilesystem": True},
                "volumeMounts": [
                    {"name": "host", "mountPath": program.HOST, "readOnly": True, "recursiveReadOnly": "IfPossible"},
                    {"name": "program", "mountPath": FOLDER, "readOnly": True},
                    {"name": "hung-tools", "mountPath": hung_tools.FOLDER},
                    {"name": "tmp", "mountPath": "/tmp"},
                ],
            }
        ],
        "volumes": [
            {"name": "host", "hostPath": {"path": "/", "type": "Directory"}},
            {"name": "program", "configMap": {"name": program_map["metadata"]["name"]}},
            {"name": "hung-tools", "hostPath": {"path": hung_tools.FOLDER, "type": "DirectoryOrCreate"}},
            {"name": "tmp", "emptyDir": {"sizeLimit": "512Mi"}},
        ],
    }
