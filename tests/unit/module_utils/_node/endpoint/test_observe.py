# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SSH endpoints: when they agree, when they differ, and when nothing can be said."""

from __future__ import annotations

import socket
import threading

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint.model import Endpoint
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import PublicKey

A, B = PublicKey("ssh-ed25519", b"a"), PublicKey("ssh-ed25519", b"b")
RSA = PublicKey("ssh-rsa", b"r")
ONE = Endpoint("one", "127.0.0.1", 22)


@pytest.fixture
def server():
    """A TCP server that says one line to each client."""
    answers = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve():
        while True:
            try:
                client, _address = listener.accept()
            except OSError:
                return
            with client:
                client.sendall(answers[0])

    threading.Thread(target=serve, daemon=True).start()
    yield answers, Endpoint("local", "127.0.0.1", listener.getsockname()[1])
    listener.close()


@pytest.mark.parametrize(
    "line, keys, error",
    [
        (b"SSH-2.0-OpenSSH_9.6\r\n", [A], ""),
        (b"SSH-2.0-OpenSSH_9.6\r\n", [], "no host key"),
        (b"HTTP/1.1 400\r\n", [A], "no SSH server"),
        (b"", [A], "closed at once"),
    ],
)
def test_look(server, line, keys, error):
    answers, where = server
    answers.append(line)
    seen = observe.scan(
        where, types=["ed25519"], fetch=lambda *_arguments: keys[0] if keys else None, timeout=2, attempts=2
    )
    assert error in seen.error and bool(error) == bool(seen.error)
    assert seen.complete is (not error)


@pytest.mark.parametrize("host", ["127.0.0.1 ", ""])
def test_a_scanned_line(monkeypatch, host):
    """ssh-keyscan -c names no host."""
    line = PublicKey("ssh-ed25519", b"\x00\x00\x00\x0bssh-ed25519x").line
    scan = type("Scan", (), {"stdout": f"# banner\n{host}{line}\n", "stderr": "", "returncode": 0})
    monkeypatch.setattr(observe, "run", lambda *_arguments, **_options: scan)
    assert observe.fetch_by_keyscan(ONE, "ed25519", 1.0).line == line
    assert observe.fetch_certificate(ONE, "ed25519", 1.0).line == line


@pytest.mark.parametrize(
    ("stderr", "unreachable"),
    [
        ("write (one): Connection reset by peer", True),
        ("read (one): No route to host", True),
        ("Connection closed by 127.0.0.1 port 22", True),
        ("# one:22 SSH-2.0-OpenSSH_9.6\nread (one): Connection reset by peer\n", True),
        ("Unable to negotiate with 127.0.0.1 port 22: no matching host key type found. Connection no hostkey alg", False),
        ("one: no hostkey alg\nConnection closed by remote host\n", False),
        ("# one:22 SSH-2.0-OpenSSH_9.6", False),
        ("", False),
    ],
)
def test_a_type_that_a_server_lacks_is_told_from_one_that_does_not_answer(monkeypatch, stderr, unreachable):
    scan = type("Scan", (), {"stdout": "# banner\n", "stderr": stderr, "returncode": 1})
    monkeypatch.setattr(observe, "run", lambda *_arguments, **_options: scan)
    if unreachable:
        with pytest.raises(observe.Unreachable, match=stderr.strip().split("\n")[-1].replace("(", ".").replace(")", ".")):
            observe.fetch_by_keyscan(ONE, "ed25519", 1.0)
    else:
        assert observe.fetch_by_keyscan(ONE, "ed25519", 1.0) is None
