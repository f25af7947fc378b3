# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scans of SSH endpoints."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading

import paramiko
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint.model import Endpoint
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import PublicKey

A, B = PublicKey("ssh-ed25519", b"a"), PublicKey("ssh-ed25519", b"b")
RSA = PublicKey("ssh-rsa", b"r")
ONE = Endpoint("one", "127.0.0.1", 22)


@pytest.fixture
def server():
    """A TCP server that sends one line to each client."""
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
        (b"HTTP/1.1 400\r\n", [A], "is not an SSH server"),
        (b"", [A], "closed at once"),
    ],
)
def test_a_scan_has_the_keys_or_an_error(server, line, keys, error):
    answers, endpoint = server
    answers.append(line)
    seen = observe.scan(
        endpoint, types=["ed25519"], fetch=lambda *_arguments: keys[0] if keys else None, timeout=2, attempts=2
    )
    assert error in seen.error and bool(error) == bool(seen.error)
    assert seen.complete is (not error)


@pytest.mark.parametrize("host", ["127.0.0.1 ", ""])
def test_a_line_of_ssh_keyscan_is_parsed(monkeypatch, host):
    """ssh-keyscan -c prints no host."""
    line = PublicKey("ssh-ed25519", b"\x00\x00\x00\x0bssh-ed25519x").line
    scan = type("Scan", (), {"stdout": f"# banner\n{host}{line}\n", "stderr": "", "returncode": 0})
    monkeypatch.setattr(observe, "run", lambda *_arguments, **_options: scan)
    assert observe.fetch_by_keyscan(ONE, "ed25519", 1.0).line == line
    assert observe.fetch_certificate(ONE, "ed25519", 1.0).line == line


def reset(client):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def greet_and_close(client):
    client.sendall(b"SSH-2.0-OpenSSH_10.0\r\n")
    client.recv(4096)


@pytest.mark.parametrize(
    ("serve", "error"),
    [
        (lambda client: None, "Connection closed by remote host"),
        (lambda client: client.sendall(b"Exceeded MaxStartups\r\n"), "Connection closed by remote host"),
        (reset, "it is unknown whether the server has a host key of type ed25519"),
        (greet_and_close, "it is unknown whether the server has a host key of type ed25519"),
    ],
)
def test_a_server_that_closes_the_connection_is_unreachable(serve, error):
    with listening(serve) as endpoint, pytest.raises(observe.Unreachable, match=error):
        observe.fetch_by_keyscan(endpoint, "ed25519", 2.0)


@pytest.mark.parametrize("fetch", [observe.fetch_by_keyscan, observe.fetch_by_paramiko])
def test_a_type_that_the_server_does_not_offer_has_no_key(fetch):
    key = paramiko.ECDSAKey.generate()

    def serve(client):
        transport = paramiko.Transport(client.dup())  # it closes its socket at once, but not the connection
        transport.add_server_key(key)
        with contextlib.suppress(paramiko.SSHException, EOFError):
            transport.start_server(server=paramiko.ServerInterface())
        transport.join(30.0)  # until the client has closed the connection

    with listening(serve) as endpoint:
        assert fetch(endpoint, "ecdsa", 30.0).line.split() == [key.get_name(), key.get_base64()]
        assert fetch(endpoint, "ed25519", 30.0) is None


@contextlib.contextmanager
def listening(serve):
    """A server that calls a function with each client and then closes the connection.

    It reads what the client still sends, because closing a socket with unread data resets the connection.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    client, _address = listener.accept()
                    with client, contextlib.suppress(OSError):
                        serve(client)
                        client.shutdown(socket.SHUT_WR)
                        while client.recv(4096):
                            pass

        threading.Thread(target=accept, daemon=True).start()
        yield Endpoint("local", "127.0.0.1", listener.getsockname()[1])
        listener.shutdown(socket.SHUT_RDWR)
