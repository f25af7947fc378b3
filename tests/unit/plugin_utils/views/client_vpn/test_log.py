# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log group of the connection log."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.client_vpn import log

TAGS = {"Team": "ml", "mlfleet.hyperpod/component": "client_vpn", "mlfleet.hyperpod/client-vpn": "vpc-1"}
GROUP = {"log_group_name": "/mlfleet/hyperpod/client-vpn/vpc-1", "retention_in_days": 365, "tags": TAGS}


@pytest.mark.parametrize(
    ("groups", "check_mode", "due", "retention", "ours"),
    [
        ([], False, True, 365, False),
        ([], True, True, 365, False),
        ([{**GROUP, "log_group_name": "/mlfleet/hyperpod/client-vpn/vpc-12"}], False, True, 365, False),
        ([GROUP], False, False, 365, True),
        ([{**GROUP, "tags": {**TAGS, "More": "x"}}], False, False, 365, True),
        ([{**GROUP, "retention_in_days": 7}], True, True, None, True),
        ([{**GROUP, "tags": {"Team": "ml"}}], False, True, 365, False),
        ([{**GROUP, "tags": {**TAGS, "Team": "x"}}], False, True, 365, True),
    ],
)
def test_a_log_group_is_changed_only_if_it_differs(
    variables: dict[str, t.Any], groups: list[t.Any], check_mode: bool, due: bool, retention: int | None, ours: bool
) -> None:
    found = log.log({**variables, "__client_vpn_logs": {"log_groups": groups}, "ansible_check_mode": check_mode})
    assert (found.due, found.retention, found.ours) == (due, retention, ours)
