# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An in-memory API server with nodes and CronJobs. An older one serves them in another API version and refuses newer fields."""

from __future__ import annotations

import json
import typing as t
import urllib.parse

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.cron.model import Desired

from ..jobs.looked_at import NAMESPACE, desired as checks, node

NEW, OLD = "batch/v1", "batch/v1beta1"
SPACE = f"/api/v1/namespaces/{NAMESPACE}"
MAPS = f"{SPACE}/configmaps"
Object = dict[str, t.Any]


def desired(*numbers: int, present: bool = True, schedule: str = "", **more: t.Any) -> Desired:
    return Desired(checks(*numbers, **more), present, schedule)


class Recurring:
    """``there``: objects by path. ``changes``: method and path of each request that is not a GET."""

    def __init__(self, *numbers: int, version: str = NEW, minor: str = "32+") -> None:
        self.nodes = {number: node(number, uid=f"uid-{number}") for number in numbers}
        self.version, self.minor = version, minor
        self.cron_jobs = f"/apis/{version}/namespaces/{NAMESPACE}/cronjobs"
        self.there: dict[str, Object] = {}
        self.changes: list[tuple[str, str]] = []

    def answer(self, method: str, target: str, body: Object | None) -> tuple[int, Object]:
        path, _mark, query = target.partition("?")
        if method != "GET":
            self.changes.append((method, path))
            return self._changed(method, path, body or {})
        if path in self.there:
            return 200, self.there[path]
        served: dict[str, list[str]] = {NEW: ["Job"], OLD: []}
        served[self.version] = [*served.get(self.version, ()), "CronJob"]
        resources = {f"/apis/{version}": {"resources": [{"name": "x", "kind": kind} for kind in kinds]} for version, kinds in served.items() if kinds}
        replies = {"/version": {"major": "1", "minor": self.minor}, "/api/v1/nodes": {"items": list(self.nodes.values())}, **resources}
        if path in replies:
            return 200, replies[path]
        return self._listed(path, urllib.parse.parse_qs(query).get("labelSelector", [""])[0]) if path in (MAPS, self.cron_jobs) else (404, {})

    def _listed(self, path: str, selector: str) -> tuple[int, Object]:
        name, _sign, value = selector.partition("=")
        items = [each for place, each in self.there.items() if place.rpartition("/")[0] == path]
        return 200, {"items": [each for each in items if not name or (each["metadata"].get("labels") or {}).get(name) == value]}

    def _changed(self, method: str, path: str, body: Object) -> tuple[int, Object]:
        if method == "DELETE":
            return (200, {}) if self.there.pop(path, None) else (404, {})
        if method == "POST":
            self.there[f"{path}/{body['metadata']['name']}"] = body
            return 201, body
        if path.rpartition("/")[0] not in (MAPS, self.cron_jobs) or SPACE not in self.there:
            return 404, {"message": "not found"}
        if self.minor < "31" and "recursiveReadOnly" in json.dumps(body):
            return 500, {"message": "recursiveReadOnly: field not declared in schema"}
        self.there[path] = {**body, "status": {}}
        return 200, self.there[path]
