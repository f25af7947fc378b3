# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of NVLink 5 without registers: the driver's own word decides."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health import nvlink5


@pytest.mark.parametrize(
    ("word", "decoded"), [("Fatal", "fatal"), ("Nonfatal", "not fatal"), ("Non-fatal", "not fatal"), ("Non-Fatal", "not fatal"), ("", "not fatal")]
)
def test_the_word_of_the_driver(word: str, decoded: str) -> None:
    assert nvlink5.decode(149, f"NETIR_LINK_EVT {word} XC0 i0 Link 08", 575) == decoded
