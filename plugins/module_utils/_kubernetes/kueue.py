# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether Kueue schedules by topology, which a feature gate controls.

An argument of Kueue's manager sets the gate, otherwise the manager's file, otherwise the default of the release.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import dataclass

from .._core.text import printable
from .kueue_gates import ON_FROM, PARENT, version_of
from .objects.model import US
from .yaml_text import NotYaml, document

SYSTEM = "kueue-system"
MANAGER = f"/apis/apps/v1/namespaces/{SYSTEM}/deployments/kueue-controller-manager"
FILE = f"/api/v1/namespaces/{SYSTEM}/configmaps/kueue-manager-config"
DEPLOYMENTS = "/apis/apps/v1/deployments"
"""The Deployments of all namespaces."""
LABEL = "control-plane=controller-manager"
"""kubebuilder's label for managers. Kueue's chart and Kueue's manifests set it for Kueue's manager."""
BEFORE = "mlfleet.hyperpod/before"
"""The annotation of ``FILE`` with the content before a change that has begun and has not ended."""
NAME_LABEL, NAME, DEPLOYMENT = "app.kubernetes.io/name", "kueue", "kueue-controller-manager"
Find = t.Callable[[str], t.Optional[t.Mapping[str, t.Any]]]


@dataclass(frozen=True)
class TopologyAware:
    """Whether Kueue, which task governance installs, schedules by topology, and why."""

    on: bool
    why: str


def topology_aware(find: Find) -> TopologyAware:
    """
    :param find: returns the object at a path of the API server, or None.
    """
    manager = find(MANAGER)
    if manager is None:
        return TopologyAware(False, "Kueue is not installed")
    (container, *_more) = manager["spec"]["template"]["spec"]["containers"]
    tag = str(container.get("image", "")).partition("@")[0].rpartition(":")[2]
    argument, file = _by_argument(container), find(FILE) or {}
    if argument is None and not has_reached(manager, file):
        return TopologyAware(True, "Kueue's manager reads its file only when it starts, and has not read a change of the file yet")
    stated = _by_file(file) if argument is None else argument
    if stated is not None:
        return TopologyAware(stated, f"feature gate {PARENT} is {str(stated).lower()}")
    version = version_of(tag)
    if version is None:
        return TopologyAware(True, f"image tag {printable(tag)} shows no known release of Kueue, so {PARENT} is assumed to be on")
    on = version >= ON_FROM
    return TopologyAware(on, f"feature gate {PARENT} is {'on' if on else 'off'} by default in Kueue {printable(tag)}")


def has_reached(manager: t.Mapping[str, t.Any], file: t.Mapping[str, t.Any]) -> bool:
    """Whether the manager has read its file: no change of ours is in progress, and it started after the last change by others."""
    meta = file.get("metadata") or {}
    if BEFORE in (meta.get("annotations") or {}):
        return False
    theirs = [each for each in meta.get("managedFields") or () if each.get("manager") != US]
    written = max((str(each.get("time") or "") for each in theirs if "f:data" in (each.get("fieldsV1") or {})), default="")
    rollouts = [each for each in (manager.get("status") or {}).get("conditions") or () if each.get("type") == "Progressing"]
    started = max((str(each.get("lastUpdateTime") or "") for each in rollouts), default="")
    return not started or written <= started


def elsewhere(deployments: t.Iterable[t.Mapping[str, t.Any]]) -> tuple[str, ...]:
    """The managers of Kueue outside ``SYSTEM``, as NAMESPACE/NAME.

    :param deployments: all with ``LABEL``. Older charts set no other label, so the name also identifies a manager.
    """
    managers = (each["metadata"] for each in deployments if _is_manager(each["metadata"]))
    return tuple(sorted(printable(f"{each['namespace']}/{each['name']}") for each in managers if each["namespace"] != SYSTEM))


def _is_manager(meta: t.Mapping[str, t.Any]) -> bool:
    return bool(meta["name"] == DEPLOYMENT or (meta.get("labels") or {}).get(NAME_LABEL) == NAME)


def _by_argument(container: t.Mapping[str, t.Any]) -> bool | None:
    words = (*(container.get("command") or ()), *(container.get("args") or ()))
    gates = re.findall(rf"{PARENT}=(true|false)", " ".join(map(str, words)))
    return gates[-1] == "true" if gates else None


def _by_file(config_map: t.Mapping[str, t.Any]) -> bool | None:
    for text in (config_map.get("data") or {}).values():
        try:
            gates = (document(text) or {}).get("featureGates") or {}
        except (NotYaml, AttributeError):
            continue
        if PARENT in gates:
            return bool(gates[PARENT])
    return None
