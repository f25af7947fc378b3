# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds a Job that is in a queue before it is made: at parallelism 0, since Kubernetes 1.20 drops ``suspend``, which Kueue's webhook sets."""

from __future__ import annotations

import base64
import http.server
import json
import typing as t
from pathlib import Path

from lab.kubernetes.api import Api, Object
from lab.kubernetes.served import Served

from .objects import ASKED, QUEUE

PORT = 9443
NAME = "kueue-mutating-webhook-configuration"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


class Webhook(Served):
    """Of the API server whose certificates are in ``folder``. Without an answer no Job in a queue is made."""

    def __init__(self, folder: Path, api: Api) -> None:
        super().__init__(folder, PORT, _Handler)
        self.api = api

    def start(self) -> None:
        super().start()
        authority = base64.b64encode((self.folder / "ca.crt").read_bytes()).decode()
        webhook = {
            "name": "mjob.kb.io",
            "clientConfig": {"url": f"https://127.0.0.1:{PORT}/mutate-batch-v1-job", "caBundle": authority},
            "rules": [{"apiGroups": ["batch"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["jobs"]}],
            "objectSelector": {"matchExpressions": [{"key": QUEUE, "operator": "Exists"}]},
            "failurePolicy": "Fail",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        self.api.create(CONFIGURATIONS, {"metadata": {"name": NAME}, "webhooks": [webhook]})


def reviewed(review: Object) -> Object:
    """The answer to an AdmissionReview of a Job."""
    job = review["request"]["object"]
    notes = {**(job["metadata"].get("annotations") or {}), ASKED: str(job["spec"].get("parallelism", 1))}
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
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = json.dumps(reviewed(asked)).encode()
        self.send_response_only(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_what: t.Any) -> None:
        """Not in the output of tests."""
