# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings before the first change."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.task_governance.findings import exclusive, leaves, plan
from unit.plugin_utils.views.task_governance.governed import ALICE, BOB, P5, VISION, config, entry, quota, variables


def test_gains_and_losses_of_teams_are_reported() -> None:
    entries = {"eks_access_entries": [entry(BOB, "mlfleet-hyperpod:research")]}
    found = plan(variables(quotas=[quota("vision", 3), quota("other", 0)], __task_governance_entries=entries))
    assert found.refusals == []
    assert {(each["code"], each["kind"]) for each in found.findings} == {("governance-team", "note"), ("governance-unnamed", "note")}
    research, vision, unnamed = (each["text"] for each in found.findings)
    assert research == (
        f"Team research: gets a quota; gains 2 instances of {P5} (0 before, 2 after); {ALICE} may submit; "
        f"{BOB} may no longer submit, and running jobs continue."
    )
    assert vision == f"Team vision: loses 2 instances of {P5} (3 before, 1 after)."
    assert "are left unchanged: other." in unnamed


def test_unchanged_quotas_are_not_reported() -> None:
    there = {"eks_access_entries": [entry(ALICE, "mlfleet-hyperpod:research")]}
    found = plan(variables(quotas=[quota("research", 2), quota("vision", 1)], __task_governance_entries=there))
    assert (found.refusals, found.findings) == ([], [])


def test_a_quota_disabled_by_others_is_reported() -> None:
    (note,) = plan(variables(quotas=[quota("vision", 1, activation_state="Disabled")], task_governance_teams=[VISION])).findings
    assert (note["code"], note["kind"]) == ("governance-disabled", "note") and "guarantee nothing: vision." in note["text"]


def test_untrusted_names_are_printable() -> None:
    wanted = [{**VISION, "description": "ours"}]
    found = plan(variables(task_governance_teams=wanted, quotas=[quota("vision", 1, description="\x1b[2J"), quota("a\x1bb", 0)]))
    assert "instead of ?[2J" in found.findings[0]["text"] and "are left unchanged: a?b." in found.findings[1]["text"], found


def test_available_priority_classes_are_reported() -> None:
    there = [config(priority_classes=[{"name": "training", "weight": 1}, {"name": "old", "weight": 2}])]
    codes = {each["code"]: each["text"] for each in plan(variables(configs=there)).findings}
    assert codes["governance-priorities"].startswith("Priority classes are removed: old.")
    gone = {each["code"]: each["text"] for each in plan(variables(configs=there, task_governance_state="absent")).findings}
    assert gone["governance-priorities"].startswith("Priority classes are removed: old, training.")


def test_a_foreign_kueue_is_refused() -> None:
    without = {"__task_governance_addons": {"eks_addons": []}}
    (refusal,) = plan(variables(**without)).refusals
    assert (refusal["code"], refusal["kind"]) == ("governance-requirement", "failure") and "kueue:v1" in refusal["text"]
    assert plan(variables(**without, task_governance_addon=False)).refusals == []
    assert plan(variables(**without, task_governance_state="absent")).refusals == []


def test_a_foreign_kueue_in_another_namespace_is_refused() -> None:
    seen = {"__task_governance_seen": {"kueue": {"installed": False, "available": False, "image": "", "elsewhere": ["team/kueue"]}}}
    (refusal,) = plan(variables(**seen)).refusals
    assert refusal["code"] == "governance-requirement" and "the add-on did not install Kueue's manager team/kueue. Remove that Kueue" in refusal["text"]
    assert plan(variables(**seen, task_governance_addon=False)).refusals == []


@pytest.mark.parametrize(
    ("have", "wanted", "is_refused"),
    [
        ("v1.3.2-eksbuild.1", "v1.5.0-eksbuild.1", True),
        ("v1.3.0-eksbuild.1", "v1.6.1-eksbuild.1", True),
        ("v1.3.0-eksbuild.1", "v1.10.0-eksbuild.1", True),
        ("v1.3.0-eksbuild.1", "v1.4.0-eksbuild.1", False),
        ("v1.3.0-eksbuild.1", "latest", False),
        ("v1.4.0-eksbuild.1", "v1.6.1-eksbuild.1", False),
        (None, "v1.6.1-eksbuild.1", False),
    ],
)
def test_an_update_of_the_add_on_that_fails_in_eks_is_refused(have: str | None, wanted: str, is_refused: bool) -> None:
    seen: dict[str, t.Any] = {"eks_addons": [{"status": "ACTIVE", "version": have}] if have else []}
    kueue = {"kueue": {"installed": have is not None, "available": True, "image": "kueue:v1", "elsewhere": []}}
    given = variables(__task_governance_addons=seen, __task_governance_seen=kueue, task_governance_addon_version=wanted)
    messages = [each["text"] for each in plan(given).refusals]
    refusal = f"task_governance_addon_version: '{wanted}' is not allowed: EKS fails to update {have} to this version"
    assert [refusal in each for each in messages] == [True] * is_refused
    for without in ({"task_governance_addon": False}, {"task_governance_state": "absent"}):
        assert plan({**given, **without}).refusals == []


