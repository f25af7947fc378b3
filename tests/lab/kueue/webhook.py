# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds a Job in a queue at its creation: at parallelism 0, because Kubernetes 1.20 drops ``suspend``, which Kueue's webhook sets.

It also enforces the admission policy of task governance (``admission.py``).
"""

from __future__ import annotations

import base64
import http.server
import json
import typing as t
from pathlib import Path

from lab.kubernetes.api import Api, Object
from lab.kubernetes.served import Served

from . import admission
from .objects import QUEUE, REQUESTED

PORT = 9443
JUDGES = "judge-queue"
NAME = "kueue-mutating-webhook-configuration"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


class Webhook(Served):
    """A webhook of the API server whose certificates are in ``folder``. Without its reply no Job in a queue is created.

    ``refused``: messages by prefixes of names of Pods that the admission policy refuses, scripted by a test.
    """

    def __init__(self, folder: Path, api: Api) -> None:
        self.refused: dict[str, str] = {}
        super().__init__(folder, PORT, type("Handler", (_Handler,), {"refused": self.refused}))
        self.api = api

    def start(self) -> None:
        super().start()
        self.api.create(admission.CONFIGURATIONS, admission.configuration(self._client(JUDGES)))
        webhook = {
            "name": "mjob.kb.io",
            "clientConfig": self._client("mutate-batch-v1-job"),
            "rules": [{"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["jobs"]}],
            "objectSelector": {"matchExpressions": [{"key": QUEUE, "operator": "Exists"}]},
            "failurePolicy": "Fail",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        self.api.create(CONFIGURATIONS, {"metadata": {"name": NAME}, "webhooks": [webhook]})

    def _client(self, path: str) -> Object:
        authority = base64.b64encode((self.folder / "ca.crt").read_bytes()).decode()
        return {"url": f"https://127.0.0.1:{PORT}/{path}", "caBundle": authority}


def reviewed(review: Object) -> Object:
    """The reply to an AdmissionReview of a Job."""
    job = review["request"]["object"]
    notes = {**(job["metadata"].get("annotations") or {}), REQUESTED: str(job["spec"].get("parallelism", 1))}
    patch = [
        {"op": "add", "path": "/metadata/annotations", "value": notes},
        {"op": "add", "path": "/spec/parallelism", "value": 0},
    ]
    answer = {
        "uid": review["request"]["uid"],
        "allowed": True,
        "patchType": "JSONPatch",
        "patch": base64.b64encode(json.dumps(patch).encode()).decode(),
    }
    return {"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": answer}


class _Handler(http.server.BaseHTTPRequestHandler):
    refused: t.Mapping[str, str]

    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = admission.judged(review, self.refused) if self.path.startswith(f"/{JUDGES}") else reviewed(review)
        body = json.dumps(answer).encode()
        self.send_response_only(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_what: t.Any) -> None:
        """Log nothing."""
