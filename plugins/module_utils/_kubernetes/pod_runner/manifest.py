# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A Job that runs one pod once: pure, no I/O."""

from __future__ import annotations

import typing as t

from ..client import Object

KEPT_SECONDS = 600
"""Seconds after its end when Kubernetes removes a Job that still exists."""
CONTROLLER_SECONDS = 60
"""The Job's controller waits that much longer than the kubelet, which keeps the log."""


def job(metadata: Object, pod: Object, *, seconds: int, annotations: t.Mapping[str, str] | None = None) -> Object:
    """It ends at its deadline even if its pod never gets a node; a pod's own deadline does not do that.

    :param metadata: of ``Mark.metadata``; the pod gets the same labels.
    :param seconds: that the pod may take.
    :param annotations: of the pod.
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
