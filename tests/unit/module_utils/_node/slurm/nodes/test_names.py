# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of nodes in Slurm's notation."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.names import expanded


@pytest.mark.parametrize(
    ("names", "nodes"),
    [
        ("", ()),
        ("head", ("head",)),
        ("ip-10-1-2-[3-5,9],head", ("ip-10-1-2-3", "ip-10-1-2-4", "ip-10-1-2-5", "ip-10-1-2-9", "head")),
        ("a[08-10]", ("a08", "a09", "a10")),
        ("r[1-2]n[3,4]x", ("r1n3x", "r1n4x", "r2n3x", "r2n4x")),
        ("a[,b[x-]", ()),
        ("a[\u00b2-\u00b3]", ()),
        ("a[1-9999]b[1-9999]", tuple(f"a{first}b{second}" for first in (1, 2) for second in range(1, 10_000))[:10_000]),
        ("a[1-99999999]", tuple(f"a{number}" for number in range(1, 10_001))),
    ],
)
def test_lists_of_nodes_are_expanded(names: str, nodes: tuple[str, ...]) -> None:
    assert expanded(names) == nodes
