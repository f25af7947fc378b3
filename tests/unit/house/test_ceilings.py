# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of hard-to-read code stay below their ceilings, which are lowered with each improvement."""

from __future__ import annotations

import pytest

from tools.figures import code, imports, playbooks, ratchet, roles, subjects, templates, tree, variables, words
from tools.figures.house import House

CEILINGS: dict[ratchet.Figure, float] = {
    templates.filters: 208,  # each playbook has one for the profile, and rollout one more for its home
    templates.over_two_filters: 0,
    templates.filters_in_conditions: 47,
    templates.extract_chains: 0,
    templates.sentences: 13,  # the reports of 11 roles, and the plans to build and to remove a training cluster
    variables.public_facts: 2,
    variables.private_variables: 31,  # one for each role
    roles.entries_without_spec: 0,
    roles.most_task_files: 18,  # training_cluster; runs that build and runs that remove a cluster share the removal of node groups
    roles.most_entries: 11,
    roles.repeated_arguments: 21,  # the last one plans and makes a change of launch templates, with the plan to accept in between
    playbooks.most_plays: 30,
    code.files_over_300: 8,
    code.longest_function: 49,
    code.copied_actions: 0,
    code.one_field_views: 0,
    imports.opened_worst: 77,
    subjects.most_folders_of_a_subject: 4,
    subjects.across_subjects: 7,
    tree.untested_files: 284,
}
WORDS = {
    "told": 14,
    "nobody": 14,
    "what_is": 11,
    "is_to": 0,
    "anew": 16,
    "goes_by": 45,
    "of_which": 45,
}


@pytest.mark.parametrize("figure", CEILINGS, ids=lambda figure: figure.__name__)
def test_the_figure_is_below_its_ceiling(house: House, figure: ratchet.Figure) -> None:
    problem = ratchet.problem(figure.__name__, ratchet.number(figure, house), CEILINGS[figure])
    assert problem is None, problem


def test_the_dialect_becomes_rarer(house: House) -> None:
    """``tools/house.py --show dialect`` prints the counts; ``tools.figures.words.places`` returns the places."""
    found = words.dialect(house)
    assert found.keys() == WORDS.keys()
    problems = [ratchet.problem(word, found[word], WORDS[word]) for word in WORDS]
    assert not any(problems), problems
