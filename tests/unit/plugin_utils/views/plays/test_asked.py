# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The request of a run."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.plays import asked


def texts(findings: list[dict[str, str]]) -> str:
    assert {each["kind"] for each in findings} <= {"failure"}
    return " ".join(each["text"] for each in findings)


@pytest.mark.parametrize(
    ("tags", "parts", "reach", "message"),
    [
        (["all"], ["people", "balancer", "verify"], True, ""),
        (["verify", "people"], ["people", "verify"], True, "--tags: verify,people is not allowed: this playbook works on a cluster as a whole."),
        (["balancer"], ["balancer"], False, "--tags: balancer is not allowed: this playbook works on a cluster as a whole."),
        (["people", "balancer", "verify"], ["people", "balancer", "verify"], True, ""),
    ],
)
def test_tags_select_parts(tags: list[str], parts: list[str], reach: bool, message: str) -> None:
    found = asked.tags({"ansible_run_tags": tags})
    assert (found.parts, found.reach_nodes, bool(found.refusals)) == (parts, reach, bool(message))
    assert message in texts(found.refusals)


def test_a_rotation_step_is_accepted() -> None:
    assert asked.rotation_refusals({"rotation": "start"}) == []


@pytest.mark.parametrize("given", [{}, {"rotation": ""}])
def test_a_rotation_without_a_step_is_refused(given: dict[str, t.Any]) -> None:
    assert texts(asked.rotation_refusals(given)).startswith("rotation: missing. Allowed: start, ")


@pytest.mark.parametrize(
    ("given", "plans", "enforces"),
    [
        ({}, True, False),
        ({"login_access_mode": "plan"}, True, False),
        ({"login_access_mode": "adopt"}, False, False),
        ({"login_access_mode": "enforce"}, False, True),
    ],
)
def test_adoption_modes_are_read(given: dict[str, t.Any], plans: bool, enforces: bool) -> None:
    found = asked.adoption(given)
    assert (found.plans, found.enforces) == (plans, enforces)


@pytest.mark.parametrize("option", ["teardown_confirm", "purge_secrets_confirm"])
@pytest.mark.parametrize(
    ("confirmed", "problem"),
    [({}, ": missing"), ("ml", ": ml is not allowed"), ("b,ml", ""), (["ml", "b"], ""), ("b,ml,c", ": b, ml, c is not allowed")],
)
def test_a_teardown_must_be_confirmed_for_each_cluster(option: str, confirmed: t.Any, problem: str) -> None:
    rest = {"teardown_confirm": "ml,b", "purge_secrets": True, "purge_secrets_confirm": "ml,b"}
    given = {**rest, "ansible_play_hosts_all": ["ml", "b"], "ansible_check_mode": False, option: confirmed or ""}
    refusals = asked.teardown_refusals(given)
    assert bool(refusals) == bool(problem)
    assert not problem or texts(refusals).startswith((f"{option}{problem}: ", f"{option}{problem}. "))
    assert not problem or f"-e {option}=b,ml" in texts(refusals)


def test_check_mode_and_runs_without_a_purge_need_no_confirmation() -> None:
    run = {"ansible_play_hosts_all": ["ml"], "purge_secrets": "yes", "ansible_check_mode": True}
    assert asked.teardown_refusals(run) == []
    kept = {**run, "ansible_check_mode": False, "teardown_confirm": "ml"}
    assert "purge_secrets_confirm: missing" in texts(asked.teardown_refusals(kept))
    assert asked.teardown_refusals({**kept, "purge_secrets": "no"}) == []
    assert asked.teardown_refusals({**kept, "purge_secrets": False, "client_vpn_purge_secrets": True}) != []


def on(host: str, **own: dict[str, t.Any]) -> dict[str, t.Any]:
    """Variables of a cluster's host in a run over ``ml`` and ``b``."""
    groups = {"hyperpod_cluster_key": host, "hyperpod_cluster_group": f"cluster_{host}", "group_names": [f"cluster_{host}", "region_us_west_2"]}
    run = {"ansible_play_hosts_all": ["ml", "b"], "ansible_check_mode": False}
    return {**run, "hostvars": {"ml": {}, "b": {}, **own}, **groups, **own.get(host, {})}


def in_wave(host: str, **own: dict[str, t.Any]) -> dict[str, t.Any]:
    """The same in a rollout over both clusters, in the wave of ``host``."""
    step = {"rollout": {"run": [host], "clusters": {"ml": {}, "b": {}}}}
    return {**on(host, **own), "ansible_play_hosts_all": [host], "hyperpod_rollout": step}