def test_more_than_the_capacity_is_refused() -> None:
    (refusal,) = plan(variables(quotas=[quota("other", 3)], task_governance_teams=[{"name": "a", "resources": [{"instance_type": P5, "count": 2}]}])).refusals
    assert refusal["code"] == "option-refused" and "the cluster has 4" in refusal["text"]


def test_a_recreated_quota_must_be_declared_completely() -> None:
    """A run may end between the removal and the creation, and the next run knows only the declaration."""
    broken = quota("a", 2, status="UpdateRollbackFailed", resource_sharing_config={"strategy": "LendAndBorrow", "borrow_limit": 60})
    fair = config(status="UpdateRollbackFailed", idle_resource_sharing="Enabled")
    weight = {"name": "a", "fair_share_weight": 5, "sharing": {"strategy": "LendAndBorrow"}}
    given = {"quotas": [broken], "configs": [fair], "task_governance_teams": [weight]}
    assert plan(variables(**given)).refusals == []
    of_scheduler, of_team = (each["text"] for each in plan(variables(**given, task_governance_recreate=True)).refusals)
    rest = "is UpdateRollbackFailed, so task_governance_recreate deletes and recreates it. Declare these settings as well, or an interrupted run"
    assert of_scheduler == f"task_governance_scheduler: the scheduler configuration {rest} may lose them: idle_resource_sharing."
    assert of_team == f"hyperpod_teams[0]: the compute quota of team a {rest} may lose them: resources, sharing.borrow_limit."
    given["task_governance_teams"] = [{**weight, "resources": [{"instance_type": P5, "count": 2}], "sharing": {"strategy": "Lend"}}]
    given["task_governance_scheduler"] = {"priority_classes": [], "idle_resource_sharing": "Enabled"}
    assert plan(variables(**given, task_governance_recreate=True)).refusals == []


def test_remaining_objects_of_a_removal_are_reported() -> None:
    gone = {"task_governance_state": "absent", "configs": [config()]}
    assert leaves(variables(**gone)) == []
    (kept,) = leaves(variables(**gone, quotas=[quota("other", 1)]))
    assert (kept["code"], kept["kind"]) == ("governance-kept", "pending") and "other" in kept["text"]
    (config_kept,) = leaves(variables(**gone, task_governance_scheduler={}))
    assert "The scheduler configuration fair stays" in config_kept["text"]


def test_topology_aware_scheduling_with_karpenter_is_refused() -> None:
    def sentences(pools: list[str], *changes: str, installed: bool = True) -> list[str]:
        seen = {"topology_scheduling": {"installed": installed, "node_pools": pools}, "changes": list(changes)}
        return [each["text"] for each in exclusive({"__task_governance_gates": seen})]

    (text,) = sentences(["gpus", "more"], "off")
    assert "NodePools (gpus, more)" in text and "karpenter_disables_topology_scheduling: true" in text
    assert sentences([], "off") == sentences(["gpus"]) == sentences([], installed=False) == []
    (foreseen,) = sentences(["gpus"], installed=False)
    assert "which Karpenter does not support. Karpenter has NodePools (gpus)" in foreseen


def test_unreadable_or_fixed_topology_aware_scheduling_is_reported() -> None:
    def sentences(**seen: t.Any) -> list[tuple[str, str]]:
        return [(each["kind"], each["text"]) for each in exclusive({"__task_governance_gates": seen})]

    kueue = {"installed": True, "node_pools": ["gpus"]}
    ((kind, text),) = sentences(msg="its file is not ours.", topology_scheduling=kueue)
    assert kind == "pending" and "NodePools (gpus)" in text and text.endswith("The run can't turn this scheduling off: its file is not ours.")
    assert sentences(msg="no", topology_scheduling={**kueue, "node_pools": []}) == [], "nothing is excluded"
    ((kind, text),) = sentences(msg="403 of Kubernetes.")
    assert kind == "note" and text.endswith("which Karpenter does not support: 403 of Kubernetes.")
