# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A refusal stops the host, and no node is asked."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.action import validate


@pytest.mark.parametrize(
    ("refusals", "failed", "msg"),
    [
        ([], False, ""),
        (["a: 1 is not allowed. Allowed: 2."], True, "a: 1 is not allowed. Allowed: 2."),
        (["a: 1 is not allowed.", "b: 2 is not allowed."], True, "a: 1 is not allowed. b: 2 is not allowed."),
    ],
)
def test_all_refusals_are_told(action: t.Any, refusals: list[str], failed: bool, msg: str) -> None:
    made, node = action(validate.ActionModule, {"refusals": refusals})
    result = made.run(task_vars={})
    assert (result["failed"], result["msg"], result["changed"]) == (failed, msg, False)
    assert node.asked == []
