# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Objects that a run creates in a namespace and later removes, or would create. Our own namespace is created and never removed."""

from __future__ import annotations

import typing as t

from .._core.converge import APPLIED
from .._core.plan import Change
from .._core.wait import Clock
from . import namespace
from .client import NOT_FOUND, Kubernetes, KubernetesError, Object

BACKGROUND: Object = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background"}
"""Deletes the Pods together with their Job."""
REMOVALS, PAUSE = 4, 2.0
"""Attempts to remove an object, and seconds between two attempts."""
RUN = "*"
"""The placeholder for the identifier of the run, which is random."""
Row = dict[str, str]


class Made:
    def __init__(self, kubernetes: Kubernetes, space: str, clock: Clock, level: str | None = namespace.PRIVILEGED) -> None:
        """:param level: the Pod Security Standard of our own namespace; None if the namespace has another owner and must exist."""
        self.kubernetes = kubernetes
        self.space = space
        self.level = level
        self.clock = clock
        self.paths: list[str] = []
        """The API paths of the objects to remove, in order of creation."""
        self.left: list[str] = []
        """Sentences about the objects that could not be removed, with the reasons."""
        self._checked = level is None

    def create(self, path: str, body: Object) -> Object:
        """Create the object, and register it for removal even if the reply is lost.

        :raises Refused: for a namespace without our label, before anything is created.
        :raises KubernetesError: if the API server refuses the object.
        """
        self._check()
        self.paths.append(f"{path}/{body['metadata']['name']}")
        return self._created(path, body)

    def create_unregistered(self, path: str, body: Object) -> Object:
        """Create the object like ``create``, for a caller that removes it."""
        self._check()
        return self._created(path, body)

    def _check(self) -> None:
        if self.level and not self._checked:
            namespace.check_own(self.kubernetes, self.space, self.level)
            self._checked = True

    def _created(self, path: str, body: Object) -> Object:
        try:
            return self.kubernetes.create(path, body)
        except KubernetesError as error:
            if error.status != NOT_FOUND or self.level is None:
                raise
        if namespace.made(self.kubernetes, namespace.definition(self.space, self.level)):
            APPLIED.append(Change("create", f"Namespace {self.space}").to_result())
        return self.kubernetes.create(path, body)

    def remove(self, begin: int = 0) -> None:
        """Remove the created objects, except the first ``begin``."""
        self.remove_others(self.paths[begin:])
        del self.paths[begin:]

    def remove_others(self, paths: t.Iterable[str]) -> None:
        for path in paths:
            why = self._not_removed(path)
            if why:
                name = path.rpartition("/")[2]
                self.left.append(f"{name} could not be removed ({why}). A later run removes it when no active run can need it.")

    def _not_removed(self, path: str) -> str:
        """Why the object could not be deleted; empty if it was."""
        why = ""
        for turn in range(REMOVALS):
            if turn:
                self.clock.sleep(PAUSE)
            try:
                self.kubernetes.delete(path, BACKGROUND)
                return ""
            except KubernetesError as error:
                why = str(error)
        return why


def would_create(
    namespace: str,
    objects: t.Iterable[tuple[str, str]],
    pods: t.Iterable[tuple[str, str]],
    *,
    new_namespace: bool,
) -> list[Row]:
    """
    :param objects: the kind and the name of each object.
    :param pods: the name of the object that creates each Pod, and the node of the Pod.
    """
    first = [_row("Namespace", "", namespace)] if new_namespace else []
    rows = [_row(kind, namespace, name) for kind, name in objects]
    return [*first, *rows, *(_row("Pod", namespace, f"{name}-*", node) for name, node in pods)]


def _row(kind: str, namespace: str, name: str, node: str = "") -> Row:
    return {"kind": kind, "namespace": namespace, "name": name, "node": node}
