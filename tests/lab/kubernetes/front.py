# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A proxy between users and the API server: it records changes and can hold replies, as the simulated AWS can.

The EKS endpoint points to it. Kubelets, controllers and a test's own changes bypass it. An audit log would have the same data,
but only after the reply, and it cannot hold replies.
"""

from __future__ import annotations

import contextlib
import dataclasses
import http.client
import http.server
import json
import socket
import ssl
import threading
import typing as t
import urllib.parse
from pathlib import Path

from .api import Api, ApiError
from .served import Served

PORT = 6444
VERBS = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
OF_THE_LINK = ("connection", "keep-alive", "transfer-encoding", "host", "upgrade", "te", "trailer")
"""Headers that are not forwarded."""
OWN = ("status", "finalize")
"""Subresources of namespaces; other path segments after a namespace's name are resources in it."""
CHUNK = 65536
TUNNEL_SECONDS = 600
"""Seconds after which an idle tunnel ends."""


@dataclasses.dataclass(frozen=True)
class Change:
    """A changing request, which may be refused. ``resource`` includes its subresource: ``pods/eviction``."""

    verb: str
    resource: str
    name: str
    user: str = ""
    status: int = 0

    @property
    def summary(self) -> tuple[str, str, str]:
        return (self.verb, self.resource, self.name)


@dataclasses.dataclass
class Hold:
    """Holds the reply to the ``nth`` change from now on; empty fields match any change."""

    verb: str = ""
    resource: str = ""
    name: str = ""
    nth: int = 1

    def strikes(self, change: Change) -> bool:
        if any(wanted not in ("", found) for wanted, found in zip((self.verb, self.resource, self.name), change.summary)):
            return False
        self.nth -= 1
        return self.nth == 0


def change_of(method: str, target: str) -> Change | None:
    """The change of a request; None if it only reads or is a dry run."""
    path, _mark, query = target.partition("?")
    parts = path.strip("/").split("/")
    rest = parts[2:] if parts[0] == "api" else parts[3:]
    if method not in VERBS or not rest or urllib.parse.parse_qs(query).get("dryRun") or rest[0].endswith("reviews"):
        return None
    if rest[0] == "namespaces" and len(rest) > 2 and rest[2] not in OWN:
        rest = rest[2:]
    name = rest[1] if len(rest) > 1 else ""
    verb = "deletecollection" if method == "DELETE" and not name else VERBS[method]
    return Change(verb, "/".join((rest[0], *rest[2:])), name)


def readable(change: Change | None, body: bytes) -> bytes:
    """The body for version 1.20 of the API server, which lacks ``policy/v1``. Later versions read evictions of ``policy/v1beta1``, too."""
    evicts = change is not None and change.resource == "pods/eviction"
    return body.replace(b'"policy/v1"', b'"policy/v1beta1"') if evicts else body


def named(change: Change, answer: bytes) -> Change:
    """The change with the name of the created object, which is only in the reply if the server generates it."""
    if change.name:
        return change
    found = json.loads(answer) if answer.startswith(b"{") else {}
    name = (found.get("metadata") or {}).get("name") or (found.get("details") or {}).get("name") or ""
    return dataclasses.replace(change, name=name)