def test_a_wave_whose_clusters_declare_nothing_does_not_fail_if_another_cluster_of_the_rollout_does() -> None:
    (found,) = asked.karpenter(in_wave("b", ml={"karpenter_node_classes": [{"name": "gpus"}]})).undeclared
    assert found["kind"] == "note", found
    (found,) = asked.karpenter(in_wave("b")).undeclared
    assert found["kind"] == "failure", found


def test_a_removal_in_waves_is_confirmed_once_for_all_clusters_of_the_rollout() -> None:
    absent = {"karpenter_state": "absent", "karpenter_confirm": "ml,b"}
    given = {"ml": absent, "b": absent}
    assert asked.karpenter(in_wave("b", **given)).refusals == []
    assert "karpenter_confirm: b is not allowed" in texts(asked.karpenter({**in_wave("b", **given), "karpenter_confirm": "b"}).refusals)


def client_vpn_required(variables: dict[str, t.Any]) -> asked.Vpn:
    return asked.client_vpn({**variables, "hyperpod_vpn_required": True})


@pytest.mark.parametrize(
    ("view", "declares"),
    [
        (asked.karpenter, {"karpenter_node_classes": [{"name": "gpus"}]}),
        (asked.karpenter, {"karpenter_state": "absent"}),
        (asked.task_governance, {"hyperpod_teams": [{"name": "research"}]}),
        (client_vpn_required, {"client_vpn_client_cidr": "172.20.0.0/20"}),
    ],
)
def test_an_undeclared_cluster_is_reported_with_the_missing_variable(
    view: t.Callable[[t.Any], asked.Kept], declares: dict[str, t.Any]
) -> None:
    assert view(on("ml", ml=declares)).undeclared == []
    (left,) = view(on("ml", b=declares)).undeclared
    (nothing,) = view(on("ml")).undeclared
    option = nothing["text"].partition(" is not set")[0]
    groups = "come from the groups cluster_ml, region_us_west_2, all."
    assert (left["kind"], left["code"]) == ("note", "nothing-declared")
    assert left["text"] == f"ml was skipped because {option} is not set. The cluster's variables {groups}"
    assert (nothing["kind"], nothing["code"]) == ("failure", "nothing-declared")
    assert nothing["text"] == f"{option} is not set for any cluster of this run, so nothing was done. The variables of ml {groups}"
    assert option in {"karpenter_node_classes", "hyperpod_teams", "client_vpn_client_cidr"}


def test_a_playbook_of_several_parts_skips_clusters_without_a_vpn_silently() -> None:
    found = asked.client_vpn(on("ml"))
    assert (found.declared, found.undeclared, found.validated) == (False, [], [])


@pytest.mark.parametrize(
    ("given", "declared", "refused"),
    [
        ({}, False, False),
        ({"hyperpod_teams": [{"name": "a"}]}, True, False),
        ({"task_governance_scheduler": {"name": "fair"}}, True, False),
        ({"hyperpod_teams": [], "task_governance_scheduler": {}}, False, False),
        ({"task_governance_state": "absent"}, True, True),
        ({"task_governance_state": "absent", "task_governance_confirm": "b"}, True, True),
        ({"task_governance_state": "absent", "task_governance_confirm": "ml,b"}, True, False),
    ],
)
def test_task_governance_applies_to_clusters_that_declare_it(
    given: dict[str, t.Any], declared: bool, refused: bool
) -> None:
    found = asked.task_governance(on("ml", ml=given))
    assert (found.declared, bool(found.refusals)) == (declared, refused)
    assert not refused or "task_governance_confirm" in texts(found.refusals)
    assert asked.task_governance({**on("ml", ml=given), "ansible_check_mode": True}).refusals == []


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, ""),
        ({"events_state": "absent"}, "events_confirm: missing. Name each cluster of this run, because events_state=absent ends the delivery"),
        ({"events_state": "absent", "events_confirm": "a"}, "events_confirm: a is not allowed"),
        ({"events_state": "absent", "events_confirm": "a,b"}, ""),
        ({"events_state": "absent", "ansible_check_mode": True}, ""),
        ({"events_state": "absent", "events_confirm": "a", "ansible_play_hosts_all": ["a"]}, "share one queue, which this run would remove"),
        ({"events_rulebook": "/x", "ansible_play_hosts_all": ["a"]}, ""),
    ],
)
def test_a_removal_of_events_is_confirmed_for_all_clusters_of_a_queue(given: dict[str, t.Any], message: str) -> None:
    hostvars = {key: {"hyperpod_cluster_arn": f"arn:aws:sagemaker:us-west-2:111111111111:cluster/{key:0<12}"} for key in "ab"}
    run = {"ansible_play_hosts_all": ["a", "b"], "ansible_check_mode": False, "groups": {"hyperpod_clusters": ["a", "b"]}, "hostvars": hostvars}
    found = texts(asked.events_refusals({**run, **given}))
    assert message in found and bool(found) == bool(message)
