# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Declared teams and scheduler configurations, and their refusals."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._governance.declared import scheduler, teams

P5 = {"instance_type": "ml.p5.48xlarge", "count": 2}
ALICE = "arn:aws:iam::111111111111:role/people/alice"


def test_a_team_is_converted_to_the_options_of_the_module() -> None:
    sharing = {"strategy": "LendAndBorrow", "borrow_limit": 50}
    given = {"name": "research", "resources": [P5], "sharing": sharing, "preempt": "Never", "fair_share_weight": 0, "submitters": [ALICE]}
    (found,) = teams([{**given, "activation_state": "Disabled"}])
    assert (found.name, found.present, found.submitters) == ("research", True, (ALICE,))
    assert found.settings == {
        "compute_quota_resources": [P5],
        "resource_sharing_config": sharing,
        "preempt_team_tasks": "Never",
        "fair_share_weight": 0,
        "activation_state": "Disabled",
    }
    (bare,) = teams([{"name": "a", "state": "absent", "description": None}])
    assert (bare.present, bare.settings, bare.submitters) == (False, {}, None)


def test_no_submitters_differs_from_undeclared_submitters() -> None:
    assert [each.submitters for each in teams([{"name": "a", "submitters": []}, {"name": "b"}])] == [(), None]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("research", "hyperpod_teams: 'research' is not allowed. Allowed: a list."),
        (["research"], "hyperpod_teams[0]: 'research' is not allowed. Allowed: an object with name, "),
        ([{}], "hyperpod_teams[0].name: missing."),
        ([{"name": "a"}, {"name": "b"}, {"name": "a"}], "hyperpod_teams.name: 'a' is not allowed: it is given more than once."),
        ([{"name": "Research"}], "hyperpod_teams[0].name: 'Research' is not allowed. Allowed: 1 to 51 small letters, digits"),
        ([{"name": "a" * 52}], "is not allowed. Allowed: 1 to 51 small letters"),
        ([{"name": "-a"}], "hyperpod_teams[0].name: '-a' is not allowed."),
        ([{"name": 7}], "hyperpod_teams[0].name: 7 is not allowed. Allowed: a text."),
        ([{"name": "a", "resource": []}], "hyperpod_teams[0].resource: unknown; did you mean resources? Allowed: name, "),
        ([{"name": "a", "state": "gone"}], "hyperpod_teams[0].state: 'gone' is not allowed. Allowed: present, absent."),
        ([{"name": "a", "resources": P5}], "hyperpod_teams[0].resources: {'instance_type'"),
        ([{"name": "a", "resources": [{"count": 1}]}], "hyperpod_teams[0].resources[0].instance_type: missing;"),
        ([{"name": "a", "resources": [{"instance_type": "p5", "count": 1}]}], ".instance_type: 'p5' is not allowed. Allowed: an instance type"),
        ([{"name": "a", "resources": [{**P5, "count": "2"}]}], "resources[0].count: '2' is not allowed. Allowed: a whole number."),
        ([{"name": "a", "resources": [{**P5, "count": True}]}], "resources[0].count: True is not allowed."),
        ([{"name": "a", "resources": [{**P5, "count": -1}]}], "resources[0].count: -1 is not allowed. Allowed: 0 to 10000000."),
        ([{"name": "a", "resources": [{**P5, "vcpu": "all"}]}], "resources[0].vcpu: 'all' is not allowed. Allowed: a number."),
        ([{"name": "a", "resources": [{"instance_type": "ml.p5.48xlarge"}]}], "Allowed: an instance type with at least one of count,"),
        ([{"name": "a", "resources": [P5, P5]}], "hyperpod_teams[0].resources: 'ml.p5.48xlarge' is not allowed: it is given more than"),
        ([{"name": "a", "resources": [{**P5, "gpus": 8}]}], "hyperpod_teams[0].resources[0].gpus: unknown. Allowed: "),
        (
            [{"name": "a", "resources": [{"instance_type": "ml.p4d.24xlarge", "accelerator_partition": {"type": "mig-9g"}}]}],
            "resources[0].accelerator_partition.type: 'mig-9g' is not allowed.",
        ),
        ([{"name": "a", "sharing": "Lend"}], "hyperpod_teams[0].sharing: 'Lend' is not allowed. Allowed: an object with strategy"),
        ([{"name": "a", "sharing": {}}], "hyperpod_teams[0].sharing.strategy: missing;"),
        ([{"name": "a", "sharing": {"strategy": "Give"}}], "sharing.strategy: 'Give' is not allowed. Allowed: Lend, DontLend, LendAndBorrow."),
        (
            [{"name": "a", "sharing": {"strategy": "Lend", "borrow_limit": 5}}],
            "sharing.borrow_limit: 5 is not allowed: the strategy is Lend. Allowed: no value unless the strategy is LendAndBorrow.",
        ),
        ([{"name": "a", "preempt": "Always"}], "hyperpod_teams[0].preempt: 'Always' is not allowed. Allowed: Never, LowerPriority."),
        ([{"name": "a", "activation_state": "off"}], "hyperpod_teams[0].activation_state: 'off' is not allowed. Allowed: Enabled, Disabled."),
        ([{"name": "a", "fair_share_weight": 101}], "hyperpod_teams[0].fair_share_weight: 101 is not allowed. Allowed: 0 to 100."),
        ([{"name": "a", "submitters": ALICE}], "hyperpod_teams[0].submitters: 'arn:aws:iam::111111111111:role/people/alice' is not"),
        ([{"name": "a", "submitters": ["alice"]}], "hyperpod_teams[0].submitters: 'alice' is not allowed. Allowed: ARNs of IAM roles"),
        (
            [{"name": "a", "submitters": ["arn:aws:sts::111111111111:assumed-role/people/alice"]}],
            "is not allowed: it is an assumed-role session; use the ARN of the role.",
        ),
        ([{"name": "a", "submitters": [ALICE, ALICE]}], "hyperpod_teams[0].submitters: 'arn:"),
    ],
)
def test_invalid_teams_are_refused(given: t.Any, message: str) -> None:
    with pytest.raises(Refused) as refused:
        teams(given)
    assert message in str(refused.value), str(refused.value)


