# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_nodes on a node without Slurm; with one in tests/integration/test_replace_nodes.py."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


def test_without_slurm_the_module_fails_in_a_sentence(node):
    result = node.run("slurm_nodes", state="drained", addresses=["10.0.0.1"], reason="disk")
    assert result["failed"] and result["msg"] == "sinfo is not installed on this node." and node.changes() == []


def test_a_sentence_tells_what_is_wrong(node):
    result = node.run("slurm_nodes", state="drained", addresses=["10.0.0.1"])
    assert result["failed"] and "reason: missing" in result["msg"] and "exception" not in result, result
