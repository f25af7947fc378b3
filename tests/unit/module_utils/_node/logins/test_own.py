# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which login brought us here."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.logins import own as session


@pytest.mark.parametrize(
    "environment, connection",
    [
        ({"SSH_CONNECTION": "10.0.0.1 4000 10.0.0.2 22", "LOGNAME": "alice"}, "10.0.0.1 4000 10.0.0.2 22"),
        ({"SSH_CONNECTION": "10.0.0.1 4000", "LOGNAME": "alice"}, None),
        ({"LOGNAME": "alice"}, None),
    ],
)
def test_login_from_environment(environment, connection):
    login = session.login_from(environment)
    assert (login and login.connection) == connection
