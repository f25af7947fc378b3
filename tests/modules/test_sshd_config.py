# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""sshd_config on a bare node without sshd."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


def test_without_sshd_it_fails_with_a_message(node):
    result = node.run("sshd_config")
    message = "/etc/ssh/sshd_config does not exist on this node. Install the OpenSSH server first."
    assert result["failed"] and message in result["msg"] and "exception" not in result, result
    assert node.changes() == []


def test_options_of_the_rollback_have_defaults(node):
    result = node.run("sshd_config", phase="status", token="abc")
    assert result["sshd_change"] == {"status": "unknown", "token": "abc", "subject": "", "files": [], "note": ""}