class Front(Served):
    def __init__(self, folder: Path, api: Api) -> None:
        super().__init__(folder, PORT, type("Handler", (_Handler,), {"front": self}))
        self.api = api
        self._lock = threading.Lock()
        self._changes: list[Change] = []
        self._reads: list[str] = []
        self._users: dict[str, str] = {}
        self._holds: list[Hold] = []
        self._held: list[Change] = []
        self._released = threading.Event()
        self.upstream: ssl.SSLContext | None = None
        """TLS context for the API server, once its certificate exists."""

    @property
    def endpoint(self) -> str:
        return f"https://127.0.0.1:{PORT}"

    def start(self) -> None:
        self.upstream = ssl.create_default_context(cafile=str(self.folder / "ca.crt"))
        super().start()

    def stop(self) -> None:
        self.release()
        super().stop()

    def changes(self) -> list[Change]:
        """Changes in the order in which they took effect or were refused."""
        with self._lock:
            return list(self._changes)

    def reads(self) -> list[str]:
        """Paths and queries of reading requests."""
        with self._lock:
            return list(self._reads)

    def reset_changes(self) -> None:
        """Clear the changes and the reads."""
        with self._lock:
            self._changes.clear()
            self._reads.clear()

    def hold(self, **which: t.Any) -> None:
        """Add a hold with these fields of :class:`Hold`."""
        with self._lock:
            self._holds.append(Hold(**which))

    def held(self) -> list[Change]:
        """Changes that took effect and whose replies are held."""
        with self._lock:
            return list(self._held)

    def release(self) -> None:
        """Remove the holds, and release the replies."""
        with self._lock:
            released, self._released = self._released, threading.Event()
            self._holds.clear()
            self._held.clear()
        released.set()

    def read(self, target: str) -> None:
        with self._lock:
            self._reads.append(target)

    def note(self, change: Change, status: int, token: str) -> None:
        """Record a change; return when its reply may be sent."""
        change = dataclasses.replace(change, user=self._user(token), status=status)
        with self._lock:
            self._changes.append(change)
            struck = [hold for hold in self._holds if hold.strikes(change)]
            released = self._released
            if struck:
                self._held.append(change)
        if struck:
            released.wait()

    def _user(self, token: str) -> str:
        """The user of a token on the API server."""
        if token and token not in self._users:
            body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
            try:
                status = self.api.create("/apis/authentication.k8s.io/v1/tokenreviews", body)["status"]
            except (ApiError, OSError):
                return ""
            self._users[token] = str(status.get("user", {}).get("username", ""))
        return self._users.get(token, "")


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    front: t.ClassVar[Front]

    def __getattr__(self, name: str) -> t.Callable[[], None]:
        if name.startswith("do_"):
            return self._pass_on
        raise AttributeError(name)

    def _pass_on(self) -> None:
        if self.headers.get("Upgrade"):
            self._tunnel()
            return
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OF_THE_LINK}
        change = change_of(self.command, self.path)
        body = readable(change, body)
        if change is None:
            self.front.read(self.path)
        else:
            headers = {name: value for name, value in headers.items() if name.lower() not in ("accept", "accept-encoding", "content-length")}
            headers["Accept"] = "application/json"  # which kubectl also accepts, and which is readable here
        # A new connection for each request: a kept one may be closed when a request must not be sent twice.
        link = http.client.HTTPSConnection("127.0.0.1", self.front.api.port, context=self.front.upstream)
        try:
            link.request(self.command, self.path, body or None, headers)
            answer = link.getresponse()
            if change is None:
                self._head(answer)
                self._stream(answer)
            else:
                content = answer.read()
                token = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
                self.front.note(named(change, content), answer.status, token)
                self._head(answer, length=len(content))
                self.wfile.write(content)
        finally:
            link.close()

    def _tunnel(self) -> None:
        """Copy bytes in both directions until one side closes: exec and port-forward switch from HTTP to another protocol."""
        change = change_of(self.command, self.path)
        assert self.front.upstream is not None
        with socket.create_connection(("127.0.0.1", self.front.api.port)) as link:
            with self.front.upstream.wrap_socket(link, server_hostname="127.0.0.1") as server:
                headers = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
                server.sendall(f"{self.requestline}\r\n{headers}\r\n".encode("latin-1"))
                if change is None:
                    self.front.read(self.path)
                else:
                    self.front.note(change, 101, (self.headers.get("Authorization") or "").removeprefix("Bearer "))
                for side in (server, self.connection):
                    side.settimeout(TUNNEL_SECONDS)
                back = threading.Thread(target=_copy, args=(server.recv, self.connection), daemon=True)
                back.start()
                _copy(self.rfile.read1, server)
                back.join()
        self.close_connection = True

    def _head(self, answer: http.client.HTTPResponse, *, length: int | None = None) -> None:
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in OF_THE_LINK and (length is None or name.lower() != "content-length"):
                self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", str(length))
        elif self._chunked(answer):
            self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def _stream(self, answer: http.client.HTTPResponse) -> None:
        """Forward the body as it arrives, because a watch has no end."""
        chunked = self._chunked(answer)
        while data := answer.read1(CHUNK):
            self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data) if chunked else data)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _chunked(self, answer: http.client.HTTPResponse) -> bool:
        return answer.getheader("Content-Length") is None and answer.status not in (204, 304) and self.command != "HEAD"

    def log_message(self, *_what: object) -> None:
        """Log nothing."""


def _copy(read: t.Callable[[int], bytes], to: socket.socket) -> None:
    """Copy until ``read`` ends, then end the other side."""
    with contextlib.suppress(OSError):
        while data := read(CHUNK):
            to.sendall(data)
    with contextlib.suppress(OSError):
        to.shutdown(socket.SHUT_RDWR)
