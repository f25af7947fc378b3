# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Declared objects and their state in the API server."""

from __future__ import annotations

from dataclasses import dataclass

from ..client import Object

MANAGED_BY, US = "app.kubernetes.io/managed-by", "mlfleet.hyperpod"
"""The label of the objects that this collection created, and its value, which is also our field manager."""


@dataclass(frozen=True)
class Declared:
    """A desired object, with our label."""

    definition: Object

    @property
    def api_version(self) -> str:
        return str(self.definition["apiVersion"])

    @property
    def kind(self) -> str:
        return str(self.definition["kind"])

    @property
    def name(self) -> str:
        return str(self.definition["metadata"]["name"])

    @property
    def namespace(self) -> str:
        return str(self.definition["metadata"].get("namespace") or "default")

    @property
    def described(self) -> str:
        """A readable name, such as ``NodePool gpus``."""
        space = self.definition["metadata"].get("namespace")
        return f"{self.kind} {space}/{self.name}" if space else f"{self.kind} {self.name}"


@dataclass(frozen=True)
class Kind:
    """A kind's definition in the API server."""

    plural: str
    namespaced: bool

    def path(self, declared: Declared) -> str:
        group = f"/apis/{declared.api_version}" if "/" in declared.api_version else f"/api/{declared.api_version}"
        space = f"/namespaces/{declared.namespace}" if self.namespaced else ""
        return f"{group}{space}/{self.plural}/{declared.name}"


@dataclass(frozen=True)
class Desired:
    declared: tuple[Declared, ...]
    present: bool
    adopt: bool
    keep_foreign: bool = False
    """Whether objects of other owners stay as they are."""
    """Whether to take over existing objects of other owners."""


@dataclass(frozen=True)
class Found:
    """The observed state of a declared object."""

    declared: Declared
    kind: Kind | None
    """None if the API server has no such kind."""
    live: Object | None = None

    @property
    def ours(self) -> bool:
        labels = ((self.live or {}).get("metadata") or {}).get("labels") or {}
        return bool(labels.get(MANAGED_BY) == US)

    @property
    def leaving(self) -> bool:
        return "deletionTimestamp" in ((self.live or {}).get("metadata") or {})


@dataclass(frozen=True)
class State:
    found: tuple[Found, ...]

    @property
    def undefined(self) -> list[str]:
        """The declared kinds that the API server does not have."""
        names = [f"{each.declared.kind} of {each.declared.api_version}" for each in self.found if each.kind is None]
        return list(dict.fromkeys(names))
