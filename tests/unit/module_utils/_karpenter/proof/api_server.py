# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An in-memory API server, and AWS with it; both change from read to read as the test declares."""

from __future__ import annotations

import http.server
import json
import re
import threading
import typing as t
import urllib.parse
from pathlib import Path

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import Kubernetes
from botocore.exceptions import ClientError
from kubernetes.client import Configuration

from .proof_states import ARN, G5, READY

CLAIMS = "/apis/karpenter.sh/v1/nodeclaims"
POD = "/api/v1/namespaces/default/pods/hyperpod-proof-gpus"
NODE, ID = "hyperpod-i-0123456789abcdef0", "i-0123456789abcdef0"
LABELS = {
    "karpenter.sh/nodepool": "gpus",
    "node.kubernetes.io/instance-type": G5,
    "sagemaker.amazonaws.com/instance-group-name": "g5-a",
}
Object = dict[str, t.Any]


class World:
    """``turns``: what happens before each read of the pod after its creation, or after the deletion of an earlier one; the last repeats."""

    def __init__(self, *turns: t.Callable[[World], None]) -> None:
        self.objects: dict[str, Object] = {"/apis/karpenter.sh/v1/nodepools/gpus": POOL}
        self.objects["/apis/karpenter.sagemaker.amazonaws.com/v1/hyperpodnodeclasses/gpus"] = CLASS
        self.instances: dict[str, str] = {}
        self.turns = list(turns)
        self.refusing: dict[str, list[int]] = {}
        """Statuses of refusals by method, in order."""
        self.made: list[str] = []
        """Requests with POST and DELETE, in order."""
        self.requests: list[str] = []
        """Paths of GET, with their queries."""

    def answer(self, method: str, path: str, body: Object | None) -> tuple[int, Object]:
        if method == "GET":
            self.requests.append(path)
        path, _mark, query = path.partition("?")
        if path.endswith("selfsubjectaccessreviews"):
            return 201, {"status": {"allowed": not self.refusing.get("REVIEW")}}
        if "dryRun" in query:
            denied = self.refusing.get("DRY") or [201]
            return denied[0], {"message": "denied by admission webhook; dry run"}
        if method == "GET" and path == POD and self.turns and self.made:
            (self.turns.pop(0) if len(self.turns) > 1 else self.turns[0])(self)
        if method in ("POST", "DELETE"):
            self.made.append(method)
        refused = self.refusing.get(method)
        if refused:
            return refused.pop(0), {"message": "denied by admission webhook"}
        if method == "POST" and POD in self.objects:
            return 409, {"message": "already exists"}
        if method == "POST":
            self.objects[POD] = {**(body or {}), "status": {"phase": "Pending"}}
            return 201, self.objects[POD]
        if method == "DELETE":
            return (200, {}) if self.objects.pop(path, None) else (404, {})
        if path in self.objects:
            return 200, self.objects[path]
        inside = re.sub("/api/v1/pods", "/api/v1/namespaces/default/pods", path)
        items = [item for place, item in self.objects.items() if place.rpartition("/")[0] == inside]
        listing = re.search("/(pods|nodes|events|nodeclaims|nodepools|hyperpodnodeclasses|poddisruptionbudgets)$", path)
        return (200, page(items, query)) if listing else (404, {})

    # -- events ---------------------------------------------------------------------------------------------------------------

    def claim(self, *conditions: str, node: str = "", name: str = "gpus-1", leaving: bool = False) -> None:
        meta = {"name": name, "labels": LABELS, **({"deletionTimestamp": "x"} if leaving else {})}
        statuses = [{"type": each, "status": "True"} for each in conditions]
        status = {"conditions": statuses, "nodeName": node}
        self.objects[f"{CLAIMS}/{name}"] = {"metadata": meta, "spec": {"nodeClassRef": OF_CLASS}, "status": status}

    def node(self) -> None:
        self.claim("Launched", "Registered", "Initialized", node=NODE)
        self.objects[f"/api/v1/nodes/{NODE}"] = {"metadata": {"name": NODE, "labels": LABELS}, "status": READY}
        self.instances[ID] = "Running"

    def pod(self, phase: str, **status: t.Any) -> None:
        there = self.objects[POD]
        there["spec"]["nodeName"] = NODE
        there["status"] = {"phase": phase, **status}

    def no_node(self) -> None:
        for path in (f"{CLAIMS}/gpus-1", f"/api/v1/nodes/{NODE}"):
            self.objects.pop(path, None)
        self.instances.pop(ID, None)


