# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""readiness_gate: bad input."""

from __future__ import annotations

import os

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mount_timeout": 0}, "mount_timeout: 0 is not allowed. Allowed: seconds from 1 to 60"),
        ({"people_port": 223}, "people_port: 223 is not allowed. Allowed: a port other than that of the health check"),
        ({"mounts": ["fsx"]}, "mounts: 'fsx' is not allowed. Allowed: an absolute path"),
    ],
)
def test_bad_input_fails_with_a_message(node, options, message):
    result = node.run("readiness_gate", **options)
    assert result["failed"] and message in result["msg"] and "exception" not in result, result
    assert node.changes() == []
