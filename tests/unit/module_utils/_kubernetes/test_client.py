# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to an API server with scripted answers."""

from __future__ import annotations

import http.server
import json
import socket
import threading
import time
import typing as t
import urllib.parse

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.client import Kubernetes, KubernetesError
from kubernetes.client import Configuration

PODS = "/api/v1/pods"
Answer = tuple[int, dict[str, t.Any]]


class Script:
    """Answers in order, the last one repeats; and the recorded requests."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[tuple[str, str, str, t.Any]] = []


@pytest.fixture
def script() -> Script:
    return Script()


@pytest.fixture
def kubernetes(script: Script) -> t.Iterator[Kubernetes]:
    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            script.requests.append((self.command, self.path, self.headers.get("Content-Type", ""), body))
            status, content = script.answers.pop(0) if len(script.answers) > 1 else script.answers[0]
            text = json.dumps(content).encode()
            self.send_response(status)
            if 300 <= status < 400:
                self.send_header("Location", "/elsewhere")
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def __getattr__(self, name: str) -> t.Callable[[], None]:
            if name.startswith("do_"):
                return self.answer
            raise AttributeError(name)

        def log_message(self, *_what: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        configuration = Configuration()
        configuration.host = f"http://127.0.0.1:{server.server_address[1]}"
        yield Kubernetes(configuration, "Contact the administrator.")
        server.shutdown()


def page(*names: str, more: str = "") -> Answer:
    metadata = {"resourceVersion": "1", **({"continue": more} if more else {})}
    return 200, {"metadata": metadata, "items": [{"metadata": {"name": name}} for name in names]}


def names(items: list[dict[str, t.Any]]) -> list[str]:
    return [each["metadata"]["name"] for each in items]


def queries(script: Script) -> list[dict[str, list[str]]]:
    return [urllib.parse.parse_qs(urllib.parse.urlsplit(path).query) for _method, path, _kind, _body in script.requests]


def test_a_listing_is_read_to_its_last_page(kubernetes: Kubernetes, script: Script) -> None:
    script.answers = [page("a", "b", more="to/c="), page("c", more="to d"), page()]
    assert names(kubernetes.items(PODS, labelSelector="app in (x,y)")) == ["a", "b", "c"]
    query = {"labelSelector": ["app in (x,y)"], "limit": ["500"]}
    assert queries(script) == [query, {**query, "continue": ["to/c="]}, {**query, "continue": ["to d"]}]


def test_expired_pages_are_read_again_in_one_request(kubernetes: Kubernetes, script: Script) -> None:
    script.answers = [page("a", more="to b"), (410, {"reason": "Expired", "message": "too old"}), page("b", "c")]
    assert names(kubernetes.items(PODS)) == ["b", "c"]
    assert queries(script)[-1] == {}


def test_a_listing_that_fails_half_way_is_an_error(kubernetes: Kubernetes, script: Script) -> None:
    script.answers = [page("a", more="to b"), (403, {"message": 'User "x" cannot list'})]
    with pytest.raises(KubernetesError, match='403: User "x" cannot list') as refused:
        kubernetes.items(PODS)
    assert (refused.value.status, len(script.requests)) == (403, 2)


def test_an_empty_listing_of_custom_resources_is_read(kubernetes: Kubernetes, script: Script) -> None:
    script.answers = [(200, {"metadata": {}, "items": None})]
    assert kubernetes.items("/apis/karpenter.sh/v1/nodepools") == []


def test_a_deletion_returns_whether_the_object_existed(kubernetes: Kubernetes, script: Script) -> None:
    script.answers = [(200, {"status": "Success"}), (404, {"message": "not found"}), (409, {"message": "precondition"})]
    options = {"propagationPolicy": "Foreground", "preconditions": {"uid": "1"}}
    assert kubernetes.delete(f"{PODS}/a", options) is True
    assert kubernetes.delete(f"{PODS}/a") is False
    with pytest.raises(KubernetesError, match="409: precondition"):
        kubernetes.delete(f"{PODS}/a")
    assert [(method, body) for method, _path, _kind, body in script.requests] == [("DELETE", options), ("DELETE", None), ("DELETE", None)]


def test_a_merge_patch_has_its_content_type(kubernetes: Kubernetes, script: Script) -> None:
    script.answers = [(200, {"kind": "Pod"})]
    change = {"metadata": {"labels": {"a": None}}}
    assert kubernetes.merge(f"{PODS}/a", change) == {"kind": "Pod"}
    assert script.requests == [("PATCH", f"{PODS}/a", "application/merge-patch+json", change)]


def test_a_creation_is_sent_as_plain_json(kubernetes: Kubernetes, script: Script) -> None:
    script.answers = [(201, {"kind": "Pod"}), (401, {})]
    kubernetes.create(PODS, {"kind": "Pod"})
    assert script.requests[0] == ("POST", PODS, "application/json", {"kind": "Pod"})
    with pytest.raises(KubernetesError, match=r"did not authenticate the caller\. Contact the administrator\."):
        kubernetes.get(PODS)


def test_a_log_is_read_up_to_the_limit(kubernetes: Kubernetes, script: Script) -> None:
    script.answers = [(200, {"a": "x" * 1000})]
    assert kubernetes.text(f"{PODS}/a/log", most=9) == '{"a": "xx'
    assert len(kubernetes.text(f"{PODS}/a/log", most=5000)) == 1009


@pytest.mark.parametrize("status", [302, 403])
def test_a_log_that_cannot_be_read_is_an_error(kubernetes: Kubernetes, script: Script, status: int) -> None:
    script.answers = [(status, {"message": "not here"}), (200, {})]
    with pytest.raises(KubernetesError, match=f"was answered with {status}: not here") as refused:
        kubernetes.text(f"{PODS}/a/log", most=100)
    assert refused.value.status == status and len(script.requests) == 1


def test_an_endless_log_is_cut_off() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        configuration = Configuration()
        configuration.host = f"http://127.0.0.1:{server.getsockname()[1]}"
        begin = time.monotonic()
        with pytest.raises(KubernetesError, match="no complete reply within 0 s") as refused:
            Kubernetes(configuration, "Contact the administrator.").text(f"{PODS}/a/log", most=100, seconds=0.2)
        assert refused.value.status == 0 and time.monotonic() - begin < 10
