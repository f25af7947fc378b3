# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A registry of the OCI distribution specification: the requests of pushes and pulls."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import re
import socket
import ssl
import threading
import typing as t
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from botocore.exceptions import ClientError
from lab.kubernetes.pki import Authority

from ..ecr import tokens

HOST = re.compile(r"(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.amazonaws\.com")
PATH = re.compile(r"/v2/(?P<name>.+)/(?P<kind>blobs/uploads|blobs|manifests)/(?P<reference>[^/]*)")
CALLER = "111111111111"
"""The account whose tokens are valid."""
HANDSHAKE = b"\x16"
"""The first byte of a connection with TLS."""


@dataclass
class Registry:
    """The contents of all registries.

    :param client: a client of ECR for an account and a Region, with which pushed images are registered.
    """

    client: t.Callable[[str, str], t.Any]
    blobs: dict[str, bytes] = field(default_factory=dict)
    manifests: dict[tuple[str, str, str], tuple[str, bytes]] = field(default_factory=dict)
    """Media type and content, by host, repository, and tag or digest."""
    uploads: dict[str, bytes] = field(default_factory=dict)
    requests: list[tuple[str, str, str, int]] = field(default_factory=list)
    """Method, host, path, and status of the reply."""
    address: tuple[str, int] = ("", 0)
    tls: ssl.SSLContext | None = None

    def store(self, content: bytes) -> str:
        """Keep a blob; returns its digest."""
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self.blobs[digest] = content
        return digest

    def keep(self, host: str, name: str, reference: str, media_type: str, content: bytes) -> str:
        """Keep a manifest; returns its digest."""
        digest = self.store(content)
        for each in (reference, digest):
            self.manifests[host, name, each] = (media_type, content)
        return digest

    def push(self, host: str, name: str, reference: str, media_type: str, content: bytes) -> str:
        """Keep a manifest in a registry and in the simulated ECR.

        :raises ClientError: if ECR refuses the image.
        """
        account, region = HOST.fullmatch(host).groups()  # type: ignore[union-attr]
        tagged = {} if reference.startswith("sha256:") else {"imageTag": reference}
        try:
            self.client(account, region).put_image(
                repositoryName=name, imageManifest=content.decode(), imageManifestMediaType=media_type, **tagged
            )
        except ClientError as error:
            if error.response["Error"]["Code"] != "ImageAlreadyExistsException":
                raise
        return self.keep(host, name, reference, media_type, content)


