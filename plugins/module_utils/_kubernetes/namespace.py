# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""A namespace for pods that need all rights on their node."""

from __future__ import annotations

from .client import CONFLICT, Kubernetes, KubernetesError, Object
from .objects.model import MANAGED_BY, US


def privileged(name: str) -> Object:
    labels = {MANAGED_BY: US, "pod-security.kubernetes.io/enforce": "privileged"}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def made(kubernetes: Kubernetes, definition: Object) -> bool:
    """Whether it was not there.

    :raises KubernetesError: where the API server refuses it.
    """
    try:
        kubernetes.create("/api/v1/namespaces", definition)
    except KubernetesError as error:
        if error.status != CONFLICT:  # somebody was faster
            raise
        return False
    return True
