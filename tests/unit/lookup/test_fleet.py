# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes of a cluster by what the run knows of them, as a template of a playbook."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.plugins.loader import lookup_loader
from ansible.template import Templar, trust_as_template

GROUPS = {"hyperpod_clusters": ["ml"], "cluster_ml": ["ml", "ml-1", "ml-2"], "node_type_login": ["ml-1"]}
HOSTVARS = {
    "ml": {"hyperpod_cluster_group": "cluster_ml"},
    "ml-1": {"hyperpod_instance_id": "i-1", "hyperpod_run": {"reached": True, "dirty": True}},
    "ml-2": {"hyperpod_instance_id": "i-2", "hyperpod_run": {"reached": True, "dirty": False}},
}


def told(question: str, more: str = "", **variables: t.Any) -> t.Any:
    lookup_loader.add_directory(str(Path(__file__).resolve().parents[3] / "plugins/lookup"))
    known = {"groups": GROUPS, "hostvars": HOSTVARS, "group_names": ["cluster_ml"], "ansible_play_hosts": [], **variables}
    templar = Templar(loader=DataLoader(), variables=known)
    return templar.template(trust_as_template("{{ query('fleet', '" + question + "'" + more + ") }}"))


def test_nodes_are_told_by_host_or_by_id() -> None:
    assert told("reached") == ["ml-1", "ml-2"]
    assert told("dirty", ", give='instance_id'") == ["i-1"]


def test_an_unknown_question_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(AnsibleError, match="fleet: drity is not allowed. Allowed: .*dirty"):
        told("drity")


def test_a_host_of_no_cluster_has_no_fleet() -> None:
    with pytest.raises(AnsibleError, match="name no cluster"):
        told("reached", group_names=["web"])
