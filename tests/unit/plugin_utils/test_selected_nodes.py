# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The nodes that an operator selects, in the waves of a rollout; the tests of the role's views have the other runs."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import selected_nodes
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.selected_nodes import Selected

HOSTVARS: dict[str, dict[str, t.Any]] = {
    "a": {"hyperpod_cluster_group": "cluster_a"},
    "b": {"hyperpod_cluster_group": "cluster_b"},
    "a1": {"hyperpod_instance_id": "i-1", "hyperpod_instance_group": "work"},
    "b1": {"hyperpod_instance_id": "i-2", "hyperpod_instance_group": "gpu"},
    "head": {"hyperpod_instance_id": "i-3", "hyperpod_instance_group": "top"},
}
GROUPS = {"cluster_a": ["a", "a1"], "cluster_b": ["b", "b1", "head"], "node_type_controller": ["head"]}
STEP = {"rollout": {"name": "parts", "run": ["a"], "clusters": {"a": {}, "b": {}}}}


def wave(**given: t.Any) -> dict[str, t.Any]:
    """The variables of a play for the wave with cluster a."""
    return {"hostvars": HOSTVARS, "groups": GROUPS, "ansible_play_hosts_all": ["a"], "hyperpod_rollout": STEP, **given}


def replaced(names: t.Any, **given: t.Any) -> Selected:
    return selected_nodes.selected(wave(maintenance_chosen_by="replace_nodes", maintenance_nodes=names, **given))


def updated(names: t.Any) -> Selected:
    return selected_nodes.selected(wave(maintenance_chosen_by="update_groups", maintenance_groups=names))


def test_a_wave_is_not_refused_because_of_nodes_of_other_waves_and_of_nodes_that_were_replaced() -> None:
    assert replaced(["i-1", "b1", "i-old"]) == Selected(["a1", "b1"], [], ["i-old"], [])
    assert replaced("i-old").refusals == [], "an earlier call has replaced the only node"
    (refused,) = replaced(["i-1", "b1"], hyperpod_rollout={}).refusals
    assert refused["text"].startswith("replace_nodes: b1 is not allowed: it is not a node of these clusters")


def test_a_wave_is_not_refused_because_of_groups_of_other_waves() -> None:
    assert updated("work,gpu") == Selected(["a1", "b1"], [], [], [])
    (refused,) = updated("work,gpus").refusals
    assert refused["text"].startswith("update_groups: gpus is not allowed: these clusters have no such instance group with nodes")


def test_a_rollout_of_replace_nodes_names_nodes_but_no_controllers() -> None:
    def first(names: t.Any) -> Selected:
        return selected_nodes.for_rollout({**wave(replace_nodes=names, hyperpod_rollout={}), "ansible_play_hosts_all": ["a", "b"]})

    assert first("i-1,i-old") == Selected(["a1"], [], ["i-old"], []), "whether i-old is refused depends on the record of the rollout"
    (head,) = first("i-1,head").refusals
    assert head["text"].startswith("replace_nodes: head is not allowed")
    (nothing,) = first("").refusals
    assert nothing["text"].startswith("replace_nodes: missing. Allowed: instance IDs or hosts of nodes other than controllers")
