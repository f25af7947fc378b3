# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdicts on SSH endpoints: keys agree, differ, or are unverified."""

from __future__ import annotations

import socket

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint.model import Endpoint, ScanResult
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint.observe import scan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.endpoint.result import UNVERIFIED, summary, verdict
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import PublicKey

A, B = PublicKey("ssh-ed25519", b"a"), PublicKey("ssh-ed25519", b"b")
RSA = PublicKey("ssh-rsa", b"r")
ONE = Endpoint("one", "127.0.0.1", 22)


def presented(*keys, error=""):
    return ScanResult(ONE, frozenset(keys), "SSH-2.0-x", 1.0 if keys else None, error)


@pytest.mark.parametrize(
    "scans, expected, verdicts, overall, same, matches",
    [
        ([presented(A), presented(A)], {A}, ["agrees", "agrees"], "agrees", True, True),
        ([presented(A), presented(A)], set(), ["agrees", "agrees"], "agrees", True, None),
        ([presented(A), presented(B)], {A}, ["agrees", "differs"], "differs", False, False),
        ([presented(A), presented(B)], set(), ["differs", "differs"], "differs", False, None),
        ([presented(B), presented(B)], {A}, ["differs", "differs"], "differs", True, False),
        ([presented(A), presented(error="timed out")], {A}, ["agrees", "unverified"], "unverified", False, False),
        ([presented(error="timed out")], {A}, ["unverified"], "unverified", False, False),
        ([presented(A, error="second look failed")], {A}, ["unverified"], "unverified", False, False),
        ([presented(B, error="second look failed")], {A}, ["differs"], "differs", False, False),
        ([presented(A, B)], set(), ["differs"], "differs", False, None),
        ([presented(A)], {A, RSA}, ["differs"], "differs", True, False),
        ([presented(A, RSA), presented(A)], set(), ["agrees", "differs"], "differs", False, None),
        ([presented(A, RSA)], {A}, ["differs"], "differs", True, False),
        ([], {A}, [], "unverified", False, False),
    ],
)
def test_the_summary_has_a_verdict_for_each_endpoint(scans, expected, verdicts, overall, same, matches):
    found = summary(scans, expected=frozenset(expected))
    assert [one["verdict"] for one in found["endpoints"]] == verdicts
    assert (found["verdict"], found["same_keys"], found["matches_expected"]) == (overall, same, matches)


def test_an_unreachable_endpoint_is_unverified():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    closed = Endpoint("closed", "127.0.0.1", port)
    seen = scan(closed, types=["ed25519"], fetch=lambda *_arguments: A, timeout=1, attempts=1)
    assert verdict(seen, expected=frozenset({A}), others=frozenset()) == UNVERIFIED


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
def test_an_endpoint_may_have_its_own_keys_and_certificates(keys, error, word):
    own = Endpoint("own", "127.0.0.1", 22, frozenset({A, CERTIFICATE}))
    other = presented(B)
    found = summary(
        [ScanResult(own, frozenset(keys), "SSH-2.0-x", 1.0, error), other], expected=frozenset({B})
    )
    assert [one["verdict"] for one in found["endpoints"]] == [word, "agrees"]
    assert found["endpoints"][0]["certificates"] == [key.line for key in keys if key.certifies]
    assert len(found["endpoints"][0]["host_keys"]) == 1
