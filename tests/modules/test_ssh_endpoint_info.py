# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ssh_endpoint_info without a listener."""

from __future__ import annotations

import os

import pytest
from simulated.shape import reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("via", ["paramiko", "keyscan"])
def test_it_only_reads(node, via, check):
    result = reads(node, "ssh_endpoint_info", check=check, via=via, endpoints=[{"host": "127.0.0.1", "port": 1}], timeout=1)
    (endpoint,) = result["ssh_endpoints"]["endpoints"]
    assert (endpoint["reachable"], endpoint["host_keys"]) == (False, [])
