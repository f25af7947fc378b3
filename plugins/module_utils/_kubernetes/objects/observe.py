# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Looks at the declared objects; waits until the API server has their kinds, and until what was deleted is gone."""

from __future__ import annotations

import typing as t

from ..._core.waits import Waits
from ..client import Kubernetes
from .model import Desired, Found, Kind, State


class Observer:
    """``waits``: None where nobody waits."""

    def __init__(self, kubernetes: Kubernetes, desired: Desired, *, waits: Waits | None) -> None:
        self.kubernetes = kubernetes
        self.desired = desired
        self.waits = waits
        self._kinds: dict[tuple[str, str], Kind] = {}

    def __call__(self) -> State:
        """What is there, once the API server has all kinds that are to be there, and what is on its way out is gone."""
        if self.waits is None:
            return self.look()
        if self.desired.present:
            return self.waits.until(
                self.look,
                done=lambda state: not state.undefined,
                subject="the API server",
                state=lambda state: f"without kind {', '.join(state.undefined)}",
            )
        return self.waits.until(
            self.look,
            done=lambda state: not _leaving(state) or any(each.live and not each.leaving for each in state.found),
            subject=", ".join(each.told for each in self.desired.declared),
            state=lambda state: f"not gone: {', '.join(_leaving(state))}",
        )

    def look(self) -> State:
        """:raises KubernetesError:"""
        return State(tuple(map(self._find, self.desired.declared)))

    def _find(self, declared: t.Any) -> Found:
        kind = self._kind(declared.api_version, declared.kind)
        return Found(declared, kind, None if kind is None else self.kubernetes.find(kind.path(declared)))

    def _kind(self, api_version: str, kind: str) -> Kind | None:
        if (api_version, kind) not in self._kinds:
            path = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
            for each in (self.kubernetes.find(path) or {}).get("resources") or ():
                if "/" not in each["name"]:  # a part of another one, such as its status
                    self._kinds[api_version, each["kind"]] = Kind(each["name"], bool(each["namespaced"]))
        return self._kinds.get((api_version, kind))


def _leaving(state: State) -> list[str]:
    return [each.declared.told for each in state.found if each.leaving]
