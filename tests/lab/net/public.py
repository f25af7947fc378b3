# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of the lab's internet: a name server with AWS's public names, and a site that returns the client's address.

Run as `python -m lab.net.public NAMES DNS-ADDRESS SITE-ADDRESS` by internet.py. NAMES is read for every question.
"""

from __future__ import annotations

import http.server
import json
import socket
import socketserver
import struct
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

A, ANY, IN = 1, 255, 1
NO_SUCH_NAME = 3
SECONDS_TO_KEEP = 1
HEADER = struct.Struct("!HHHHHH")


def addresses(names: Mapping[str, Sequence[str]], name: str) -> Sequence[str] | None:
    """Addresses of a name, or of the `*` that covers it; None for an unknown name."""
    name = name.lower()
    if name in names:
        return names[name]
    _label, _dot, parent = name.partition(".")
    return names.get(f"*.{parent}")


def answer(question: bytes, names: Mapping[str, Sequence[str]]) -> bytes:
    """The reply to one DNS message with one question.

    :raises ValueError, struct.error, IndexError: for any other message.
    """
    number, flags, questions, *_rest = HEADER.unpack_from(question)
    if flags & 0x8000 or questions != 1:
        raise ValueError("not a message with one question")
    labels, position = [], HEADER.size
    while length := question[position]:
        labels.append(question[position + 1 : position + 1 + length].decode("ascii"))
        position += 1 + length
    kind, kind_of_network = struct.unpack_from("!HH", question, position + 1)
    found = addresses(names, ".".join(labels))
    given = found if found and kind in (A, ANY) and kind_of_network == IN else ()
    records = b"".join(
        struct.pack("!HHHIH4s", 0xC00C, A, IN, SECONDS_TO_KEEP, 4, socket.inet_aton(address)) for address in given
    )
    # an authoritative reply, which copies the recursion flag of the client
    code = 0x8480 | (flags & 0x0100) | (NO_SUCH_NAME if found is None else 0)
    return HEADER.pack(number, code, 1, len(given), 0, 0) + question[HEADER.size : position + 5] + records


class Names(socketserver.BaseRequestHandler):
    """DNS over UDP."""

    file: Path

    def handle(self) -> None:
        message, reply = self.request
        try:
            names = json.loads(self.file.read_text()) if self.file.exists() else {}
            reply.sendto(answer(message, names), self.client_address)
        except (ValueError, struct.error, IndexError):
            return  # like real servers, do not reply to invalid messages


class Site(http.server.BaseHTTPRequestHandler):
    """Returns the client's address for any path."""

    def do_GET(self) -> None:
        content = f"{self.client_address[0]}\n".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the name is the base class's
        """No log."""


def main(names: str, dns: str, site: str) -> None:
    Names.file = Path(names)
    web = http.server.ThreadingHTTPServer((site, 80), Site)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    with socketserver.UDPServer((dns, 53), Names) as server:
        print("ready", flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
