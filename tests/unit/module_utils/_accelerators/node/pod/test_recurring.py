# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The exit status of a scheduled check."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.pod.recurring import status


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"health": {"verdict": "fit"}}, 0),
        ({"health": {"verdict": "watch"}}, 0),
        ({"health": {"verdict": "unfit-reboot"}}, 1),
        ({"health": {"verdict": "unfit-replace"}}, 1),
        ({"health": {"verdict": "unknown"}}, 2),
        ({"error": "KeyError: 'timeout'"}, 2),
    ],
)
def test_the_status_fails_if_action_is_needed(answer: dict[str, t.Any], expected: int) -> None:
    assert status(answer) == expected
