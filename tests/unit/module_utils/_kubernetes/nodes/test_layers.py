# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The network nodes above a node."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.layers import LAYER, layers_of


@pytest.mark.parametrize(
    ("named", "layers"),
    [
        ({1: "a", 2: "b", 3: "c"}, ("a", "b", "c")),
        ({1: "a", 3: "c"}, ("a",)),
        ({2: "b", 3: "c"}, ()),
        ({1: "a\n\x1b", 2: ""}, ("a??",)),
        ({}, ()),
    ],
)
def test_layers_end_before_the_first_missing_one(named: dict[int, str], layers: tuple[str, ...]) -> None:
    assert layers_of({f"{LAYER}{number}": name for number, name in named.items()}) == layers
