# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ssh_host_keys on a bare node: bad input."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({}, "keys: an empty set is not allowed. Allowed: a pair for at least one of ed25519, ecdsa, rsa."),
        ({"rsa": {"private": "x", "public": "y"}}, "keys.rsa.public: "),
    ],
)
def test_bad_input_fails_with_a_message(node, keys, message):
    result = node.run("ssh_host_keys", keys=keys)
    assert result["failed"] and message in result["msg"] and "exception" not in result, result
    assert node.changes() == []


def test_options_of_the_rollback_have_defaults(node):
    result = node.run("ssh_host_keys", phase="status", token="abc", keys={})
    assert result["sshd_change"] == {"status": "unknown", "token": "abc", "subject": "", "files": [], "note": ""}
