# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook and the clusters of a rollout."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays import rollout

ROOT = Path(__file__).resolve().parents[5]


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("login_access", ("mlfleet.hyperpod.login_access", "hyperpod_clusters:&orchestrator_slurm", False, False)),
        ("update_software", ("mlfleet.hyperpod.update_software", "hyperpod_clusters", True, False)),
        ("karpenter", ("mlfleet.hyperpod.karpenter", "hyperpod_clusters:&orchestrator_eks", True, True)),
        ("teardown", ("end.yml", "hyperpod_clusters", True, False)),
        ("../../etc/passwd", ("end.yml", "hyperpod_clusters", True, False)),
        ("", ("end.yml", "hyperpod_clusters", True, False)),
    ],
)
def test_only_playbooks_that_support_waves_are_imported(verb: str, expected: tuple[object, ...]) -> None:
    found = rollout.rollout({"rollout_verb": verb})
    assert (found.playbook, found.hosts, found.with_eks, found.without_slurm) == expected


def test_the_role_allows_the_same_playbooks_as_the_table_of_verbs() -> None:
    specs = yaml.safe_load((ROOT / "roles/rollout/meta/argument_specs.yml").read_text())["argument_specs"]["main"]["options"]
    assert set(specs["rollout_verb"]["choices"]) == {name for name, verb in verbs().items() if verb.waves}


@pytest.mark.parametrize(
    ("step", "only"),
    [({"rollout": {"run": ["a", "b"]}}, "a,b"), ({"rollout": {"run": []}}, "!"), ({"failed": True}, "!"), (None, "!")],
)
def test_without_a_wave_the_playbook_has_no_clusters(step: dict[str, t.Any] | None, only: str) -> None:
    hostvars = {"a": {}, "b": {} if step is None else {"hyperpod_rollout": step}}
    assert rollout.rollout_only({"hostvars": hostvars, "groups": {"hyperpod_clusters": ["a", "b"]}}) == only


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"rollout_verb": "reconcile"}, []),
        ({}, ["rollout_verb: 'reconcile' is not allowed: the run chooses the playbook before it reads the inventory"]),
        ({"rollout_verb": "login_access"}, ["rollout_verb: 'reconcile' is not allowed"]),
        ({"rollout_verb": "reconcile", "hyperpod_only": "a"}, ["hyperpod_only: 'a' is not allowed"]),
        ({"rollout_verb": "reconcile", "ansible_limit": "cluster_a"}, ["--limit: 'cluster_a' is not allowed"]),
        ({"rollout_verb": "rotate_host_keys", "rotation": "start"}, []),
        ({"rollout_verb": "rotate_host_keys", "rotation": "emergency"}, ["rotation: 'emergency' is not allowed"]),
    ],
)
def test_variables_that_no_rollout_can_have_are_refused(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], words: list[str]
) -> None:
    monkeypatch.setattr(rollout, "load_extra_vars", lambda _loader: given)
    seen = given["rollout_verb"] if given.get("rollout_verb") == "rotate_host_keys" else "reconcile"
    found = rollout.rollout_refusals({**given, "rollout_verb": seen, "ansible_run_tags": ["all"], "ansible_skip_tags": []})
    assert len(found) == len(words) and all(each["text"].startswith(word) for each, word in zip(found, words, strict=True)), found


def test_a_rollout_of_replace_nodes_without_nodes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"rollout_verb": "replace_nodes", "replace_nodes": ""}
    monkeypatch.setattr(rollout, "load_extra_vars", lambda _loader: given)
    play = {"ansible_run_tags": ["all"], "ansible_skip_tags": [], "ansible_play_hosts_all": [], "groups": {}, "hostvars": {}}
    (found,) = rollout.rollout_refusals({**given, **play})
    assert found["text"].startswith("replace_nodes: missing. Allowed: instance IDs or hosts of nodes")


@pytest.mark.parametrize(("tags", "skipped"), [(["balancer"], []), (["sweeep"], []), (["all"], ["vpn"])])
def test_tags_that_select_a_part_of_the_playbook_are_refused(monkeypatch: pytest.MonkeyPatch, tags: list[str], skipped: list[str]) -> None:
    monkeypatch.setattr(rollout, "load_extra_vars", lambda _loader: {"rollout_verb": "reconcile"})
    (found,) = rollout.rollout_refusals({"rollout_verb": "reconcile", "ansible_run_tags": tags, "ansible_skip_tags": skipped})
    assert found["text"].startswith("--tags: ")
