# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks that every run must pass."""

from __future__ import annotations

import typing as t

import pytest
from ansible import constants
from ansible.utils.display import Display
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run_scope import NONE, BadSelection
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays import begin


@pytest.fixture
def variables() -> dict[str, t.Any]:
    return {
        "ansible_play_hosts_all": ["ml", "n1"],
        "groups": {
            "hyperpod_clusters": ["ml", "b"],
            "hyperpod_nodes": ["n1", "n2"],
            "orchestrator_slurm": ["ml", "b", "n1", "n2"],
            "cluster_ml": ["ml", "n1"],
            "cluster_b": ["b", "n2"],
        },
        "hostvars": {host: {"hyperpod_cluster_arn": f"arn:{host}"} for host in ("ml", "b", "n1", "n2")},
    }


@pytest.mark.parametrize(
    ("given", "hosts"),
    [
        ({}, "hyperpod_clusters:hyperpod_nodes"),
        ({"hyperpod_only": "ml"}, "hyperpod_clusters:hyperpod_nodes:!cluster_b"),
        ({"ansible_play_hosts_all": []}, "localhost"),
        ({"ansible_play_hosts_all": ["another"]}, "all"),
    ],
)
def test_a_run_begins_on_one_of_its_hosts(variables: dict[str, t.Any], given: dict[str, t.Any], hosts: str) -> None:
    assert begin.begin_hosts({**variables, **given}) == hosts


def test_a_playbook_can_run_another_one_for_no_cluster(variables: dict[str, t.Any], monkeypatch: pytest.MonkeyPatch) -> None:
    none = {**variables, "hyperpod_only": NONE}
    assert begin.begin_hosts(none) == "!all"
    assert begin.left_out(none).hosts == "hyperpod_clusters:!orchestrator_slurm:!cluster_ml:!cluster_b"
    assert begin.end_hosts(none) == "hyperpod_clusters:!cluster_ml:!cluster_b"
    monkeypatch.setattr(begin, "load_extra_vars", lambda _loader: {"hyperpod_only": NONE})
    assert begin.begin_hosts(none) != "!all", "an operator who gives this value is refused"


OF_EKS = {
    "groups": {"hyperpod_clusters": ["ml", "b"], "orchestrator_eks": ["ml", "n1"], "hyperpod_definitions": ["ml", "plain", "other"]},
    "hostvars": {"ml": {}, "b": {}, "plain": {"training_cluster_name": "a"}, "other": {}},
}


@pytest.mark.parametrize(
    ("given", "training", "end"),
    [
        ({}, "ml", "hyperpod_clusters"),
        ({"hyperpod_with_definitions": True}, "ml:plain", "ml:b:plain"),
        ({"hyperpod_with_definitions": True, "hyperpod_only": "plain"}, "plain", "plain"),
        ({"hyperpod_with_definitions": True, "hyperpod_only": "b"}, "!all", "b"),
        ({"hyperpod_with_definitions": True, "hostvars": None}, "ml:plain:other", "ml:b:plain:other"),
    ],
)
def test_clusters_without_hyperpod_are_in_the_plays_of_a_playbook_that_supports_them(given: dict[str, t.Any], training: str, end: str) -> None:
    assert begin.training_hosts({**OF_EKS, **given}) == training
    assert begin.end_hosts({**OF_EKS, **given}) == end


def test_a_limit_without_hosts_is_refused(variables: dict[str, t.Any]) -> None:
    with pytest.raises(BadSelection, match="nothing was checked"):
        begin.begin_hosts({**variables, "ansible_play_hosts_all": [], "ansible_limit": "localhost", "groups": {}})


def test_tags_that_skip_the_validation_are_refused(variables: dict[str, t.Any]) -> None:
    with pytest.raises(BadSelection, match="--skip-tags: always is not allowed: the run would skip its validation and its verdict"):
        begin.begin_hosts({**variables, "ansible_skip_tags": ["vpn", "always"]})
    assert begin.begin_hosts({**variables, "ansible_skip_tags": ["vpn"]})


@pytest.mark.parametrize(
    ("fails", "host", "needed"),
    [(True, "ml", True), ("yes", "ml", True), ("false", "ml", False), (True, "b", False), (None, "ml", False)],
)
def test_the_callback_is_required_if_a_cluster_may_be_degraded(
    variables: dict[str, t.Any], fails: t.Any, host: str, needed: bool
) -> None:
    assert begin.callback_needed(variables) is False
    variables["hostvars"][host]["hyperpod_degraded_fails"] = fails
    assert begin.callback_needed(variables) is needed


def test_without_clusters_no_callback_is_required(variables: dict[str, t.Any]) -> None:
    assert begin.callback_needed({**variables, "groups": {}}) is False


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, None),
        ({"ansible_play_hosts_all": ["ml"], "ansible_limit": "ml"}, "--limit: ml is not allowed: it leaves out 1 of the 2 hosts"),
        ({"ansible_play_hosts_all": ["ml"], "hyperpod_internal_without_nodes": "true"}, None),
        ({"hyperpod_only": "c"}, "hyperpod_only: c is not allowed"),
        ({"groups": {}, "ansible_play_hosts_all": []}, "(sources: none)"),
        ({"groups": {}, "ansible_inventory_sources": ["a.yml"]}, "(sources: a.yml)"),
        ({"groups": {}, "hyperpod_inventory_read": ["account 1"]}, "The inventory plugin read: account 1."),
        ({"groups": {}, "hyperpod_inventory_failures": ["account 2"]}, "Parts of the inventory could not be read: account 2."),
    ],
)
def test_a_run_must_cover_whole_clusters(
    variables: dict[str, t.Any], given: dict[str, t.Any], message: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(constants, "CALLBACKS_ENABLED", [begin.CALLBACK])
    refusals = begin.scope_refusals({**variables, **given})
    assert len(refusals) == (0 if message is None else 1)
    assert (message or "") in "".join(each["text"] for each in refusals)


@pytest.mark.parametrize(("enabled", "warned"), [([begin.CALLBACK], []), (["timer"], [begin.NOT_JUDGED])])
def test_a_run_without_the_callback_is_warned_about(
    variables: dict[str, t.Any], enabled: list[str], warned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(constants, "CALLBACKS_ENABLED", enabled)
    monkeypatch.setattr(Display, "warning", lambda _self, text: warnings.append(text))
    begin.scope_refusals(variables)
    assert warnings == warned


@pytest.mark.parametrize(
    ("given", "hosts", "says"),
    [
        ({}, "hyperpod_clusters:!orchestrator_slurm", "not-slurm"),
        ({"hyperpod_without_slurm": True}, "hyperpod_clusters:!orchestrator_eks", "not-eks"),
        ({"hyperpod_with_eks": "true"}, "!all", "not-slurm"),
    ],
)
def test_clusters_that_a_playbook_is_not_for_are_reported_once(
    variables: dict[str, t.Any], given: dict[str, t.Any], hosts: str, says: str
) -> None:
    found = begin.left_out({**variables, **given})
    assert (found.hosts, found.says) == (hosts, says)
