# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Quotas in the order of their changes, and removals."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.task_governance.quotas import (
    disabled,
    excess,
    quotas,
    removal,
    strangers,
)
from unit.plugin_utils.views.task_governance.governed import G5, P5, VISION, config, group, quota, variables

MEASURED = {
    "name": P5,
    "gpus": 8,
    "gpu_memory_mib": 81920,
    "neuron_devices": 0,
    "threads_per_core": 2,
    "vcpus": 192,
    "memory_mib": 2097152,
    "known": True,
}


def team(name: str, count: int, **more: t.Any) -> dict[str, t.Any]:
    return {"name": name, "resources": [{"instance_type": P5, "count": count}], **more}


def test_reductions_come_first() -> None:
    given = {"quotas": [quota("a", 1), quota("b", 3)], "task_governance_teams": [team("a", 3), team("b", 1)]}
    found = quotas(variables(**given))
    assert found.lowered == [{**found.kept[0], "resources": [{"instance_type": P5, "count": 1}]}]
    assert [each["team"] for each in found.kept] == ["b", "a"] and not found.allow_oversubscription
    would = quotas(variables(**given, ansible_check_mode=True))
    assert would.lowered == [] and would.allow_oversubscription and excess(variables(**given)) == []


def test_undeclared_settings_are_left_to_aws_and_a_quota_keeps_its_name() -> None:
    (row,) = quotas(variables(quotas=[quota("vision", 1, name="of-vision", preempt_team_tasks="Never")], task_governance_teams=[VISION])).kept
    assert (row["name"], row["team"], row["preempt"], row["sharing"], row["fair_share_weight"]) == ("of-vision", "vision", "Never", None, None)
    (new,) = quotas(variables(task_governance_teams=[team("new", 1, preempt="Never")])).kept
    assert (new["name"], new["preempt"]) == ("new", "Never")
    assert quotas(variables()).kept[0]["preempt"] == "LowerPriority"


def test_only_existing_declared_quotas_are_removed() -> None:
    there = [quota("old", 1), quota("other", 1), quota("past", 1, status="Deleted")]
    given = {"quotas": there, "task_governance_teams": [{"name": name, "state": "absent"} for name in ("old", "past", "never")]}
    assert quotas(variables(**given)).gone == [{"name": "old", "team": "old"}]
    assert strangers(variables(**given)) == ["other"]


def test_accelerators_are_looked_up_if_they_are_compared() -> None:
    accelerators = {"name": "a", "resources": [{"instance_type": P5, "accelerators": 8}]}
    given = {"task_governance_teams": [accelerators], "quotas": [quota("b", 4)]}
    assert quotas(variables(**given)).types == [P5] and quotas(variables()).types == []
    types = {"instance_types": [MEASURED]}
    (message,) = excess(variables(**given, __task_governance_types=types))
    assert "8 accelerators' is not allowed: the cluster has 32, and quotas of other teams guarantee 32" in message


def test_more_than_the_capacity_is_refused() -> None:
    given = {"quotas": [quota("b", 3)], "task_governance_teams": [team("a", 2)]}
    (message,) = excess(variables(**given))
    assert message.startswith(f"hyperpod_teams[0].resources: '{P5}: 2 instances' is not allowed: the cluster has 4")
    assert excess(variables(**given, task_governance_allow_oversubscription=True)) == []


def test_vcpus_are_summed_before_any_change() -> None:
    given = {"task_governance_teams": [{"name": "a", "resources": [{"instance_type": P5, "vcpu": 200}]}], "quotas": [quota("b", 3)]}
    assert quotas(variables(**given)).types == [P5]
    types = {"instance_types": [MEASURED]}
    (message,) = excess(variables(**given, __task_governance_types=types))
    assert "200 vCPUs' is not allowed: the cluster has 768, and quotas of other teams guarantee 576 (b 576)" in message


