# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges that together contain the whole internet."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.cluster.ranges import cover_internet


@pytest.mark.parametrize(
    ("ranges", "covers"),
    [
        ([], False),
        (["0.0.0.0/0"], True),
        (["::/0"], True),
        (["203.0.113.0/24", "0.0.0.0/0"], True),
        (["0.0.0.0/1", "128.0.0.0/1"], True),
        (["0.0.0.0/1", "128.0.0.0/2", "192.0.0.0/2"], True),
        (["0.0.0.0/1"], False),
        (["0.0.0.0/1", "8000::/1"], False),
        (["203.0.113.0/24", "2001:db8::/32"], False),
        (["not a range", "203.0.113.0/24"], False),
    ],
)
def test_ranges_cover_the_internet_alone_or_together(ranges: list[str], covers: bool) -> None:
    assert cover_internet(ranges) is covers
