# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_user on a node without Slurm."""

from __future__ import annotations

import os

import pytest
from simulated.shape import reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


def test_without_slurm_there_are_no_users(node):
    for check in (True, False):
        result = reads(node, "slurm_user", check=check, name="alice")
        assert result["slurm_user"] == {"jobs": [], "accounting": "unknown", "accounts": []}


def test_bad_input_fails_with_a_message(node):
    result = node.run("slurm_user", name="alice", timeout=-1)
    assert result["failed"] and "timeout: -1 is not allowed" in result["msg"] and "exception" not in result, result
    assert node.changes() == []
