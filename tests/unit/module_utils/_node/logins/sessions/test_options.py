# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of login_sessions."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins.sessions.model import Desired

PARAMS = {"state": "ended", "wait_timeout": 0, "poll_interval": 10, "notice": "", "operations_user": "ops"}


def test_the_lines_of_a_notice_must_be_printable():
    assert options.desired({**PARAMS, "notice": "one\ntwo\n"}) == Desired(True, "one\ntwo\n", "ops")
    with pytest.raises(Refused):
        options.desired({**PARAMS, "notice": "one\x85two"})
