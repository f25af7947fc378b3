# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The caller among the administrators of a new cluster."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.caller import advised, is_among

SESSION = "arn:aws:sts::111111111111:assumed-role/mlfleet-platform/alice"
ROLE, USER = "arn:aws:iam::111111111111:role/mlfleet-platform", "arn:aws:iam::111111111111:user/alice"


@pytest.mark.parametrize(
    ("caller", "principals", "found"),
    [
        (SESSION, [USER, ROLE], True),
        (SESSION, [ROLE.replace("role/", "role/ops/")], True),
        (USER, [USER], True),
        (USER, [ROLE], False),
        (SESSION, [ROLE.replace("111111111111", "222222222222")], False),
        (SESSION, [ROLE + "2"], False),
        (SESSION, [], False),
        ("arn:aws:iam::111111111111:root", [ROLE], False),
    ],
)
def test_the_caller_is_found_by_account_and_name(caller: str, principals: list[str], found: bool) -> None:
    assert is_among(caller, principals) is found


def test_the_role_of_a_session_is_advised() -> None:
    assert (advised(SESSION), advised(USER)) == (ROLE, USER)