def test_a_scheduler_configuration_is_read() -> None:
    given = {"name": "fair", "priority_classes": [{"name": "training", "weight": 80}], "fair_share": "Enabled"}
    assert scheduler(given) == given
    assert scheduler({}) == {}
    longest = {"priority_classes": [{"name": "a" * 54, "weight": 1}]}
    assert scheduler(longest) == longest
    assert scheduler({"priority_classes": []}) == {"priority_classes": []}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "task_governance_scheduler: [] is not allowed. Allowed: an object with name, priority_classes"),
        ({"name": "a_b"}, "task_governance_scheduler.name: 'a_b' is not allowed."),
        ({"fair_share": True}, "task_governance_scheduler.fair_share: True is not allowed. Allowed: a text."),
        ({"fair_share": "on"}, "task_governance_scheduler.fair_share: 'on' is not allowed. Allowed: Enabled, Disabled."),
        ({"priorities": []}, "task_governance_scheduler.priorities: unknown; did you mean priority_classes?"),
        ({"priority_classes": [{"name": "a"}]}, "task_governance_scheduler.priority_classes[0].weight: missing;"),
        ({"priority_classes": [{"name": "A", "weight": 1}]}, "task_governance_scheduler.priority_classes[0].name: 'A' is not"),
        ({"priority_classes": [{"name": "a" * 55, "weight": 1}]}, "Allowed: 1 to 54 small letters, digits and hyphens"),
        ({"priority_classes": [{"name": "a", "weight": 101}]}, "priority_classes[0].weight: 101 is not allowed."),
        ({"priority_classes": [{"name": "a", "weight": 1}] * 2}, "task_governance_scheduler.priority_classes: 'a' is not allowed"),
    ],
)
def test_an_invalid_scheduler_configuration_is_refused(given: t.Any, message: str) -> None:
    with pytest.raises(Refused) as refused:
        scheduler(given)
    assert message in str(refused.value), str(refused.value)


def test_all_errors_of_teams_are_collected() -> None:
    given = [
        {"name": "Research", "state": "gone", "fair_share_weight": "x", "submitters": ["alice", ALICE]},
        {"nam": "a", "description": 7},
        {"name": "b", "resources": [{"instance_type": "ml.p5.48xlarge"}, {"instance_type": 5, "count": "two"}], "preempt": "Always"},
    ]
    found = [text.split(" is not")[0].split(":")[0] for text in refusals(teams, given)]
    assert found == [
        "hyperpod_teams[0].state",
        "hyperpod_teams[0].name",
        "hyperpod_teams[0].fair_share_weight",
        "hyperpod_teams[0].submitters",
        "hyperpod_teams[1].nam",
        "hyperpod_teams[1].name",
        "hyperpod_teams[2].resources[1].instance_type",
        "hyperpod_teams[2].resources[1].count",
        "hyperpod_teams[2].preempt",
    ]