@pytest.mark.parametrize(("threads", "has"), [(1, "384 with threads_per_core 1 (AWS counts 768)"), (2, "768"), (None, "768")])
def test_disabled_threads_are_not_guaranteed(threads: int | None, has: str) -> None:
    given = {"task_governance_teams": [{"name": "a", "resources": [{"instance_type": P5, "vcpu": 800}]}], "quotas": []}
    cluster = {"cluster": {"eks_cluster_arn": "x", "groups": [group("gpus", 4, P5, threads=threads)]}}
    (message,) = excess(variables(**given, hyperpod_run=cluster, __task_governance_types={"instance_types": [MEASURED]}))
    assert f"the cluster has {has}. Allowed" in message


def test_partitions_of_gpus_are_summed_before_any_change() -> None:
    parts = [{"instance_type": P5, "accelerator_partition": {"type": "mig-1g.10gb", "count": count}} for count in (50, 7)]
    given = {"task_governance_teams": [{"name": "a", "resources": [parts[0]]}], "quotas": [quota("b", 0, compute_quota_resources=[parts[1]])]}
    assert quotas(variables(**given)).types == [P5]
    groups = [group("whole", 4, P5), group("cut", 1, P5, mig_config="all-1g.10gb")]
    cluster = {"hyperpod_run": {"cluster": {"eks_cluster_arn": "x", "groups": groups}}, "__task_governance_types": {"instance_types": [MEASURED]}}
    (message,) = excess(variables(**given, **cluster))
    assert f"'{P5}: 50 partitions mig-1g.10gb' is not allowed: the cluster has 56 according to label nvidia.com/mig.config" in message and "(b 7)" in message
    groups[1]["mig_config"] = "mixed"
    assert excess(variables(**given, **cluster)) == []


@pytest.mark.parametrize(("instance_type", "count", "most"), [(P5, 4, None), (P5, 5, 4), (G5, 2, None), (G5, 3, 2)])
def test_a_flexible_group_counts_for_each_of_its_types(instance_type: str, count: int, most: int | None) -> None:
    given = {"task_governance_teams": [{"name": "a", "resources": [{"instance_type": instance_type, "count": count}]}]}
    cluster = {"cluster": {"eks_cluster_arn": "x", "groups": [group("gpus", 2, P5), group("mixed", 2, P5, G5)]}}
    messages = excess(variables(**given, hyperpod_run=cluster))
    assert [f"the cluster has {most}." in each for each in messages] == ([] if most is None else [True])


def test_scheduler_configuration_and_addon_are_removed_last_if_unused() -> None:
    gone = {"task_governance_state": "absent", "configs": [config()]}
    assert removal(variables(**gone)).scheduler and not removal(variables(**gone)).addon
    assert removal(variables(**gone, task_governance_remove_addon=True)).addon
    left = removal(variables(**gone, quotas=[quota("other", 1)], task_governance_remove_addon=True))
    assert (left.scheduler, left.addon) == (False, False)
    unnamed = removal(variables(**gone, task_governance_scheduler={}, task_governance_remove_addon=True))
    assert (unnamed.scheduler, unnamed.addon) == (False, False)


def test_a_quota_is_activated_after_reductions_and_otherwise_unchanged() -> None:
    idle = quota("a", 3, activation_state="Disabled")
    enabled, silent = team("a", 2, activation_state="Enabled"), team("a", 2)
    given = {"quotas": [idle, quota("b", 3)]}
    found = quotas(variables(**given, task_governance_teams=[enabled, team("b", 2)]))
    assert [each["team"] for each in found.lowered] == ["b"]
    assert [(each["team"], each["activation_state"]) for each in found.kept] == [("b", "Enabled"), ("a", "Enabled")]
    assert quotas(variables(**given, task_governance_teams=[silent])).kept[0]["activation_state"] == "Disabled"
    assert disabled(variables(**given, task_governance_teams=[silent])) == ["a"]
    assert disabled(variables(**given, task_governance_teams=[enabled, team("b", 2)])) == []
