# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What node_access is asked for."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.options import check_limits

FEWEST = {"threads": 1, "timeout": 1}


def test_one_is_the_fewest() -> None:
    check_limits(FEWEST)


@pytest.mark.parametrize("option", FEWEST)
@pytest.mark.parametrize("value", [0, -1])
def test_less_than_one_is_refused_by_name(option: str, value: int) -> None:
    with pytest.raises(Refused, match=f"^{option}: {value} is not allowed. Allowed: 1 or more"):
        check_limits({**FEWEST, option: value})
