# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup hosts in templates of playbooks: the host pattern of a play."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import lookup_loader
from ansible.template import Templar, trust_as_template

GROUPS = {"hyperpod_clusters": ["ml", "b-2"]}


def hosts(arguments: str = "", **variables: t.Any) -> str:
    lookup_loader.add_directory(str(Path(__file__).resolve().parents[3] / "plugins/lookup"))
    templar = Templar(loader=DataLoader(), variables={"groups": GROUPS, **variables})
    found: str = templar.template(trust_as_template("{{ lookup('hosts', 'hyperpod_nodes:&orchestrator_slurm'" + arguments + ") }}"))
    return found


@pytest.mark.parametrize("only", [{}, {"hyperpod_only": ""}, {"hyperpod_only": trust_as_template("{{ nothing }}")}])
def test_all_clusters_are_selected_without_a_selection(only: dict[str, t.Any]) -> None:
    assert hosts(**only) == "hyperpod_nodes:&orchestrator_slurm"


@pytest.mark.parametrize("only", ["ml", ["ml"], trust_as_template("{{ 'm' + 'l' }}")])
def test_a_cluster_that_is_not_selected_is_excluded_with_its_nodes(only: t.Any) -> None:
    assert hosts(hyperpod_only=only) == "hyperpod_nodes:&orchestrator_slurm:!cluster_b_2"


def test_unchanged_clusters_are_excluded_only_with_the_option() -> None:
    unchanged = trust_as_template("{{ ':!cluster_' + 'ml' }}")
    assert hosts(", left_alone=true") == "hyperpod_nodes:&orchestrator_slurm"
    assert hosts(", left_alone=true", hyperpod_left_alone=unchanged) == "hyperpod_nodes:&orchestrator_slurm:!cluster_ml"
    assert hosts(hyperpod_left_alone=unchanged) == "hyperpod_nodes:&orchestrator_slurm"
