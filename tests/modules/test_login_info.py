# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""login_info on a bare node."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


def test_without_sshd_it_fails_with_a_message(node):
    result = node.run("login_info")
    assert result["failed"] and "sshd" in result["msg"] and "exception" not in result, result
    assert node.changes() == []
