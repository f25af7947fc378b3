# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of fi_info: devices, none, or unreadable."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import efa

TWO = """provider: efa
    fabric: efa-direct
    domain: rdmap1s0-rdm
provider: efa
    fabric: efa
    domain: rdmap1s0-dgrm
provider: efa
    fabric: efa
    domain: rdmap0s0-rdm
"""
NONE = "fi_getinfo: -61 (No data available)"


@pytest.mark.parametrize(
    ("text", "status", "domains"),
    [
        (TWO, 0, ("rdmap0s0", "rdmap1s0")),
        (NONE, 61, ()),
        (NONE, 195, ()),
        ("fi_getinfo: -61", 1, ()),
        ("fi_getinfo: -61\n", 61, ()),
        ("fi_getinfo: 61 (No data available)", 61, ()),
        (f"libfabric:7:core: warning\n{NONE}", 61, ()),
        (TWO, 139, None),
        (TWO, 1, None),
        (NONE, 0, None),
        ("Segmentation fault", 139, None),
        ("", 139, None),
        ("", -11, None),
        ("", 0, None),
        ("fi_info: command not found", 127, None),
        ("fi_getinfo: -12 (Cannot allocate memory)", 12, None),
        ("fi_getinfo: -611", 1, None),
        ("libfabric: fi_getinfo: -61", 1, None),
        ("provider: tcp\n    domain: eth0", 0, None),
    ],
)
def test_only_the_message_of_libfabric_means_none(text: str, status: int, domains: tuple[str, ...] | None) -> None:
    assert efa.domains(text, status) == domains
