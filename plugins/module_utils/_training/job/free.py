# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Frees the nodes of a namespace from what killed runs left there. The Lease must be held."""

from __future__ import annotations

from ..._core.text import printable
from ..._kubernetes.job_kinds import known_kind
from ..._kubernetes.pod_runner.runner import PodRunner
from ..model import named
from .model import KINDS
from .priority import CLASSES, SPACE

LEAVING_SECONDS = 90
"""Seconds to wait until deleted Pods have ended, so that the next job finds idle nodes."""


def free_nodes(runner: PodRunner, namespace: str) -> str:
    """Remove everything that killed runs left in the namespace. Return why the nodes are not free; empty if they are.

    :raises KubernetesError: if the API server refuses a request.
    """
    jobs = [known_kind(kind).path(namespace) for kind in KINDS]
    runner.remove_of_other_runs([*jobs, f"{runner.core}/services", f"{runner.core}/configmaps"])
    runner.remove_of_other_runs([CLASSES], f"{SPACE}={namespace}")
    left = runner.pods_of_other_runs(LEAVING_SECONDS)
    if not left:
        return ""
    return f"Pods of an earlier verification do not end: {named(map(printable, left))}. Check the kubelets of their nodes."
