# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""HyperPod's health monitoring agent, which its Helm chart runs on each node. The tag of its image is the version."""

from __future__ import annotations

from .._core.text import printable
from .._kubernetes.client import Kubernetes

NAME = "health-monitoring-agent"
PATH = f"/apis/apps/v1/namespaces/aws-hyperpod/daemonsets/{NAME}"


def version(kubernetes: Kubernetes) -> str | None:
    """The version, such as ``1.0.742.0_1.0.241.0``; None if the agent is not installed.

    :raises KubernetesError: if the API server could not be queried.
    """
    agent = kubernetes.find(PATH)
    if agent is None:
        return None
    images: list[str] = [str(each.get("image", "")) for each in agent["spec"]["template"]["spec"]["containers"]]
    return printable(next((image for image in images if NAME in image), images[0]).rpartition(":")[2])
