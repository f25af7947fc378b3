# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SSH endpoints: when they agree, when they differ, and when nothing can be said."""

from __future__ import annotations

import socket
import threading

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import endpoint
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.keys import PublicKey

A, B = PublicKey("ssh-ed25519", b"a"), PublicKey("ssh-ed25519", b"b")
RSA = PublicKey("ssh-rsa", b"r")
ONE = endpoint.Endpoint("one", "127.0.0.1", 22)


def sight(*keys, error=""):
    return endpoint.Sight(ONE, frozenset(keys), "SSH-2.0-x", 1.0 if keys else None, error)


@pytest.mark.parametrize(
    "sights, expected, verdicts, overall, same, matches",
    [
        ([sight(A), sight(A)], {A}, ["agrees", "agrees"], "agrees", True, True),
        ([sight(A), sight(A)], set(), ["agrees", "agrees"], "agrees", True, None),
        ([sight(A), sight(B)], {A}, ["agrees", "differs"], "differs", False, False),
        ([sight(A), sight(B)], set(), ["differs", "differs"], "differs", False, None),
        ([sight(B), sight(B)], {A}, ["differs", "differs"], "differs", True, False),
        ([sight(A), sight(error="timed out")], {A}, ["agrees", "unverified"], "unverified", False, False),
        ([sight(error="timed out")], {A}, ["unverified"], "unverified", False, False),
        ([sight(A, error="second look failed")], {A}, ["unverified"], "unverified", False, False),
        ([sight(B, error="second look failed")], {A}, ["differs"], "differs", False, False),
        ([sight(A, B)], set(), ["differs"], "differs", False, None),
        ([sight(A)], {A, RSA}, ["differs"], "differs", True, False),
        ([sight(A, RSA), sight(A)], set(), ["agrees", "differs"], "differs", False, None),
        ([sight(A, RSA)], {A}, ["differs"], "differs", True, False),
        ([], {A}, [], "unverified", False, False),
    ],
)
def test_summary(sights, expected, verdicts, overall, same, matches):
    found = endpoint.summary(sights, expected=frozenset(expected))
    assert [one["verdict"] for one in found["endpoints"]] == verdicts
    assert (found["verdict"], found["same_keys"], found["matches_expected"]) == (overall, same, matches)


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
    yield answers, endpoint.Endpoint("local", "127.0.0.1", listener.getsockname()[1])
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
    seen = endpoint.look(
        where, types=["ed25519"], fetch=lambda *_arguments: keys[0] if keys else None, timeout=2, attempts=2
    )
    assert error in seen.error and bool(error) == bool(seen.error)
    assert seen.complete is (not error)


def test_unreachable_is_unverified():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    nobody = endpoint.Endpoint("nobody", "127.0.0.1", port)
    seen = endpoint.look(nobody, types=["ed25519"], fetch=lambda *_arguments: A, timeout=1, attempts=1)
    assert endpoint.verdict(seen, expected=frozenset({A}), others=frozenset()) == endpoint.UNVERIFIED


CERTIFICATE = PublicKey("ssh-ed25519-cert-v01@openssh.com", b"c")
OLD_CERTIFICATE = PublicKey("ssh-ed25519-cert-v01@openssh.com", b"d")


@pytest.mark.parametrize(
    "keys, error, word",
    [
        ((A, CERTIFICATE), "", "agrees"),
        ((A,), "", "differs"),
        ((A, OLD_CERTIFICATE), "", "differs"),
        ((B, CERTIFICATE), "", "differs"),
        ((A, CERTIFICATE), "timed out", "unverified"),
    ],
)
def test_an_endpoint_has_keys_and_certificates_of_its_own(keys, error, word):
    own = endpoint.Endpoint("own", "127.0.0.1", 22, frozenset({A, CERTIFICATE}))
    other = sight(B)
    found = endpoint.summary(
        [endpoint.Sight(own, frozenset(keys), "SSH-2.0-x", 1.0, error), other], expected=frozenset({B})
    )
    assert [one["verdict"] for one in found["endpoints"]] == [word, "agrees"]
    assert found["endpoints"][0]["certificates"] == [key.line for key in keys if key.certifies]
    assert len(found["endpoints"][0]["host_keys"]) == 1


@pytest.mark.parametrize("host", ["127.0.0.1 ", ""])
def test_a_scanned_line(monkeypatch, host):
    """ssh-keyscan -c names no host."""
    line = PublicKey("ssh-ed25519", b"\x00\x00\x00\x0bssh-ed25519x").line
    scan = type("Scan", (), {"stdout": f"# banner\n{host}{line}\n", "stderr": "", "returncode": 0})
    monkeypatch.setattr(endpoint, "run", lambda *_arguments, **_options: scan)
    assert endpoint.fetch_by_keyscan(ONE, "ed25519", 1.0).line == line
    assert endpoint.fetch_certificate(ONE, "ed25519", 1.0).line == line
