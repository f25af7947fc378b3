# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The step of a rollout for which a playbook runs."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import rollout_step

PLAY: dict[str, t.Any] = {"ansible_play_hosts_all": ["a"], "hostvars": {"a": {}, "b": {}}}


@pytest.mark.parametrize("found", [None, "text", {"failed": True, "msg": "refused"}, {"rollout": None}])
def test_a_run_without_a_step_is_for_the_clusters_of_its_play(found: t.Any) -> None:
    given = PLAY if found is None else {**PLAY, "hyperpod_rollout": found}
    assert rollout_step.step_of(given) == {} and rollout_step.clusters(given) == ["a"]


def test_extra_variables_of_a_rollout_refer_to_all_its_clusters_that_the_inventory_has() -> None:
    step = {"name": "keys", "run": ["a"], "clusters": {"a": {"wave": 1}, "b": {"wave": 2}, "gone": {"wave": 2}}}
    given = {**PLAY, "hyperpod_rollout": {"rollout": step}}
    assert rollout_step.step_of(given) == step and rollout_step.clusters(given) == ["a", "b"]
