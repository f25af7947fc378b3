# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Approvals: of one plan, or of any plan."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.remediation import approval


@pytest.mark.parametrize(
    ("given", "number", "agreed"),
    [
        ([], "ml:0a1b2c3d", False),
        ("", "ml:0a1b2c3d", False),
        ("ml:0a1b2c3d", "ml:0a1b2c3d", True),
        ("b:00000000, ml:0a1b2c3d", "ml:0a1b2c3d", True),
        (["ml:0a1b2c3e"], "ml:0a1b2c3d", False),
        ("all", "ml:0a1b2c3d", True),
        ("all", "", False),
        ("", "", False),
    ],
)
def test_a_plan_is_approved_by_its_number_or_by_all(given: t.Any, number: str, agreed: bool) -> None:
    assert approval.approved(given, number) is agreed


def test_an_invalid_plan_number_is_refused() -> None:
    (text,) = approval.problems("remediation_approve", "ml:0a1b2c3d, yes, all")
    assert text == "remediation_approve: 'yes' is not allowed. Allowed: all, or the number of a plan that a run reported, such as ml:0a1b2c3d."
