# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An in-memory API server with NodePools, one of which may remain in deletion for a while."""

from __future__ import annotations

import typing as t

POOLS = "/apis/karpenter.sh/v1/nodepools"
FINALIZER = "karpenter.sh/termination"
Object = dict[str, t.Any]


def pool(name: str = "gpus", meta: t.Any = None, **spec: t.Any) -> Object:
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name, **(meta or {})}, "spec": spec}


class Pools:
    """``changes``: method and name of each PATCH and DELETE."""

    def __init__(self, *there: Object) -> None:
        self.there = {item["metadata"]["name"]: item for item in there}
        self.changes: list[tuple[str, str]] = []
        self.delete_options: Object | None = None
        """The body of the last DELETE."""
        self.looks_left: int | None = None
        """Reads until a deleted object is gone; None: it never is."""
        self.refusing: list[int] = []
        """Statuses of refusals of the next requests, in order; 0 for an answer."""

    def leaving(self, name: str, *finalizers: str, reads: int | None = None) -> None:
        self.there[name]["metadata"] |= {"deletionTimestamp": "2026-10-04T09:00:00Z", "finalizers": list(finalizers)}
        self.looks_left = reads

    def answer(self, method: str, path: str, body: Object | None) -> tuple[int, Object]:
        path, _mark, _query = path.partition("?")
        refused = self.refusing.pop(0) if self.refusing else 0
        if refused:
            return refused, {"message": "etcd has no leader"}
        if path == POOLS.rpartition("/")[0]:
            return 200, {"resources": [{"name": "nodepools", "kind": "NodePool", "namespaced": False}]}
        folder, _slash, name = path.rpartition("/")
        if folder != POOLS:
            return 404, {"message": "no such kind"}
        if method == "GET":
            self._read()
            return (200, self.there[name]) if name in self.there else (404, {"message": "not found"})
        self.changes.append((method, name))
        if method == "DELETE":
            self.delete_options = body
            return (200, {}) if self.there.pop(name, None) else (404, {})
        held = {key: value for key, value in self.there.get(name, {}).get("metadata", {}).items() if key in ("deletionTimestamp", "finalizers")}
        made = body or {}
        self.there[name] = {**made, "metadata": {**made["metadata"], **held}}
        return 200, self.there[name]

    def _read(self) -> None:
        if self.looks_left is None:
            return
        self.looks_left -= 1
        if self.looks_left < 0:
            self.there = {name: item for name, item in self.there.items() if "deletionTimestamp" not in item["metadata"]}
