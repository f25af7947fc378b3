# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers of the report files, which the documents of the verbs themselves have."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import document as of_topology
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.facts import VERBS, of_file
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.source import Unreadable
from simulated.accelerator_report import report as health

KEY = "v1/runs/20261129T080000Z-1/x.json"
PLACE = Place("n-1", ("a", "b"), "i-1", "ml.p5.48xlarge", "gpus", "us-west-2a", "", "free", "", ())


def facts(verb: str, document: t.Any) -> t.Any:
    return of_file(verb)(KEY, json.loads(json.dumps(document)))


def test_health() -> None:
    document = health(64)
    found = facts("verify", document)
    total = {name: sum(each["verdicts"][name] for each in found.values()) for name in document["verdicts"]}
    assert total == document["verdicts"] and {each["failure"] for each in found.values()} == {""}
    assert sum(each["verdicts"]["no accelerators"] for each in found.values()) == document["coverage"]["without_accelerators"]


def test_an_unknown_verdict_counts_as_unknown() -> None:
    document = health(8)
    nodes = next(iter(document["clusters"].values()))["nodes"]
    before = facts("verify", document)
    next(each for each in nodes.values() if each["verdict"] == "fit")["verdict"] = "splendid"
    (key, *_rest), after = before, facts("verify", document)
    assert after[key]["verdicts"]["unknown"] == before[key]["verdicts"]["unknown"] + 1


def test_topology() -> None:
    cluster = of_topology.Cluster("ml", "arn", "1", "r", (PLACE, Place("n-2", (), "i-2", "t", "g", "z", "", "unhealthy", "", ())))
    other = of_topology.Cluster("other", "arn", "1", "r", (), "not reached")
    found = facts("topology", of_topology.document([cluster, other], created="2026-11-29T08:00:00Z"))
    assert found["ml"] == {
        "arn": "arn", "failure": "", "nodes": {"free": 1, "used": 0, "unhealthy": 1}, "without_data": 1, "jobs": 0, "spread_jobs": 0,
        "free": [{"layer": 1, "free": 1, "largest": 1}, {"layer": 2, "free": 1, "largest": 1}],
    }
    assert found["other"] == {"arn": "arn", "failure": "not reached"}


def test_cost() -> None:
    cluster = {"arn": "arn", "failure": "", "nodes": 2, "per_hour": None, "currency": "USD", "without_price": ["x"], "waiting_pods": 1}
    found = facts("karpenter_status", {"schema": 1, "karpenter": {"ml": cluster}})
    assert found == {"ml": cluster}


def governance(team: t.Any) -> t.Any:
    found = facts("task_governance", {"schema": 1, "governance": {"ml": {"arn": "arn", "failure": "", "teams": [team]}}})
    return found if isinstance(found, Unreadable) else found["ml"]["teams"][0]


def team(*, resource: t.Any = None, **use: t.Any) -> dict[str, t.Any]:
    """A team in governance.json."""
    amounts = {"flavor": "f\x1b", "resource": "nvidia.com/gpu", "quota": 16, "used": 0, "borrowed": None, "reserved": 0}
    read = {"state": "read", "why": "", "pending_workloads": 0, "reserving_workloads": 1, "admitted_workloads": None, "resources": [amounts]}
    quota = [{"instance_type": "a", "count": 2, "vcpu": 8} if resource is None else resource]
    return {"team": "x\x1b", "status": "Created", "activation_state": "Enabled", "quota": quota, "use": {**read, **use}}


def test_quotas_and_their_use() -> None:
    assert governance(team()) == {
        "team": "x?",
        "disabled": False,
        "quota": [{"instance_type": "a", "unit": "instances", "amount": 2}],
        "use": {
            "state": "read", "why": "", "pending": 0, "admitted": None,
            "resources": [{"flavor": "f?", "resource": "nvidia.com/gpu", "quota": 16, "used": 0, "borrowed": None}],
        },
    }


def test_use_that_is_not_known_has_no_numbers() -> None:
    assert governance({**team(), "use": {"state": "not read", "why": "denied"}})["use"] == {"state": "not read", "why": "denied"}


@pytest.mark.parametrize(
    ("resource", "amount"),
    [
        ({"accelerators": 8, "vcpu": 4}, (8, "accelerators")),
        ({"accelerators": 8, "accelerator_partition": {"type": "mig-1g.5gb", "count": 7}}, (7, "mig-1g.5gb")),
        ({"memory_in_gib": 1.5}, (1.5, "GiB of memory")),
        ({}, (None, "")),
    ],
)
def test_a_quota_has_the_unit_that_it_sets(resource: dict[str, t.Any], amount: tuple[float | None, str]) -> None:
    (found,) = governance(team(resource={"instance_type": "a", **resource}))["quota"]
    assert found == {"instance_type": "a", "amount": amount[0], "unit": amount[1]}


@pytest.mark.parametrize("value", ["1", True, -1, float("nan"), float("inf"), 10**400, [1]])
def test_a_value_that_is_not_a_number_of_a_cluster_makes_the_file_unusable(value: t.Any) -> None:
    cluster = {"arn": "arn", "failure": "", "nodes": 2, "per_hour": 1.5, "currency": "USD", "without_price": [], "waiting_pods": 1}
    for found in (
        governance(team(pending_workloads=value)),
        governance(team(resource={"instance_type": "a", "count": value})),
        facts("karpenter_status", {"schema": 1, "karpenter": {"ml": {**cluster, "per_hour": value}}}),
        facts("karpenter_status", {"schema": 1, "karpenter": {"ml": {**cluster, "nodes": value}}}),
    ):
        assert isinstance(found, Unreadable) and found.reason == "has an unknown form"


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("value", [None, [], {}, {"clusters": {}}])
def test_a_file_of_another_form_says_nothing(verb: str, value: t.Any) -> None:
    assert facts(verb, value) == {}


@pytest.mark.parametrize("verb", VERBS)
def test_a_file_with_another_schema_or_a_wrong_type_is_named(verb: str) -> None:
    _makes, schema, needed = VERBS[verb]
    other = facts(verb, {**dict.fromkeys(needed), "schema": schema + 1})
    wrong = facts(verb, {**{name: [1] for name in needed}, "schema": schema})
    assert isinstance(other, Unreadable) and other.reason == f"has schema {schema + 1}, and this version reads {schema}"
    assert isinstance(wrong, Unreadable) and wrong.reason == "has an unknown form"
