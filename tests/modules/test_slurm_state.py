# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""slurm_state on a node without Slurm; tests/integration/test_update_software.py has one."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")
FOLDER = "/fsx/.hyperpod_slurm_state/ml"


def test_without_slurm_nothing_is_saved(node):
    result = node.run("slurm_state", state="saved", folder=FOLDER)
    assert result["failed"] and "slurmctld does not respond" in result["msg"] and node.changes() == [], result


def test_without_a_saved_state_nothing_is_pending(node):
    result = node.run("slurm_state", state="restored", folder=FOLDER)
    assert not result["changed"] and result["slurm_state"] == {"waiting": "", "unseen": ""} and node.changes() == [], result


def test_bad_input_fails_with_a_message(node):
    result = node.run("slurm_state", state="saved", folder="/")
    assert result["failed"] and result["msg"].startswith("folder: '/' is not allowed") and "exception" not in result, result
