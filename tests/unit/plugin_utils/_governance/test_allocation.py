# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gains and losses of teams, the order of reductions, and that all quotas together stay within the capacity of the cluster."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.governance.model import Capacity, Found
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance import allocation
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance.declared import teams

P5, G5 = "ml.p5.48xlarge", "ml.g5.8xlarge"
CLUSTER = Capacity({P5: 6, G5: 4})
Object = dict[str, t.Any]


def entry(name: str, **amounts: t.Any) -> Object:
    return {"instance_type": name, **amounts}


def quota(team: str, *resources: Object, **settings: t.Any) -> Found:
    settings_read = {"compute_quota_resources": list(resources), **settings}
    rest = {"compute_quota_id": "q1", "compute_quota_arn": "arn:x", "name": f"{team}-quota", "status": "Created", "version": 3}
    return allocation.found({**rest, "team_name": team, **settings_read})


def team(name: str, *resources: Object, **more: t.Any) -> t.Any:
    (made,) = teams([{"name": name, "resources": list(resources), **more}])
    return made


def test_a_quota_is_read() -> None:
    found = quota("a", entry(P5, count=2), fair_share_weight=0)
    assert (found.name, found.team, found.version, found.status) == ("a-quota", "a", 3, "Created")
    assert found.settings == {"compute_quota_resources": [entry(P5, count=2)], "fair_share_weight": 0, "team_name": "a"}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ([entry(P5, count=4)], [entry(P5, count=2)], [entry(P5, count=2)]),
        ([entry(P5, count=2)], [entry(P5, count=4)], None),
        ([entry(P5, count=2)], [entry(P5, count=2), entry(G5, count=1)], None),
        ([entry(P5, count=2), entry(G5, count=1)], [entry(P5, count=2)], [entry(P5, count=2)]),
        ([entry(P5, count=4), entry(G5, count=1)], [entry(P5, count=2), entry(G5, count=3)], [entry(P5, count=2), entry(G5, count=1)]),
        ([entry(P5, accelerators=8, vcpu=96.0)], [entry(P5, accelerators=8)], None),
        ([entry(P5, accelerators=8, vcpu=96.0)], [entry(P5, accelerators=4)], [entry(P5, accelerators=4)]),
        ([entry(P5, count=1)], [entry(P5, accelerators=4)], None),
        (
            [entry(P5, accelerator_partition={"type": "mig-1g.10gb", "count": 7})],
            [entry(P5, accelerator_partition={"type": "mig-1g.10gb", "count": 3})],
            [entry(P5, accelerator_partition={"type": "mig-1g.10gb", "count": 3})],
        ),
        ([], [entry(P5, count=1)], None),
        ([entry(P5, count=1)], [], []),
    ],
)
def test_reductions_come_first(before: list[Object], after: list[Object], expected: list[Object] | None) -> None:
    assert allocation.lowered(before, after) == expected


def changes_of(before: Found | None, wanted: t.Any) -> list[str]:
    return allocation.gains_and_losses(before, wanted)


def test_gains_and_losses_are_described() -> None:
    before = quota("a", entry(P5, count=4), entry(G5, accelerators=2, vcpu=24.0, memory_in_gib=256.0), fair_share_weight=10)
    wanted = team("a", entry(P5, count=6), entry(G5, accelerators=1), fair_share_weight=50)
    assert changes_of(before, wanted) == [
        f"gains 2 instances of {P5} (4 before, 6 after)",
        f"loses 1 accelerators of {G5} (2 before, 1 after)",
        "fair_share_weight is 50 instead of 10",
    ]


def test_new_and_removed_teams_are_described() -> None:
    assert changes_of(None, team("a", entry(P5, count=2))) == ["gets a quota", f"gains 2 instances of {P5} (0 before, 2 after)"]
    assert changes_of(quota("a", entry(P5, count=2)), team("a", state="absent")) == [
        f"loses 2 instances of {P5} (2 before, 0 after)",
        "loses its quota",
    ]
    assert changes_of(None, team("a", state="absent")) == []


def test_defaults_of_aws_and_undeclared_settings_are_no_change() -> None:
    before = quota("a", entry(P5, accelerators=8, vcpu=96.0), preempt_team_tasks="Never", resource_sharing_config={"strategy": "Lend"})
    assert changes_of(before, team("a", entry(P5, accelerators=8))) == []
    assert changes_of(before, team("a", entry(P5, accelerators=8), preempt="Never", sharing={"strategy": "Lend"})) == []
    (change,) = changes_of(before, team("a", entry(P5, accelerators=8), sharing={"strategy": "DontLend"}))
    assert change == "resource_sharing_config.strategy is DontLend instead of Lend"


def test_a_change_of_the_unit_is_described() -> None:
    assert changes_of(quota("a", entry(P5, count=1)), team("a", entry(P5, accelerators=4))) == [
        f"gains 4 accelerators of {P5} (0 before, 4 after)",
        f"loses 1 instances of {P5} (1 before, 0 after)",
    ]


def test_a_reduced_quota_makes_room_for_an_increased_one() -> None:
    there = [quota("a", entry(P5, count=4)), quota("b", entry(P5, count=2))]
    assert allocation.excess(CLUSTER, there, [team("a", entry(P5, count=2)), team("b", entry(P5, count=4))]) == []
    assert allocation.excess(CLUSTER, there, [team("a", state="absent"), team("b", entry(P5, count=6))]) == []


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            [team("b", entry(P5, count=3))],
            f"hyperpod_teams[0].resources: '{P5}: 3 instances' is not allowed: the cluster has 6, and quotas of other teams guarantee 4 "
            "(a 4). Allowed: at most 2 instances, or more with task_governance_allow_oversubscription=true.",
        ),
        ([team("a", entry(P5, count=4)), team("b", entry(P5, count=3))], "hyperpod_teams[1].resources"),
        ([team("b", entry("ml.trn1.32xlarge", count=1))], "the cluster has no instance group of that type"),
    ],
)
def test_more_than_the_capacity_is_refused(wanted: list[t.Any], message: str) -> None:
    (problem,) = allocation.excess(CLUSTER, [quota("a", entry(P5, count=4)), quota("b", entry(P5, count=2))], wanted)
    assert message in problem, problem


def test_a_team_without_declared_resources_is_not_checked() -> None:
    (silent,) = teams([{"name": "a", "fair_share_weight": 5}])
    assert allocation.excess(Capacity({P5: 1}), [quota("a", entry(P5, count=4))], [silent]) == []


def test_an_activated_quota_counts_as_increased() -> None:
    (idle, busy) = quota("a", entry(P5, count=4), activation_state="Disabled"), quota("b", entry(P5, count=4))
    (enabled,) = teams([{"name": "a", "activation_state": "Enabled"}])
    (disabled,) = teams([{"name": "b", "activation_state": "Disabled"}])
    assert changes_of(idle, enabled) == ["activation_state is Enabled instead of Disabled"]
    assert allocation.grows(idle, enabled) and not allocation.grows(busy, disabled)
    assert not allocation.grows(idle, team("a", entry(P5, count=9), activation_state="Disabled"))
    (problem,) = allocation.excess(CLUSTER, [idle, busy], [enabled])
    assert "4 instances' is not allowed: the cluster has 6, and quotas of other teams guarantee 4 (b 4)" in problem
    assert allocation.excess(CLUSTER, [idle, busy], [enabled, disabled]) == []
