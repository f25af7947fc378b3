# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The objects that task governance creates in Kubernetes for a team's compute quota: their names, and whether they exist.

The names are from HyperPod's guide, page sagemaker-hyperpod-eks-operate-console-ui-governance-tasks-scheduling.
"""

from __future__ import annotations

import dataclasses
import re
import typing as t
from dataclasses import dataclass

from .._core.checks import check_unique
from .._core.failure import Refused, refuse_option
from .._core.text import printable
from .._core.waits import Waits
from . import kueue
from .client import Kubernetes, Object
from .names import NAMESPACE, OF_TEAMS

GROUP = "/apis/kueue.x-k8s.io"
_NAME = re.compile(NAMESPACE)
_TEAM_ALLOWED = "names of teams: 1 to 51 small letters, digits and hyphens, with no hyphen at either end"
_CLASS_ALLOWED = "names of priority classes: 1 to 54 small letters, digits and hyphens, with no hyphen at either end"
NONE, KUEUE, TEAMS = "none", "kueue", "teams"
WAITS_FOR = (NONE, KUEUE, TEAMS)


def namespace_of(team: str) -> str:
    return f"{OF_TEAMS}{team}"


def local_queue_of(team: str) -> str:
    return f"{namespace_of(team)}-localqueue"


def cluster_queue_of(team: str) -> str:
    return f"{namespace_of(team)}-clusterqueue"


def priority_of(name: str) -> str:
    """The name of the WorkloadPriorityClass for a priority class in the scheduler configuration."""
    return f"{name}-priority"


@dataclass(frozen=True)
class Desired:
    teams: tuple[str, ...] = ()
    priority_classes: tuple[str, ...] = ()
    wait_for: str = NONE


@dataclass(frozen=True)
class Team:
    name: str
    has_namespace: bool = False
    """A namespace that is being deleted does not count."""
    has_queue: bool = False

    def to_result(self) -> dict[str, t.Any]:
        return {
            "name": self.name,
            "namespace": namespace_of(self.name),
            "local_queue": local_queue_of(self.name),
            "has_namespace": self.has_namespace,
            "has_local_queue": self.has_queue,
        }


@dataclass(frozen=True)
class State:
    image: str | None = None
    """The image of Kueue's manager; None without a manager."""
    available: bool = False
    teams: tuple[Team, ...] = ()
    classes: t.Mapping[str, bool] | None = None
    """Whether each WorkloadPriorityClass exists, keyed by name."""
    elsewhere: tuple[str, ...] = ()
    """The managers of Kueue outside task governance's namespace."""

    def missing(self) -> list[str]:
        """The readable names of missing objects."""
        names = [] if self.available else ["an available manager of Kueue"]
        for team in self.teams:
            if not team.has_namespace:
                names.append(f"namespace {namespace_of(team.name)}")
            if not team.has_queue:
                names.append(f"LocalQueue {local_queue_of(team.name)}")
        return [*names, *(f"WorkloadPriorityClass {name}" for name, there in (self.classes or {}).items() if not there)]

    def to_result(self) -> dict[str, t.Any]:
        return {
            "kueue": {
                "installed": self.image is not None,
                "available": self.available,
                "image": self.image or "",
                "elsewhere": list(self.elsewhere),
            },
            "teams": [each.to_result() for each in self.teams],
            "priority_classes": [{"name": name, "exists": there} for name, there in (self.classes or {}).items()],
            "missing": self.missing(),
        }


def desired(params: t.Mapping[str, t.Any]) -> Desired:
    """:raises Refused: for the first invalid option."""
    for option, allowed, longest in (("teams", _TEAM_ALLOWED, 51), ("priority_classes", _CLASS_ALLOWED, 54)):
        for name in params[option]:
            if not _NAME.fullmatch(name) or len(name) > longest:
                refuse_option(option, name, allowed)
        check_unique(option, params[option])
    if params["wait_for"] == TEAMS and not (params["teams"] or params["priority_classes"]):
        raise Refused("teams: missing; wait_for=teams requires entries in teams or priority_classes.", option="teams")
    return Desired(tuple(params["teams"]), tuple(params["priority_classes"]), params["wait_for"])


def look(kubernetes: Kubernetes, wanted: Desired) -> State:
    """:raises KubernetesError:"""
    manager = kubernetes.find(kueue.MANAGER)
    group = kubernetes.find(GROUP) or {}
    version = (group.get("preferredVersion") or {}).get("version")
    root = f"{GROUP}/{version}"
    return State(
        image=None if manager is None else _image(manager),
        available=manager is not None and _available(manager),
        teams=tuple(_team(kubernetes, each, root if version else "") for each in wanted.teams),
        classes={
            priority_of(each): bool(version) and kubernetes.find(f"{root}/workloadpriorityclasses/{priority_of(each)}") is not None
            for each in wanted.priority_classes
        },
    )


def waited(kubernetes: Kubernetes, wanted: Desired, waits: Waits | None) -> State:
    """The observed state, once nothing that ``wait_for`` requires is missing.

    :raises KubernetesError:
    :raises WaitTimeout: with the missing objects.
    """
    elsewhere = kueue.elsewhere(kubernetes.items(kueue.DEPLOYMENTS, labelSelector=kueue.LABEL))
    return dataclasses.replace(_waited(kubernetes, wanted, waits), elsewhere=elsewhere)


def _waited(kubernetes: Kubernetes, wanted: Desired, waits: Waits | None) -> State:
    if waits is None or wanted.wait_for == NONE:
        return look(kubernetes, wanted)
    return waits.until(
        lambda: look(kubernetes, wanted),
        done=lambda state: state.available if wanted.wait_for == KUEUE else not state.missing(),
        subject="task governance in Kubernetes",
        state=lambda state: f"without {', '.join(state.missing())}",
    )


def _team(kubernetes: Kubernetes, name: str, root: str) -> Team:
    space = kubernetes.find(f"/api/v1/namespaces/{namespace_of(name)}")
    if space is None or "deletionTimestamp" in space["metadata"]:
        return Team(name)
    queue = kubernetes.find(f"{root}/namespaces/{namespace_of(name)}/localqueues/{local_queue_of(name)}") if root else None
    return Team(name, True, queue is not None)


def _image(manager: Object) -> str:
    (container, *_more) = manager["spec"]["template"]["spec"]["containers"]
    return printable(container.get("image", ""))


def _available(manager: Object) -> bool:
    """Whether the manager is available, and Kubernetes has processed the newest generation of its Deployment."""
    status = manager.get("status") or {}
    if status.get("observedGeneration", 0) < manager["metadata"].get("generation", 0):
        return False
    return any(each["type"] == "Available" and each["status"] == "True" for each in status.get("conditions") or ())
