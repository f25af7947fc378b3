# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of plays, blocks and tasks begin with Validate, Get, Ensure, Remove, Skip, Record, Wait or Report."""

from __future__ import annotations

import pytest

from tools.figures import roles
from tools.figures.house import House

NOT_YET = [
    "playbooks/",
    "roles/adoption/",
    "roles/client_vpn/",
    "roles/login_balancer/",
]
"""Folders that still have other names. The list only shrinks: one without any is taken out."""


def _others(house: House, folder: str) -> list[str]:
    return [told for told in roles.other_first_words(house) if told.startswith(folder)]


def test_names_begin_with_one_of_the_eight_verbs(house: House) -> None:
    assert [told for told in roles.other_first_words(house) if not told.startswith(tuple(NOT_YET))] == []


@pytest.mark.parametrize("folder", NOT_YET)
def test_a_folder_that_is_done_is_held(house: House, folder: str) -> None:
    assert _others(house, folder), f"take {folder} out of NOT_YET"
