# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup fleet in templates of playbooks: nodes of a cluster by fields of the run state."""

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


def nodes(field: str, more: str = "", **variables: t.Any) -> t.Any:
    lookup_loader.add_directory(str(Path(__file__).resolve().parents[3] / "plugins/lookup"))
    known = {"groups": GROUPS, "hostvars": HOSTVARS, "group_names": ["cluster_ml"], "ansible_play_hosts": [], **variables}
    templar = Templar(loader=DataLoader(), variables=known)
    return templar.template(trust_as_template("{{ query('fleet', '" + field + "'" + more + ") }}"))


def test_nodes_are_returned_by_host_or_by_instance_id() -> None:
    assert nodes("reached") == ["ml-1", "ml-2"]
    assert nodes("dirty", ", give='instance_id'") == ["i-1"]


def test_an_unknown_field_is_refused_with_the_known_ones() -> None:
    with pytest.raises(AnsibleError, match="fleet: drity is not allowed. Allowed: .*dirty"):
        nodes("drity")


def test_a_host_outside_of_clusters_has_no_fleet() -> None:
    with pytest.raises(AnsibleError, match="name no cluster"):
        nodes("reached", group_names=["web"])
