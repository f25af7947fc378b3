# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs that the API server requests from kubelets: one server for all of them, because all nodes have the same address.

The log of a pod is its annotation ``lab/log``, or the output of a function for all pods of its node.
"""

from __future__ import annotations

import http.server
import typing as t
from pathlib import Path

from .api import Api, ApiError, Object
from .served import Served

PORT = 10250
ANNOTATION = "lab/log"


class Logs(Served):
    def __init__(self, folder: Path, api: Api) -> None:
        super().__init__(folder, PORT, type("Handler", (_Handler,), {"logs": self}))
        self.api = api
        self.programs: dict[str, t.Callable[[Object], str]] = {}
        """Functions that return the log of a pod, by name of the node."""

    def of(self, path: str) -> str | None:
        """The log at ``/containerLogs/NAMESPACE/POD/CONTAINER``; None if the pod does not exist."""
        parts = path.partition("?")[0].strip("/").split("/")
        if len(parts) != 4 or parts[0] != "containerLogs":
            return None
        try:
            pod = self.api.get(f"/api/v1/namespaces/{parts[1]}/pods/{parts[2]}")
        except ApiError:
            return None
        program = self.programs.get(pod["spec"]["nodeName"])
        if program is not None:
            return program(pod)
        output = (pod["metadata"].get("annotations") or {}).get(ANNOTATION)
        return f"{output}\n" if output else ""


class _Handler(http.server.BaseHTTPRequestHandler):
    logs: t.ClassVar[Logs]

    def do_GET(self) -> None:
        found = self.logs.of(self.path)
        self.send_response_only(200 if found is not None else 404)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        self.wfile.write((found or "").encode())

    def log_message(self, *_what: object) -> None:
        """Log nothing."""
