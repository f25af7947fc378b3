# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The templates, playbooks and workflows of rollouts."""

from __future__ import annotations

import typing as t

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx import rollouts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.project import files
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs

from .examples import objects

KEYS: dict[str, t.Any] = {
    "name": "keys",
    "verb": "rotate_host_keys",
    "variables": {"rotation": "start"},
    "waves": [{"clusters": ["canary"], "soak_minutes": 60}, {"size": 5}, {}],
}


def test_each_wave_has_a_playbook_whose_variables_are_no_extra_variables() -> None:
    known = rollouts.with_rollouts(verbs().values(), rollouts.declared([KEYS]))
    found = {each.path: each.content for each in files(known, "1.2.3")}
    plays = [yaml.safe_load(found[f"rollout_keys_wave_{wave}.yml"])[0] for wave in (1, 2, 3)]
    assert {each["ansible.builtin.import_playbook"] for each in plays} == {"mlfleet.hyperpod.rollout"}
    first, second, _third = (each["vars"] for each in plays)
    assert first["rollout_waves"] == [
        {"clusters": ["canary"], "soak_minutes": 60, "approval": False},
        {"size": 5, "approval": True},
        {"approval": True},
    ]
    assert (first["rollout_action"], second["rollout_action"]) == ("continue", "approve")
    assert (second["rollout_wave"], second["rotation"]) == (2, "start")
    assert second["rollout_workflow"] == {"verb": "rotate_host_keys", "variables": ["rotation"]}
    assert "vars" not in yaml.safe_load(found["rollout.yml"])[0]


def test_a_template_repeats_failed_clusters_with_the_same_variables_outside_of_the_workflow() -> None:
    known = rollouts.with_rollouts(verbs().values(), rollouts.declared([KEYS]))
    found = {each.path: each.content for each in files(known, "1.2.3")}
    (play,) = yaml.safe_load(found["rollout_keys_retry.yml"])
    assert (play["vars"]["rollout_action"], play["vars"]["rotation"]) == ("retry", "start")
    assert play["vars"]["rollout_workflow"] == {"variables": ["rotation"]} and "rollout_wave" not in play["vars"]


def test_a_workflow_has_an_approval_before_each_wave_except_the_first() -> None:
    found = objects(awx_verbs=[], awx_rollouts=[KEYS], awx_prefix="p ")
    nodes = [each for each in found if each.refers.get("workflow_job_template") == "p rollout keys"]
    edges = {each.name: each.lists["success_nodes"] for each in nodes}
    assert edges == {
        "rollout keys wave 1": ("approve keys wave 2",),
        "approve keys wave 2": ("rollout keys wave 2",),
        "rollout keys wave 2": ("approve keys wave 3",),
        "approve keys wave 3": ("rollout keys wave 3",),
        "rollout keys wave 3": (),
    }
    assert [each.name for each in nodes if "approval_node" in each.values] == ["approve keys wave 3", "approve keys wave 2"]
    assert all(not each.lists["failure_nodes"] and not each.lists["always_nodes"] for each in nodes)
    seen: set[str] = set()
    for each in nodes:
        assert set(each.lists["success_nodes"]) <= seen
        seen.add(each.name)


def test_the_template_of_a_wave_asks_nothing_and_may_wait_for_its_gate() -> None:
    found = {each.name: each for each in objects(awx_verbs=["rollout"], awx_rollouts=[KEYS]) if each.kind == "job_template"}
    wave = found["rollout keys wave 2"].values
    assert (wave["extra_vars"], wave["survey_enabled"]) == ({"rollout_verb": "rotate_host_keys"}, False)
    assert (wave["timeout"], found["rollout"].values["timeout"]) == (7200 + 720 * 60, 7200)
    assert found["rollout"].values["extra_vars"] == {} and found["rollout"].values["survey_enabled"]


def test_operators_start_and_approve_the_workflows() -> None:
    found = objects(awx_verbs=[], awx_rollouts=[KEYS])
    rights = {each.name: each.lists["workflows"] for each in found if each.kind == "role" and "workflows" in each.lists}
    both = ("repair after approval", "rollout keys")
    assert rights == {"operators: execute workflows": both, "operators: approval workflows": both}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "Keys"}, "awx_rollouts: 'Keys' is not allowed. Allowed: 1 to 40 lowercase letters"),
        ({"name": "../keys"}, "awx_rollouts: '../keys' is not allowed"),
        ({"verb": "drift"}, "awx_rollouts: 'drift' is not allowed. Allowed: "),
        ({"variables": {"hyperpod_only": "ml"}}, "awx_rollouts: 'hyperpod_only' is not allowed: the playbook is rotate_host_keys."),
        ({"wait_minutes": 30}, "awx_rollouts: 'soak_minutes 60' is not allowed: the next job of keys would not wait so long. Allowed: at most"),
        ({"waves": []}, "awx_rollouts: '0 waves' is not allowed: the rollout is keys. Allowed: 1 to 20."),
        ({"waves": [{"size": 5}]}, "awx_rollouts: 'size 5' is not allowed: the last wave of keys would repeat"),
    ],
)
def test_values_that_are_not_allowed_are_refused(change: dict[str, t.Any], words: str) -> None:
    (found,) = rollouts.refusals([{**KEYS, **change}], [], verbs())
    assert found.startswith(words), found


def test_a_name_is_used_once_and_the_verb_rollout_is_chosen() -> None:
    assert list(rollouts.refusals([KEYS], ["rollout", "reconcile"], verbs())) == []
    (twice,) = rollouts.refusals([KEYS, KEYS], [], verbs())
    assert twice == "awx_rollouts: 'keys' is not allowed. Allowed: names that differ."
    (missing,) = rollouts.refusals([KEYS], ["reconcile"], verbs())
    assert missing.startswith("awx_verbs: 'reconcile' is not allowed: awx_rollouts is set. Allowed: a list with rollout")
