# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of verbs agrees with the playbooks, and its pages with the table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import known_variables, verbs

from tools import variable_docs, verb_docs

PLAYBOOKS = Path(__file__).resolve().parents[3] / "playbooks"
NO_VERBS = {"awx", "begin", "end", "maintenance"}
"""The playbook that works on no cluster, and those that the others import."""
FLAGS = {"Slurm": set(), "both": {"hyperpod_with_eks"}, "EKS": {"hyperpod_without_slurm"}}
WITHOUT_FLAGS = {"rollout": "both", "cluster": "both", "training_cluster": "EKS"}
"""Playbooks on definitions, whose orchestrator the inventory does not know, and one whose clusters are those of another playbook."""

each_verb = pytest.mark.parametrize("verb", verbs.verbs().values(), ids=verbs.verbs())


def flags(verb: verbs.Verb) -> set[str]:
    """The flags that the playbook passes to its first play."""
    return set(re.findall(r"^ +(hyperpod_[a-z_]+): true\b", (PLAYBOOKS / f"{verb.name}.yml").read_text(), re.M))


def test_each_playbook_is_a_verb() -> None:
    assert set(verbs.verbs()) == {path.stem for path in PLAYBOOKS.glob("*.yml")} - NO_VERBS


@each_verb
def test_a_verb_has_allowed_values(verb: verbs.Verb) -> None:
    assert verb.clusters in verbs.CLUSTERS and set(verb.changes) <= set(verbs.CHANGES)
    assert verb.role in verbs.ROLES and verb.job_type in (verbs.RUN, verbs.CHECK)
    assert {each.schedule for each in verb.templates.values()} <= {*verbs.SCHEDULES, ""}
    assert "|" not in verb.purpose and not verb.purpose.endswith(".")


@each_verb
def test_a_verb_supports_the_clusters_of_its_playbook(verb: verbs.Verb) -> None:
    if verb.name in WITHOUT_FLAGS:
        assert verb.clusters == WITHOUT_FLAGS[verb.name]
    else:
        assert flags(verb) & {"hyperpod_with_eks", "hyperpod_without_slurm"} == FLAGS[verb.clusters]


@each_verb
def test_only_a_verb_that_reads_changes_nothing(verb: verbs.Verb) -> None:
    """``drift`` refuses to run outside of check mode."""
    assert ("hyperpod_reads" in flags(verb) or verb.job_type == verbs.CHECK) is (not verb.changes)


@each_verb
def test_a_verb_that_changes_clusters_is_for_operators_only(verb: verbs.Verb) -> None:
    assert verb.role == "operator" or not {"nodes", "AWS", "records"} & set(verb.changes)


@each_verb
def test_a_survey_asks_for_known_variables_and_for_all_orders(verb: verbs.Verb) -> None:
    known = variable_docs.one_run(verb.name)
    given = {name for each in verb.templates.values() for name in each.vars}
    others = {*verb.survey, *given} - {*known_variables.SETTINGS} - set(known)
    assert others <= known_variables.of_roles(), "neither variables of this verb nor options of a role"
    assert {name for name, option in known.items() if name in verb.orders and option["type"] != "dict"} <= set(verb.survey)
    assert len(set(verb.survey)) == len(verb.survey)


def test_the_pages_are_up_to_date() -> None:
    assert {path: path.read_text() for path in verb_docs.pages()} == verb_docs.pages()