@contextlib.contextmanager
def served(
    client: t.Callable[[str, str], t.Any],
    *,
    authority: Authority | None = None,
    hosts: t.Sequence[str] = (),
    address: tuple[str, int] = ("127.0.0.1", 0),
) -> t.Iterator[Registry]:
    """A registry that is also the proxy to itself.

    :param authority: issues the certificate for the hosts; without an authority, there is no TLS.
    :param address: by default, a loopback port that the system chooses.
    """
    registry = Registry(client)
    if authority is not None:
        authority.issue("registry", "registry", names=hosts)
        registry.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        registry.tls.load_cert_chain(authority.folder / "registry.crt", authority.folder / "registry.key")

    class Own(Handler):
        content = registry

    server = ThreadingHTTPServer(address, Own)
    server.daemon_threads = True
    registry.address = (address[0], server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Handler(BaseHTTPRequestHandler):
    """One connection of a builder or a node."""

    protocol_version = "HTTP/1.1"
    content: Registry

    def setup(self) -> None:
        if self.content.tls and self.request.recv(1, socket.MSG_PEEK) == HANDSHAKE:
            self.request = self.content.tls.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle_one_request(self) -> None:
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            super().handle_one_request()

    def do_GET(self) -> None:
        self._serve()

    def do_HEAD(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def do_PUT(self) -> None:
        self._serve()

    def do_PATCH(self) -> None:
        self._serve()

    def do_CONNECT(self) -> None:
        """The request of a program to its proxy. The connection then has TLS, and ends in the registry itself."""
        if self.content.tls is None or HOST.fullmatch(self.path.partition(":")[0]) is None:
            self._reply(502, b"")
            return
        self.send_response(200)
        self.end_headers()
        self.connection = self.content.tls.wrap_socket(self.connection, server_side=True)
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", buffering=0)
        self.close_connection = False

    def log_message(self, *arguments: t.Any) -> None:
        """Log nothing; the registry keeps its requests."""

    def _serve(self) -> None:
        given = urlsplit(self.path)
        host = given.hostname or self.headers.get("Host", "")
        body = self._body()
        if not self._is_allowed(host):
            self._reply(401, _errors("UNAUTHORIZED", "Not Authorized"), {"WWW-Authenticate": f'Basic realm="https://{host}/"'})
            return
        match = PATH.fullmatch(given.path)
        if given.path in ("/v2", "/v2/"):
            self._reply(200, b"{}")
        elif match is None:
            self._reply(404, _errors("UNSUPPORTED", given.path))
        elif match["kind"] == "manifests":
            self._manifest(host, match["name"], match["reference"], body)
        elif match["kind"] == "blobs":
            self._blob(match["reference"])
        else:
            self._upload(match["name"], match["reference"], parse_qs(given.query).get("digest", [""])[0], body)

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _is_allowed(self, host: str) -> bool:
        known = HOST.fullmatch(host)
        if known is None:
            return False
        expected = base64.b64encode(f"{tokens.USER}:{tokens.password(CALLER, known[2])}".encode()).decode()
        return self.headers.get("Authorization") == f"Basic {expected}"

    def _manifest(self, host: str, name: str, reference: str, body: bytes) -> None:
        if self.command == "PUT":
            try:
                digest = self.content.push(host, name, reference, self.headers.get("Content-Type", ""), body)
            except ClientError as error:
                self._reply(400, _errors("TAG_INVALID", error.response["Error"]["Message"]))
                return
            self._reply(201, b"", {"Docker-Content-Digest": digest, "Location": f"/v2/{name}/manifests/{digest}"})
            return
        media_type, content = self.content.manifests.get((host, name, reference), ("", None))
        if content is None:
            self._reply(404, _errors("MANIFEST_UNKNOWN", "Requested image not found"))
            return
        digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
        self._reply(200, content, {"Content-Type": media_type, "Docker-Content-Digest": digest})

    def _blob(self, digest: str) -> None:
        content = self.content.blobs.get(digest)
        if content is None:
            self._reply(404, _errors("BLOB_UNKNOWN", digest))
        else:
            self._reply(200, content, {"Content-Type": "application/octet-stream", "Docker-Content-Digest": digest})

    def _upload(self, name: str, upload: str, digest: str, body: bytes) -> None:
        if self.command == "POST":
            upload = str(uuid.uuid4())
        received = self.content.uploads.get(upload, b"") + body
        if not digest:
            self.content.uploads[upload] = received
            there = {"Location": f"/v2/{name}/blobs/uploads/{upload}", "Docker-Upload-UUID": upload, "Range": f"0-{max(0, len(received) - 1)}"}
            self._reply(202, b"", there)
            return
        self.content.uploads.pop(upload, None)
        stored = self.content.store(received)
        if stored != digest:
            self._reply(400, _errors("DIGEST_INVALID", digest))
            return
        self._reply(201, b"", {"Location": f"/v2/{name}/blobs/{digest}", "Docker-Content-Digest": digest})

    def _reply(self, status: int, body: bytes, headers: t.Mapping[str, str] | None = None) -> None:
        given = urlsplit(self.path)
        self.content.requests.append((self.command, given.hostname or self.headers.get("Host", ""), given.path, status))
        self.send_response(status)
        for name, value in {"Docker-Distribution-Api-Version": "registry/2.0", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _errors(code: str, message: str) -> bytes:
    return json.dumps({"errors": [{"code": code, "message": message}]}).encode()
