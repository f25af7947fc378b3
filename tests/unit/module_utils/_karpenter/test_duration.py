# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Durations."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.duration import seconds


@pytest.mark.parametrize(("given", "read"), [("30s", 30), ("1h30m", 5400), ("0s", 0), ("Never", None), ("soon", None), ("", None)])
def test_durations_are_parsed(given: str, read: int | None) -> None:
    assert seconds(given) == read
