# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the declared objects. Waits until the API server has their kinds, and until deletions have ended."""

from __future__ import annotations

import typing as t

from ..._core.failure import Failure
from ..._core.text import printable
from ..._core.wait import WaitTimeout
from ..._core.waits import Waits
from ..client import Kubernetes
from ..patience import until
from .model import Desired, Found, Kind, State


class Observer:
    """:param waits: None to read once without waiting."""

    def __init__(self, kubernetes: Kubernetes, desired: Desired, *, waits: Waits | None) -> None:
        self.kubernetes = kubernetes
        self.desired = desired
        self.waits = waits
        self._kinds: dict[tuple[str, str], Kind] = {}
        self._seen = State(())

    def __call__(self) -> State:
        """The observed state, once the API server has all declared kinds and no declared object is being deleted.

        :raises Failure: if the timeout ends first.
        """
        if self.waits is None:
            return self.look()
        try:
            return self._waited(self.waits)
        except WaitTimeout as error:
            if not any(each.leaving for each in self._seen.found):
                raise
            again = " The next run creates the object again after its deletion." if self.desired.present else ""
            raise Failure(f"{error}.{again} Find out what blocks the deletion, or raise wait_timeout, then run again.") from error

    def _waited(self, waits: Waits) -> State:
        if self.desired.present:
            return until(
                waits,
                self.look,
                done=lambda state: not state.undefined and not _leaving(state),
                subject="the API server",
                state=_missing,
            )
        return until(
            waits,
            self.look,
            done=lambda state: not _leaving(state) or any(each.live and not each.leaving for each in state.found),
            subject=f"the deletion of {', '.join(each.described for each in self.desired.declared)}",
            state=lambda state: f"not complete: {_leaving(state)}",
        )

    def look(self) -> State:
        """:raises KubernetesError:"""
        self._seen = State(tuple(map(self._find, self.desired.declared)))
        return self._seen

    def _find(self, declared: t.Any) -> Found:
        kind = self._kind(declared.api_version, declared.kind)
        return Found(declared, kind, None if kind is None else self.kubernetes.find(kind.path(declared)))

    def _kind(self, api_version: str, kind: str) -> Kind | None:
        if (api_version, kind) not in self._kinds:
            path = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
            for each in (self.kubernetes.find(path) or {}).get("resources") or ():
                if "/" not in each["name"]:  # others are subresources, such as a status
                    self._kinds[api_version, each["kind"]] = Kind(each["name"], bool(each["namespaced"]))
        return self._kinds.get((api_version, kind))


def _missing(state: State) -> str:
    """Why the desired objects cannot be created yet."""
    if state.undefined:
        return f"without kind {', '.join(state.undefined)}"
    return f"waiting for the deletion of {_leaving(state)}"


def _leaving(state: State) -> str:
    """The objects that are being deleted, each with its finalizers; empty if there are none."""
    return ", ".join(f"{each.declared.described}{_held(each)}" for each in state.found if each.leaving)


def _held(found: Found) -> str:
    names = ((found.live or {}).get("metadata") or {}).get("finalizers") or ()
    return printable(f" (blocked by its finalizers {', '.join(map(str, names))})") if names else ""
