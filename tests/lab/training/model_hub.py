# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for Hugging Face's Hub: it serves files of gated models to accounts that have access."""

from __future__ import annotations

import http.server
import threading
import typing as t

ACCEPTED = "a/accepted"
"""A model to which the account has access."""
ANSWERS = {f"/{ACCEPTED}": 200, "/a/moved": 307}
"""The HTTP statuses by model. The account has no access to all other models."""


class Hub:
    """:param token: the token of the only account."""

    def __init__(self, token: str) -> None:
        self.requests: list[tuple[str, str]] = []
        """The method and the path of each request."""
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                hub.requests.append((self.command, self.path))
                known = self.headers.get("Authorization") == f"Bearer {token}"
                self.send_response(ANSWERS.get(self.path.removesuffix("/resolve/main/config.json"), 403) if known else 401)
                self.send_header("Location", f"{hub.url}/elsewhere")
                self.end_headers()

            def log_message(self, *_arguments: t.Any) -> None:
                """Nothing is printed."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self) -> Hub:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self.server.shutdown()
        self.server.server_close()
