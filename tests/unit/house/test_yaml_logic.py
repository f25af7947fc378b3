# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Logic and sentences in YAML become fewer, never more: a ceiling for each figure, which is lowered with it."""

from __future__ import annotations

import pytest

from tools.figures import ratchet, roles, templates, variables
from tools.figures.house import House

CEILINGS: dict[ratchet.Figure, float] = {
    templates.filters: 203,
    templates.filters_per_expression: 0.105,
    templates.over_two_filters: 0,
    templates.filters_in_conditions: 51,
    templates.extract_chains: 0,
    templates.sentences: 9,
    variables.public_facts: 2,
    variables.private_variables: 25,  # one for each role
    roles.entries_without_spec: 0,
}


@pytest.mark.parametrize("figure", CEILINGS, ids=lambda figure: figure.__name__)
def test_the_figure_is_below_its_ceiling(house: House, figure: ratchet.Figure) -> None:
    told = ratchet.problem(figure.__name__, ratchet.number(figure, house), CEILINGS[figure])
    assert told is None, told
