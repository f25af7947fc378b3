# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run tells before it changes anything."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.task_governance.findings import exclusive, leaves, plan
from unit.plugin_utils.views.task_governance.governed import ALICE, BOB, P5, VISION, config, entry, quota, variables


def test_what_each_team_gains_and_loses() -> None:
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


def test_nothing_is_told_of_what_stays() -> None:
    there = {"eks_access_entries": [entry(ALICE, "mlfleet-hyperpod:research")]}
    found = plan(variables(quotas=[quota("research", 2), quota("vision", 1)], __task_governance_entries=there))
    assert (found.refusals, found.findings) == ([], [])


def test_a_quota_that_somebody_else_disabled() -> None:
    (note,) = plan(variables(quotas=[quota("vision", 1, activation_state="Disabled")], task_governance_teams=[VISION])).findings
    assert (note["code"], note["kind"]) == ("governance-disabled", "note") and "guarantee nothing: vision." in note["text"]


def test_names_of_strangers_are_printable() -> None:
    wanted = [{**VISION, "description": "ours"}]
    found = plan(variables(task_governance_teams=wanted, quotas=[quota("vision", 1, description="\x1b[2J"), quota("a\x1bb", 0)]))
    assert "instead of ?[2J" in found.findings[0]["text"] and "are left unchanged: a?b." in found.findings[1]["text"], found


def test_priority_classes_that_tasks_may_name() -> None:
    there = [config(priority_classes=[{"name": "training", "weight": 1}, {"name": "old", "weight": 2}])]
    codes = {each["code"]: each["text"] for each in plan(variables(configs=there)).findings}
    assert codes["governance-priorities"].startswith("Priority classes are removed: old.")
    gone = {each["code"]: each["text"] for each in plan(variables(configs=there, task_governance_state="absent")).findings}
    assert gone["governance-priorities"].startswith("Priority classes are removed: old, training.")


def test_a_kueue_of_somebody_else() -> None:
    without = {"__task_governance_addons": {"eks_addons": []}}
    (refusal,) = plan(variables(**without)).refusals
    assert (refusal["code"], refusal["kind"]) == ("governance-requirement", "failure") and "kueue:v1" in refusal["text"]
    assert plan(variables(**without, task_governance_addon=False)).refusals == []
    assert plan(variables(**without, task_governance_state="absent")).refusals == []


def test_a_kueue_of_somebody_else_in_another_namespace() -> None:
    seen = {"__task_governance_seen": {"kueue": {"installed": False, "available": False, "image": "", "elsewhere": ["team/kueue"]}}}
    (refusal,) = plan(variables(**seen)).refusals
    assert refusal["code"] == "governance-requirement" and "another than the add-on's is in team/kueue. Remove it" in refusal["text"]
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
def test_an_update_of_the_add_on_in_which_eks_fails(have: str | None, wanted: str, is_refused: bool) -> None:
    seen: dict[str, t.Any] = {"eks_addons": [{"status": "ACTIVE", "version": have}] if have else []}
    kueue = {"kueue": {"installed": have is not None, "available": True, "image": "kueue:v1", "elsewhere": []}}
    given = variables(__task_governance_addons=seen, __task_governance_seen=kueue, task_governance_addon_version=wanted)
    said = [each["text"] for each in plan(given).refusals]
    assert [f"task_governance_addon_version: '{wanted}' is not allowed: EKS fails to update {have} to it" in each for each in said] == [True] * is_refused
    for without in ({"task_governance_addon": False}, {"task_governance_state": "absent"}):
        assert plan({**given, **without}).refusals == []


def test_more_than_there_is_is_refused() -> None:
    (refusal,) = plan(variables(quotas=[quota("other", 3)], task_governance_teams=[{"name": "a", "resources": [{"instance_type": P5, "count": 2}]}])).refusals
    assert refusal["code"] == "option-refused" and "the cluster has 4" in refusal["text"]


def test_what_is_made_again_is_declared_whole() -> None:
    """A run may end between the removal and the new one, and the next knows what is declared alone."""
    broken = quota("a", 2, status="UpdateRollbackFailed", resource_sharing_config={"strategy": "LendAndBorrow", "borrow_limit": 60})
    fair = config(status="UpdateRollbackFailed", idle_resource_sharing="Enabled")
    weight = {"name": "a", "fair_share_weight": 5, "sharing": {"strategy": "LendAndBorrow"}}
    given = {"quotas": [broken], "configs": [fair], "task_governance_teams": [weight]}
    assert plan(variables(**given)).refusals == []
    of_scheduler, of_team = (each["text"] for each in plan(variables(**given, task_governance_recreate=True)).refusals)
    rest = "is UpdateRollbackFailed, and task_governance_recreate deletes it first. Declare its other settings as well"
    assert of_scheduler.startswith(f"task_governance_scheduler: the scheduler configuration {rest} (idle_resource_sharing), so that")
    assert of_team.startswith(f"hyperpod_teams[0]: the compute quota of team a {rest} (resources, sharing.borrow_limit), so that")
    given["task_governance_teams"] = [{**weight, "resources": [{"instance_type": P5, "count": 2}], "sharing": {"strategy": "Lend"}}]
    given["task_governance_scheduler"] = {"priority_classes": [], "idle_resource_sharing": "Enabled"}
    assert plan(variables(**given, task_governance_recreate=True)).refusals == []


def test_what_stays_when_all_of_it_goes() -> None:
    gone = {"task_governance_state": "absent", "configs": [config()]}
    assert leaves(variables(**gone)) == []
    (kept,) = leaves(variables(**gone, quotas=[quota("other", 1)]))
    assert (kept["code"], kept["kind"]) == ("governance-kept", "pending") and "other" in kept["text"]
    (config_kept,) = leaves(variables(**gone, task_governance_scheduler={}))
    assert "The scheduler configuration fair stays" in config_kept["text"]


def test_topology_aware_scheduling_where_karpenter_scales() -> None:
    def told(pools: list[str], *changes: str, installed: bool = True) -> list[str]:
        seen = {"topology_scheduling": {"installed": installed, "node_pools": pools}, "changes": list(changes)}
        return [each["text"] for each in exclusive({"__task_governance_gates": seen})]

    (text,) = told(["gpus", "more"], "off")
    assert "NodePools (gpus, more)" in text and "karpenter_disables_topology_scheduling: true" in text
    assert told([], "off") == told(["gpus"]) == told([], installed=False) == []
    (foreseen,) = told(["gpus"], installed=False)
    assert "NodePools (gpus), which exclude topology-aware scheduling, and the Kueue of the add-on uses it" in foreseen


def test_topology_aware_scheduling_that_can_not_be_seen_or_switched() -> None:
    def told(**seen: t.Any) -> list[tuple[str, str]]:
        return [(each["kind"], each["text"]) for each in exclusive({"__task_governance_gates": seen})]

    kueue = {"installed": True, "node_pools": ["gpus"]}
    ((kind, text),) = told(msg="its file is not ours.", topology_scheduling=kueue)
    assert kind == "pending" and "NodePools (gpus)" in text and text.endswith("can't be turned off: its file is not ours.")
    assert told(msg="no", topology_scheduling={**kueue, "node_pools": []}) == [], "nothing is excluded"
    ((kind, text),) = told(msg="403 of Kubernetes.")
    assert kind == "note" and text.endswith("which NodePools of Karpenter exclude: 403 of Kubernetes.")
