# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Our own namespaces: privileged ones for Pods that need all rights on their node, and baseline ones for other Pods."""

from __future__ import annotations

import re

from .._core.failure import refuse_option
from .client import CONFLICT, Kubernetes, KubernetesError, Object
from .names import NAMESPACE, NAMESPACE_ALLOWED, OF_TEAMS, OWN_NAMESPACE_ALLOWED
from .objects.model import MANAGED_BY, US

OPTION, LABEL = "namespace", f"{MANAGED_BY}={US}"
ENFORCE, PRIVILEGED, BASELINE = "pod-security.kubernetes.io/enforce", "privileged", "baseline"
_WHY = {
    PRIVILEGED: f"it exists without the label {LABEL}, and every user with write access to it would become root on the nodes",
    BASELINE: f"it exists without the label {LABEL}, so it has another owner",
}


def definition(name: str, level: str = PRIVILEGED) -> Object:
    """:param level: a Pod Security Standard. Write access to a privileged namespace means root on the nodes."""
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {MANAGED_BY: US, ENFORCE: level}}}


def check_name(name: str, *, of_teams: bool = False) -> None:
    """:raises Refused: for an invalid name, and for the namespace of a team unless ``of_teams``."""
    if not re.fullmatch(NAMESPACE, name):
        refuse_option(OPTION, name, NAMESPACE_ALLOWED)
    if name.startswith(OF_TEAMS) and not of_teams:
        refuse_option(OPTION, name, OWN_NAMESPACE_ALLOWED, "submitters of the team may write to it")


def check_own(kubernetes: Kubernetes, name: str, level: str = PRIVILEGED) -> bool:
    """Whether the namespace exists.

    :raises Refused: if it does not have our label.
    :raises KubernetesError: if the API server refuses the request.
    """
    found = kubernetes.find(f"/api/v1/namespaces/{name}")
    if found is None:
        return False
    if (found["metadata"].get("labels") or {}).get(MANAGED_BY) != US:
        labelled = f"this one after 'kubectl label namespace {name} {LABEL}' if only administrators may write to it"
        refuse_option(OPTION, name, f"the name of a new namespace, or {labelled}", _WHY[level])
    return True


def made(kubernetes: Kubernetes, wanted: Object) -> bool:
    """Create the namespace, and return whether it is new.

    :raises Refused: if it was created concurrently without our label.
    :raises KubernetesError: if the API server refuses the request.
    """
    try:
        kubernetes.create("/api/v1/namespaces", wanted)
    except KubernetesError as error:
        if error.status != CONFLICT:
            raise
        check_own(kubernetes, wanted["metadata"]["name"], wanted["metadata"]["labels"][ENFORCE])
        return False
    return True
