# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server with the control plane's certificate, next to the API server."""

from __future__ import annotations

import http.server
import socket
import ssl
import threading
import typing as t
from pathlib import Path


class Served:
    """At ``port``, on loopback, from :meth:`start` to :meth:`stop`; ``folder`` holds the certificate."""

    def __init__(self, folder: Path, port: int, handler: type[http.server.BaseHTTPRequestHandler]) -> None:
        self.folder = folder
        self.port = port
        self.handler = handler
        self._server: Server | None = None

    def start(self) -> None:
        self._server = Server(self.folder, self.port, self.handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, folder: Path, port: int, handler: type[http.server.BaseHTTPRequestHandler]) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(folder / "server.crt", folder / "server.key")
        super().__init__(("127.0.0.1", port), handler)

    def get_request(self) -> tuple[socket.socket, t.Any]:
        """Accept a connection; the handshake happens on the first read, in a separate thread."""
        link, address = super().get_request()
        return self.context.wrap_socket(link, server_side=True, do_handshake_on_connect=False), address

    def handle_error(self, *_who: t.Any) -> None:
        """Ignore broken connections, because clients may be killed."""
