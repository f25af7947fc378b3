# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""login_sessions on a node without a login manager and without sessions."""

from __future__ import annotations

import os

import pytest
from simulated.shape import reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


@pytest.mark.parametrize("state", ["reported", "ended"])
def test_a_node_without_sessions(node, state):
    for check in (True, False):
        assert reads(node, "login_sessions", check=check, state=state)["login_sessions"] == []
