# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role rollout."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import rollout

HOLD = {"rollout": "keys", "wave": 2, "until": "2099-01-01T00:00:00Z", "plan": "p", "since": "s", "owner": "o"}
STEP = {
    "name": "keys",
    "state": "running",
    "text": "Wave 1 of 2: reconcile runs for a.",
    "remarks": ["A remark."],
    "hold": ["b"],
    "hold_until": "2099-01-01T00:00:00Z",
    "plan": "p",
    "clusters": {"a": {"wave": 1}, "b": {"wave": 2}},
    "run": ["a"],
}


def of(cluster: str, *, hold: dict[str, t.Any] | None = None, **step: t.Any) -> dict[str, t.Any]:
    return {
        "inventory_hostname": cluster,
        "hyperpod_cluster_key": cluster,
        "hyperpod_run": {"records": {"rollout": {"hold": hold} if hold else {}}},
        "hyperpod_rollout": {"rollout": {**STEP, **step}},
        "__rollout_records": {"records": {}},
        "rollout": "keys",
        "rollout_verb": "rotate_host_keys",
    }


def test_clusters_of_later_waves_wait() -> None:
    found = rollout.step(of("b"))
    assert (found.waits, found.released) == (True, False)
    assert found.hold == {"rollout": "keys", "wave": 2, "until": "2099-01-01T00:00:00Z", "plan": "p"}
    assert found.notes[0]["text"] == "Rollout keys: Wave 1 of 2: reconcile runs for a. A remark."


def test_a_cluster_whose_records_could_not_be_read_is_left_alone() -> None:
    for cluster, hold in (("a", HOLD), ("b", None)):
        found = rollout.step({**of(cluster, hold=hold), "__rollout_records": {"msg": "denied"}})
        assert (found.waits, found.released) == (False, False)
    assert rollout.records({"__rollout_records": {"msg": "denied"}}) == {}
    hostvars = {"a": {"__rollout_records": {"records": {}}}, "b": {"__rollout_records": {"msg": "denied\x1b[2J"}}}
    (reason,) = rollout.unread({"ansible_play_hosts_all": ["a", "b"], "hostvars": hostvars}).items()
    assert reason[0] == "b" and reason[1].startswith("denied") and "\x1b" not in reason[1]


def test_named_nodes_that_no_cluster_has_are_missing() -> None:
    hostvars = {"a": {"hyperpod_cluster_group": "cluster_a"}, "a1": {"hyperpod_instance_id": "i-1"}}
    play = {"ansible_play_hosts_all": ["a"], "hostvars": hostvars, "groups": {"cluster_a": ["a", "a1"]}}
    given = {**play, "replace_nodes": "i-1,i-old"}
    assert rollout.missing_nodes({**given, "rollout_verb": "replace_nodes"}) == ["i-old"]
    assert rollout.missing_nodes({**given, "rollout_verb": "reconcile"}) == []


@pytest.mark.parametrize(
    ("hold", "step", "released"),
    [
        (HOLD, {}, True),
        (None, {}, False),  # nothing to remove
        ({**HOLD, "rollout": "another"}, {}, False),
        (HOLD, {"state": "locked"}, False),  # the other call removes it
    ],
)
def test_only_the_hold_of_this_rollout_is_removed(hold: dict[str, t.Any] | None, step: dict[str, t.Any], released: bool) -> None:
    found = rollout.step(of("a", hold=hold, **step))
    assert (found.waits, found.released) == (False, released)


@pytest.mark.parametrize(
    ("hold", "words"),
    [
        (None, ""),
        (HOLD, ""),
        ({**HOLD, "rollout": "another", "until": "2020-01-01T00:00:00Z"}, ""),
        ({**HOLD, "rollout": "another"}, "rollout: 'keys' is not allowed: cluster b waits for rollout another."),
    ],
)
def test_a_cluster_waits_for_one_rollout_at_a_time(hold: dict[str, t.Any] | None, words: str) -> None:
    found = rollout.refusals(of("b", hold=hold))
    assert [each["text"].startswith(words) for each in found] == [True] * bool(words)


def test_only_variables_of_the_playbook_are_part_of_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    def plan(**given: t.Any) -> str:
        monkeypatch.setattr(rollout, "load_extra_vars", lambda _loader: given)
        return rollout.variables({**of("a"), **given, "rollout_workflow": {}})

    assert plan(rollout="keys", rollout_action="retry", hyperpod_report_store="/srv/reports") == plan()
    assert len({plan(), plan(rotation="start"), plan(rotation="finish")}) == 3


def test_variables_of_a_playbook_of_the_project_are_part_of_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {**of("a"), "rotation": "start"}
    plans = {names: rollout.variables({**variables, "rollout_workflow": {"variables": list(names)}}) for names in ((), ("rotation",))}
    monkeypatch.setattr(rollout, "load_extra_vars", lambda _loader: {"rotation": "start"})
    assert plans["rotation",] == rollout.variables({**variables, "rollout_workflow": {}}) != plans[()]


def test_the_fleet_has_the_settings_of_all_clusters_of_the_play() -> None:
    hostvars = {key: {"hyperpod_run": {"settings": f"hash-{key}"}} for key in "ab"}
    assert rollout.fleet({"ansible_play_hosts_all": ["a", "b"], "hostvars": hostvars}) == {"a": "hash-a", "b": "hash-b"}
    assert rollout.not_read({}) == [] and rollout.not_read({"hyperpod_inventory_failures": ["x"]}) == ["x"]


def test_the_settings_of_a_cluster_do_not_depend_on_a_node(tmp_path: t.Any) -> None:
    key = tmp_path / "ops.pub"
    key.write_text("ssh-ed25519 AAAA\n")
    own = {"hyperpod_operations_public_key_file": str(key), "login_balancer_port": 22}

    def settings(node: str, **other: t.Any) -> str:
        groups = {"cluster_a": ["a", node], "node_type_login": [node]}
        hostvars = {"a": {**own, **other}, node: {**own, "hyperpod_instance_id": node}}
        return rollout.settings(
            {"inventory_hostname": "a", "hyperpod_cluster_group": "cluster_a", "groups": groups, "hostvars": hostvars}
        )

    assert settings("i-1") == settings("i-2") != settings("i-1", login_balancer_port=2222)
    assert len(settings("i-1")) == 12
