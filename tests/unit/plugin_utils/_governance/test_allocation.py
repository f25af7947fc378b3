# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who gains and who loses what, what is taken away first, and that all together stay within what the cluster has."""

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
    told = {"compute_quota_resources": list(resources), **settings}
    rest = {"compute_quota_id": "q1", "compute_quota_arn": "arn:x", "name": f"{team}-quota", "status": "Created", "version": 3}
    return allocation.found({**rest, "team_name": team, **told})


def team(name: str, *resources: Object, **more: t.Any) -> t.Any:
    (made,) = teams([{"name": name, "resources": list(resources), **more}])
    return made


def test_a_quota_as_it_was_read() -> None:
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
def test_what_is_taken_away_first(before: list[Object], after: list[Object], expected: list[Object] | None) -> None:
    assert allocation.lowered(before, after) == expected


def told(before: Found | None, wanted: t.Any) -> list[str]:
    return allocation.gains_and_losses(before, wanted)


def test_gains_and_losses() -> None:
    before = quota("a", entry(P5, count=4), entry(G5, accelerators=2, vcpu=24.0, memory_in_gib=256.0), fair_share_weight=10)
    wanted = team("a", entry(P5, count=6), entry(G5, accelerators=1), fair_share_weight=50)
    assert told(before, wanted) == [
        f"gains 2 instances of {P5} (4 before, 6 after)",
        f"loses 1 accelerators of {G5} (2 before, 1 after)",
        "fair_share_weight is 50 instead of 10",
    ]


def test_a_new_team_and_one_that_goes() -> None:
    assert told(None, team("a", entry(P5, count=2))) == ["gets a quota", f"gains 2 instances of {P5} (0 before, 2 after)"]
    assert told(quota("a", entry(P5, count=2)), team("a", state="absent")) == [
        f"loses 2 instances of {P5} (2 before, 0 after)",
        "loses its quota",
    ]
    assert told(None, team("a", state="absent")) == []


def test_what_aws_fills_in_and_what_nobody_names_is_no_change() -> None:
    before = quota("a", entry(P5, accelerators=8, vcpu=96.0), preempt_team_tasks="Never", resource_sharing_config={"strategy": "Lend"})
    assert told(before, team("a", entry(P5, accelerators=8))) == []
    assert told(before, team("a", entry(P5, accelerators=8), preempt="Never", sharing={"strategy": "Lend"})) == []
    (said,) = told(before, team("a", entry(P5, accelerators=8), sharing={"strategy": "DontLend"}))
    assert said == "resource_sharing_config.strategy is DontLend instead of Lend"


def test_instances_that_become_accelerators() -> None:
    assert told(quota("a", entry(P5, count=1)), team("a", entry(P5, accelerators=4))) == [
        f"gains 4 accelerators of {P5} (0 before, 4 after)",
        f"loses 1 instances of {P5} (1 before, 0 after)",
    ]


def test_one_that_shrinks_makes_room_for_one_that_grows() -> None:
    there = [quota("a", entry(P5, count=4)), quota("b", entry(P5, count=2))]
    assert allocation.excess(CLUSTER, there, [team("a", entry(P5, count=2)), team("b", entry(P5, count=4))]) == []
    assert allocation.excess(CLUSTER, there, [team("a", state="absent"), team("b", entry(P5, count=6))]) == []


@pytest.mark.parametrize(
    ("wanted", "said"),
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
def test_more_than_there_is(wanted: list[t.Any], said: str) -> None:
    (problem,) = allocation.excess(CLUSTER, [quota("a", entry(P5, count=4)), quota("b", entry(P5, count=2))], wanted)
    assert said in problem, problem


def test_a_team_that_says_nothing_of_resources_is_not_judged() -> None:
    (silent,) = teams([{"name": "a", "fair_share_weight": 5}])
    assert allocation.excess(Capacity({P5: 1}), [quota("a", entry(P5, count=4))], [silent]) == []


def test_a_quota_that_is_put_in_force_grows_and_is_judged() -> None:
    (idle, busy) = quota("a", entry(P5, count=4), activation_state="Disabled"), quota("b", entry(P5, count=4))
    (enabled,) = teams([{"name": "a", "activation_state": "Enabled"}])
    (disabled,) = teams([{"name": "b", "activation_state": "Disabled"}])
    assert told(idle, enabled) == ["activation_state is Enabled instead of Disabled"]
    assert allocation.grows(idle, enabled) and not allocation.grows(busy, disabled)
    assert not allocation.grows(idle, team("a", entry(P5, count=9), activation_state="Disabled"))
    (problem,) = allocation.excess(CLUSTER, [idle, busy], [enabled])
    assert "4 instances' is not allowed: the cluster has 6, and quotas of other teams guarantee 4 (b 4)" in problem
    assert allocation.excess(CLUSTER, [idle, busy], [enabled, disabled]) == []
