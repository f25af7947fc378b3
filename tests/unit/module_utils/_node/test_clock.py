# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node whose clock is wrong by more than five minutes is refused."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import clock

NOW = 1_800_000_000.0


@pytest.mark.parametrize("controller_time", [None, NOW, NOW + 300, NOW - 300])
def test_a_clock_that_is_right_is_accepted(controller_time: float | None) -> None:
    clock.check(controller_time, now=NOW)


@pytest.mark.parametrize(("offset", "words"), [(3600, "60 minutes behind"), (-3600, "60 minutes ahead of"), (301, "5 minutes behind")])
def test_a_clock_that_is_wrong_is_refused(offset: float, words: str) -> None:
    with pytest.raises(Refused, match=f"{words} the control node's") as caught:
        clock.check(NOW + offset, now=NOW)
    assert caught.value.finding().code == "node-clock-wrong"