def page(items: list[Object], query: str) -> Object:
    """The requested number of items of a listing; all of them without a limit."""
    numbers = {name: int(values[0]) for name, values in urllib.parse.parse_qs(query).items() if name in ("limit", "continue")}
    begin = numbers.get("continue", 0)
    end = begin + numbers.get("limit", len(items))
    return {"items": items[begin:end], "metadata": {"continue": str(end)} if end < len(items) else {}}


OF_CLASS = {"group": "karpenter.sagemaker.amazonaws.com", "kind": "HyperpodNodeClass", "name": "gpus"}
POOL = {
    "metadata": {"name": "gpus"},
    "spec": {"template": {"spec": {"nodeClassRef": OF_CLASS}}, "disruption": {"consolidateAfter": "30s"}},
    "status": READY,
}
CLASS = {"metadata": {"name": "gpus"}, "spec": {"instanceGroups": ["g5-a"]}, "status": READY}


class Aws:
    """A boto3 client with the calls that a proof makes to SageMaker; all others are refused."""

    def __init__(self, world: World) -> None:
        self.world = world

    def describe_cluster(self, **_arguments: t.Any) -> Object:
        group = {"InstanceGroupName": "g5-a", "InstanceType": G5, "CurrentCount": len(self.world.instances)}
        return {
            "ClusterName": "ml",
            "ClusterArn": ARN,
            "ClusterStatus": "InService",
            "InstanceGroups": [group],
            "AutoScaling": {"Mode": "Enable", "Status": "InService"},
            "Orchestrator": {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:1:cluster/one"}},
        }

    def get_paginator(self, operation: str) -> Aws:
        self.operation = operation
        return self

    def paginate(self, **_arguments: t.Any) -> list[Object]:
        if self.operation != "list_cluster_nodes" or self.world.refusing.get("NODES"):
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, self.operation)
        found = self.world.instances.items()
        about = {"InstanceGroupName": "g5-a", "InstanceType": G5}
        return [{"ClusterNodeSummaries": [{**about, "InstanceId": name, "InstanceStatus": {"Status": each}} for name, each in found]}]

    def __getattr__(self, name: str) -> t.Any:
        def refused(**_arguments: t.Any) -> None:
            raise ClientError({"Error": {"Code": "AccessDenied", "Message": "no"}}, name)

        return refused


class Answering(t.Protocol):
    def answer(self, method: str, path: str, body: Object | None) -> tuple[int, t.Any]: ...


class Server:
    """Serves a world to the real client. A text instead of an object is sent as plain text, such as a log.

    Entries of the world's ``warnings`` are sent as headers after an answer, as the API server does.
    """

    def __init__(self, world: Answering) -> None:
        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                status, content = world.answer(self.command, self.path, body)
                text = (content if isinstance(content, str) else json.dumps(content)).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                for warning in getattr(world, "warnings", ()):
                    self.send_header("Warning", warning)
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815

            def log_message(self, *_what: object) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> Kubernetes:
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        configuration = Configuration()
        configuration.host = f"http://127.0.0.1:{self.server.server_address[1]}"
        return Kubernetes(configuration, "Contact the administrator.")

    def __exit__(self, *_error: object) -> None:
        self.server.shutdown()
        self.server.server_close()


def kubeconfig(kubernetes: Kubernetes, folder: Path) -> str:
    """A kubeconfig file for the server of a client."""
    clusters = [{"name": "a", "cluster": {"server": kubernetes.configuration.host}}]
    contexts = [{"name": "a", "context": {"cluster": "a", "user": "a"}}]
    path = folder / "kubeconfig"
    content = {"clusters": clusters, "contexts": contexts, "users": [{"name": "a", "user": {}}], "current-context": "a"}
    path.write_text(yaml.safe_dump(content))
    return str(path)
