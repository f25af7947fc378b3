# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record that is written before nodes get another declaration."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import run
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.people import Declared, Given
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.record import Recorded

SAME, OTHER = Declared({"alice": "one"}), Declared({"alice": "two"})


@pytest.mark.parametrize(
    ("given", "declared", "announced"),
    [
        (None, SAME, False),
        (Given(SAME.version), None, False),
        (Given(SAME.version), SAME, False),
        (Given(SAME.version), OTHER, True),
    ],
)
def test_only_another_declaration_is_announced(given: Given | None, declared: Declared | None, announced: bool) -> None:
    found = run._announced(Recorded({}, {}, frozenset(), given), declared)
    assert (found is not None) == announced and (found is None or found.version == OTHER.version)
