# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads Kueue's manager, its file and its pods, and whether Karpenter has NodePools."""

from __future__ import annotations

import typing as t

from ..._core.text import printable
from ..client import NOT_FOUND, Kubernetes, KubernetesError, Object
from ..kueue import BEFORE, FILE, MANAGER, SYSTEM, has_reached
from ..kueue_gates import version_of
from ..yaml_text import NotYaml, document
from .model import Manager, State

RESTARTED = "kubectl.kubernetes.io/restartedAt"
KIND = "config.kueue.x-k8s.io/"
POOLS, PODS = "/apis/karpenter.sh/v1/nodepools", f"/api/v1/namespaces/{SYSTEM}/pods"
LONGEST = 600


def observe(kubernetes: Kubernetes) -> State:
    """:raises KubernetesError:"""
    deployment = kubernetes.find(MANAGER)
    if deployment is None:
        return State(node_pools=_pools(kubernetes))
    config_map = kubernetes.find(FILE) or {}
    manager = _manager(deployment, config_map, kubernetes.items(PODS))
    return State(manager, _pools(kubernetes))


def _pools(kubernetes: Kubernetes) -> tuple[str, ...]:
    try:
        return tuple(printable(each["metadata"]["name"]) for each in kubernetes.items(POOLS))
    except KubernetesError as error:
        if error.status == NOT_FOUND:
            return ()
        raise


def _manager(deployment: Object, config_map: Object, pods: t.Iterable[Object]) -> Manager:
    (container, *_more) = deployment["spec"]["template"]["spec"]["containers"]
    words = (*(container.get("command") or ()), *(container.get("args") or ()))
    meta = config_map.get("metadata") or {}
    key, text = _file(config_map)
    by_argument = any(str(each).startswith("--feature-gates") for each in words)
    return Manager(
        version=version_of(str(container.get("image", "")).partition("@")[0].rpartition(":")[2]),
        image=printable(container.get("image", "")),
        by_argument=by_argument,
        key=key,
        text=text,
        gates=gates_of(text),
        before=(meta.get("annotations") or {}).get(BEFORE),
        behind=bool(key) and not by_argument and not has_reached(deployment, config_map),
        resource_version=str(meta.get("resourceVersion", "")),
        not_up=_not_up(deployment),
        crashed=_crashed(deployment, pods),
    )


def _file(config_map: Object) -> tuple[str, str]:
    """The key and the text of the manager's configuration; empty if missing."""
    for key, text in sorted((config_map.get("data") or {}).items()):
        if str(parsed(text).get("apiVersion", "")).startswith(KIND):
            return key, text
    return "", ""


def parsed(text: str) -> Object:
    try:
        found = document(text)
    except NotYaml:
        return {}
    return found if isinstance(found, dict) else {}


def gates_of(text: str) -> dict[str, bool]:
    found = parsed(text).get("featureGates")
    return {str(name): bool(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _not_up(deployment: Object) -> str:
    status, wanted = deployment.get("status") or {}, deployment["spec"].get("replicas", 1)
    if status.get("observedGeneration", 0) < deployment["metadata"].get("generation", 0):
        return "Kubernetes has not processed the new template yet"
    updated, available = status.get("updatedReplicas", 0), status.get("availableReplicas", 0)
    if updated < wanted or status.get("replicas", 0) > updated or available < wanted:
        return f"{updated} of {wanted} Pods are new, and {available} are available"
    return ""


def _crashed(deployment: Object, pods: t.Iterable[Object]) -> str:
    """Why a Pod of the newest template keeps failing. Pods have the annotations of their template."""
    stamp = ((deployment["spec"]["template"].get("metadata") or {}).get("annotations") or {}).get(RESTARTED)
    for pod in pods:
        meta, status = pod["metadata"], pod.get("status") or {}
        owners = [each.get("name", "") for each in meta.get("ownerReferences") or ()]
        ours = any(each.startswith(f"{deployment['metadata']['name']}-") for each in owners)
        if not ours or (meta.get("annotations") or {}).get(RESTARTED) != stamp:
            continue
        for container in status.get("containerStatuses") or ():
            if ((container.get("state") or {}).get("waiting") or {}).get("reason") == "CrashLoopBackOff":
                ended = (container.get("lastState") or {}).get("terminated") or {}
                message = ended.get("message") or f"exit status {ended.get('exitCode', 'not known')}"
                return f"pod {printable(meta['name'])} keeps failing: {printable(message)[-LONGEST:]}"
    return ""
