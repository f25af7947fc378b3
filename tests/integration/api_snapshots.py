# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads all objects of an API server, events included, again and again while a block runs, and searches them for texts."""

from __future__ import annotations

import contextlib
import json
import threading
import typing as t

from lab.kubernetes.api import Api, ApiError, Object

EVERY_SECONDS = 0.3


class Snapshots:
    """
    :param label: of the objects in ``seen``.
    :param texts: that no object may contain, except Secrets with the label.
    """

    def __init__(self, api: Api, label: str, texts: t.Collection[str]) -> None:
        self.api = api
        self.label = label
        self.texts = texts
        self.seen: set[str] = set()
        """Resources with an object that has the label, and resources of the involved objects of events."""
        self.found: set[str] = set()
        """Resources with an object that contained a text."""
        self.count = 0
        self._ended = threading.Event()
        self._errors: list[Exception] = []
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self) -> t.Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()
        assert self.count and not self._errors, self._errors

    def _follow(self) -> None:
        try:
            paths = list(self._paths())
            while not self._ended.is_set():
                for path in paths:
                    with contextlib.suppress(ApiError):  # such as an API whose server is not reachable
                        self._look(path.rpartition("/")[2], self.api.get(path)["items"])
                self.count += 1
                self._ended.wait(EVERY_SECONDS)
        except Exception as error:
            self._errors.append(error)

    def _paths(self) -> t.Iterator[str]:
        groups = self.api.get("/apis")["groups"]
        for version in ("/api/v1", *(f"/apis/{each['groupVersion']}" for group in groups for each in group["versions"])):
            for resource in self.api.get(version)["resources"]:
                if "list" in resource["verbs"]:
                    yield f"{version}/{resource['name']}"

    def _look(self, resource: str, items: t.Sequence[Object]) -> None:
        for item in items:
            marked = self.label in (item["metadata"].get("labels") or {})
            if marked:
                self.seen.add(resource)
            if involved := item.get("involvedObject"):
                self.seen.add(f"event of {involved['kind']}")
            if not (marked and resource == "secrets") and any(text in json.dumps(item) for text in self.texts):
                self.found.add(resource)
