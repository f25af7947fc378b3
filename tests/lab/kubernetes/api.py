# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's client of the API server, as administrator: standard library only, a connection for each thread."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import typing as t
from pathlib import Path

MERGE = "application/merge-patch+json"
Object = dict[str, t.Any]


class ApiError(Exception):
    """A reply with status 400 or more."""

    def __init__(self, status: int, answer: Object) -> None:
        super().__init__(f"{status} {answer.get('reason', '')}: {answer.get('message', '')}")
        self.status = status


class Api:
    """``folder`` holds ca.crt, admin.crt and admin.key."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self.context = ssl.create_default_context(cafile=str(folder / "ca.crt"))
        self.context.load_cert_chain(folder / "admin.crt", folder / "admin.key")
        self._local = threading.local()

    def call(self, method: str, path: str, body: Object | None = None, kind: str = "application/json") -> Object:
        """:raises ApiError: for a refusal. :raises OSError: if there is no reply."""
        content = None if body is None else json.dumps(body)
        headers = {"Content-Type": kind, "Accept": "application/json"}
        for last in (False, True):
            try:
                link = self._link()
                link.request(method, path, content, headers)
                answer = link.getresponse()
                text = answer.read()
                break
            except (OSError, http.client.HTTPException) as error:
                self._local.link = None  # a kept connection that the server has closed
                if last:
                    raise OSError(str(error)) from error
        found = json.loads(text or b"{}") if text[:1] in (b"{", b"") else {"text": text.decode()}
        if answer.status >= 400:
            raise ApiError(answer.status, found)
        return found

    def get(self, path: str) -> Object:
        return self.call("GET", path)

    def create(self, path: str, body: Object) -> Object:
        return self.call("POST", path, body)

    def merge(self, path: str, body: Object) -> Object:
        return self.call("PATCH", path, body, MERGE)

    def delete(self, path: str, body: Object | None = None) -> Object:
        return self.call("DELETE", path, body)

    def watch(self, path: str, seconds: int = 300) -> t.Iterator[Object]:
        """Existing objects as ADDED and then each event; ends after ``seconds``, or if the resource version is too old."""
        listed = self.get(path)
        for item in listed["items"]:
            yield {"type": "ADDED", "object": item}
        link = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=seconds + 60)
        mark = "&" if "?" in path else "?"
        version = listed["metadata"]["resourceVersion"]
        link.request("GET", f"{path}{mark}watch=1&timeoutSeconds={seconds}&resourceVersion={version}")
        for line in link.getresponse():
            event = json.loads(line)
            if event["type"] == "ERROR":
                return
            yield event

    def _link(self) -> http.client.HTTPSConnection:
        if getattr(self._local, "link", None) is None:
            self._local.link = http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, timeout=30)
        return self._local.link
