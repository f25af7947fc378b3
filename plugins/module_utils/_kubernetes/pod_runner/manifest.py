# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A Job that runs one Pod once. No I/O."""

from __future__ import annotations

import typing as t

from ..client import Object

KEPT_SECONDS = 600
"""Seconds after which Kubernetes removes an ended Job."""
CONTROLLER_SECONDS = 60
"""Seconds by which the Job's deadline exceeds the Pod's. The kubelet thus ends the Pod first, which preserves its log."""


def job(metadata: Object, pod: Object, *, seconds: int, annotations: t.Mapping[str, str] | None = None) -> Object:
    """The Job ends at its deadline even if its Pod never gets a node. The Pod's own deadline applies only on a node.

    :param metadata: from ``Mark.metadata``; the Pod gets the same labels.
    :param seconds: the time limit of the Pod.
    :param annotations: the Pod's annotations.
    """
    of_pod = {"labels": metadata["labels"], **({"annotations": dict(annotations)} if annotations else {})}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata,
        "spec": {
            "backoffLimit": 0,
            "activeDeadlineSeconds": seconds + CONTROLLER_SECONDS,
            "ttlSecondsAfterFinished": KEPT_SECONDS,
            "template": {"metadata": of_pod, "spec": pod},
        },
    }
