# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the CSI driver of FSx for Lustre: a folder for each file system, which all nodes that run their Pods share.

The lab has no Lustre, and its nodes have no CSI driver. A webhook of the API server replaces claims of such volumes in each new Pod by
the folder. So kubelet mounts the folder as a real volume, but the Pod no longer names its claim.
"""

from __future__ import annotations

import base64
import http.server
import json
import typing as t
from pathlib import Path

from lab.kubernetes.api import Api, ApiError, Object
from lab.kubernetes.served import Served

from .node import SHARED

DRIVER = "fsx.csi.aws.com"
PORT = 9444
NAME = "fsx-volumes"
CONFIGURATIONS = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


class FsxDriver(Served):
    """A webhook of the API server whose certificates are in ``folder``. Without its reply no Pod is created."""

    def __init__(self, folder: Path, api: Api) -> None:
        super().__init__(folder, PORT, type("Handler", (_Handler,), {"api": api}))
        self.api = api

    def start(self) -> None:
        super().start()
        authority = base64.b64encode((self.folder / "ca.crt").read_bytes()).decode()
        self.api.create(CONFIGURATIONS, configuration({"url": f"https://127.0.0.1:{PORT}/", "caBundle": authority}))


def configuration(client: Object) -> Object:
    webhook = {
        "name": f"pods.{DRIVER}",
        "clientConfig": client,
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
    }
    return {"metadata": {"name": NAME}, "webhooks": [webhook]}


def reviewed(review: Object, api: Api) -> Object:
    """The reply to an AdmissionReview of a Pod."""
    request = review["request"]
    found = [
        {"op": "replace", "path": f"/spec/volumes/{number}", "value": {"name": each["name"], "hostPath": folder}}
        for number, each in enumerate(request["object"]["spec"].get("volumes") or [])
        if (folder := _folder(api, request["namespace"], each))
    ]
    patch = {"patchType": "JSONPatch", "patch": base64.b64encode(json.dumps(found).encode()).decode()} if found else {}
    answer = {"uid": request["uid"], "allowed": True, **patch}
    return {"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": answer}


def _folder(api: Api, namespace: str, volume: Object) -> Object | None:
    """The source of a volume whose claim names a volume of FSx. None for all others, also if the claim does not exist yet."""
    claim = (volume.get("persistentVolumeClaim") or {}).get("claimName")
    if not claim:
        return None
    try:
        name = api.get(f"/api/v1/namespaces/{namespace}/persistentvolumeclaims/{claim}")["spec"].get("volumeName")
        source = api.get(f"/api/v1/persistentvolumes/{name}")["spec"].get("csi") or {} if name else {}
    except ApiError as error:
        if error.status != 404:
            raise
        return None
    if source.get("driver") != DRIVER:
        return None
    return {"path": f"/{SHARED}/{source['volumeHandle']}", "type": "DirectoryOrCreate"}


class _Handler(http.server.BaseHTTPRequestHandler):
    api: t.ClassVar[Api]

    def do_POST(self) -> None:
        review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(reviewed(review, self.api)).encode()
        self.send_response_only(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_what: t.Any) -> None:
        """Log nothing."""
