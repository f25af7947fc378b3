# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views of the role hyperpod_cluster."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import hyperpod_cluster as views

DEFINITION = {"name": "ml", "instance_groups": [{"name": "head"}, {"name": "own", "execution_role": "arn:own"}]}
VARIABLES: dict[str, t.Any] = {
    "hyperpod_cluster_definition": DEFINITION,
    "hyperpod_cluster_definition_file": "",
    "hyperpod_cluster_provisioning_parameters_file": "",
    "hyperpod_cluster_life_cycle_dir": "",
    "hyperpod_cluster_execution_role": "",
    "hyperpod_cluster_remove": "",
    "hyperpod_cluster_require_quota": True,
    "ansible_play_hosts_all": ["ml"],
    "ansible_check_mode": False,
}


def texts(findings: t.Sequence[t.Mapping[str, str]]) -> list[str]:
    return [each["text"] for each in findings]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({}, None),
        ({"hyperpod_cluster_definition": {}}, "hyperpod_cluster_definition: missing; it or hyperpod_cluster_definition_file says what"),
        ({"hyperpod_cluster_definition_file": "a.json"}, "hyperpod_cluster_definition_file: 'a.json' is not allowed: hyperpod_cluster_def"),
        ({"hyperpod_cluster_definition": {"name": "ml", "tag": {}}}, "hyperpod_cluster_definition.tag: unknown; did you mean tags?"),
        ({"hyperpod_cluster_provisioning_parameters_file": "/none"}, "hyperpod_cluster_provisioning_parameters_file: /none can't be read"),
        ({"hyperpod_cluster_life_cycle_dir": "/none"}, "hyperpod_cluster_life_cycle_dir: the groups must name one source_s3_uri"),
        ({"hyperpod_cluster_remove": "arn", "ansible_play_hosts_all": ["a", "b"]}, "hyperpod_cluster_remove: 'arn' is not allowed: the run is"),
    ],
)
def test_what_is_wrong_is_refused(changed: dict[str, t.Any], message: str | None) -> None:
    found = texts(views.declared({**VARIABLES, **changed}).refusals)
    assert len(found) == (message is not None)
    assert message is None or found[0].startswith(message)


def test_the_role_of_the_run_goes_to_groups_without_one() -> None:
    caller = {"arn": "arn:aws-cn:sts::222222222222:assumed-role/ops/me"}
    found = views.definition({**VARIABLES, "hyperpod_cluster_execution_role": "nodes", "__hyperpod_cluster_caller": caller})
    roles = [group["execution_role"] for group in found.options["instance_groups"]]
    assert roles == ["arn:aws-cn:iam::222222222222:role/nodes", "arn:own"]
    assert found.options["restricted_instance_groups"] is None and found.options["vpc_config"] is None
    assert views.definition(VARIABLES).options["instance_groups"] == DEFINITION["instance_groups"]


HOSTVARS = {
    "ml": {"hyperpod_cluster_arn": "arn:ml", "hyperpod_cluster_group": "cluster_ml"},
    "other": {"hyperpod_cluster_arn": "arn:other", "hyperpod_cluster_group": "cluster_other"},
    "ml-i-1": {"ansible_python_interpreter": "/usr/bin/python3"},
    "other-i-1": {},
}
GROUP_NAMES = {
    "hyperpod_clusters": ["other", "ml"],
    "node_type_controller": ["other-i-1", "ml-i-1"],
    "cluster_ml": ["ml", "ml-i-1"],
    "cluster_other": ["other", "other-i-1"],
}
GROUPS = {
    "head": {"nodes": 1, "node_ids": ["i-1"], "volumes": []},
    "work": {"nodes": 2, "node_ids": [], "volumes": [{"volume_size_in_gb": 500}, {"volume_kms_key_id": "key"}]},
}
GONE = {"action": "delete", "resource": "cluster ml", "field": None, "before": {"groups": GROUPS}, "after": None}


def removed(*changes: dict[str, t.Any], arn: str = "arn:ml", jobs: t.Any = None) -> dict[str, t.Any]:
    removal = {"changes": list(changes)}
    more = {"hostvars": HOSTVARS, "groups": GROUP_NAMES, "__hyperpod_cluster_removal": removal, "__hyperpod_cluster_jobs": jobs}
    return {**VARIABLES, "hyperpod_cluster_remove": arn, **more}


def test_only_a_controller_of_that_cluster_is_asked_for_jobs() -> None:
    found = views.removal(removed(GONE))
    assert (found.controller, found.python) == ("ml-i-1", "/usr/bin/python3")
    assert views.removal(removed(GONE, arn="arn:other")).controller == "other-i-1"
    for none in (removed(GONE, arn="arn:third"), removed()):
        assert views.removal(none).controller == ""


@pytest.mark.parametrize(
    ("jobs", "words"),
    [
        (None, "Running jobs: unknown, the inventory has no controller of it that answers."),
        ({"unreachable": True}, "Running jobs: unknown, the inventory has no controller of it that answers."),
        ({"slurm_nodes": {"jobs": []}}, "Running jobs: none."),
        ({"slurm_nodes": {"jobs": [{"id": "7", "user": "alice"}, {"id": "9", "user": "bob"}]}}, "Running jobs: 7 of alice, 9 of bob."),
    ],
)
def test_what_goes_with_a_cluster_is_told(jobs: t.Any, words: str) -> None:
    (text,) = texts(views.lost(removed(GONE, jobs=jobs)).findings)
    assert text == (
        "With cluster ml go its nodes and what is on their disks: head 1 (i-1), work 2. "
        f"Volumes: 500 GB on each node of work. {words}"
    )
    assert views.lost(removed()).findings == []


def planned(exists: bool, *changes: dict[str, t.Any]) -> dict[str, t.Any]:
    group = {"name": "head", "instance_type": "ml.m5.large", "instance_count": 2}
    cluster = {"exists": exists, "cluster_arn": "arn:ml", "definition": {"instance_groups": [group]}}
    return {**VARIABLES, "__hyperpod_cluster_plan": {"changes": list(changes), "cluster": cluster}}


CREATE = {"action": "create", "resource": "cluster ml", "field": None, "before": None, "after": {}}


def test_a_cluster_that_is_not_there_has_no_lock() -> None:
    new, there = views.plan(planned(True, CREATE)), views.plan(planned(True))
    assert (new.creates, new.exists, new.arn, new.adds) == (True, False, None, True)
    assert (there.creates, there.exists, there.arn, there.adds) == (False, True, "arn:ml", False)
    grown = views.plan(planned(True, {**CREATE, "resource": "cluster ml group head"}))
    assert (grown.creates, grown.exists, grown.adds) == (False, True, True)
    assert grown.prices == [{"instance_type": "ml.m5.large", "count": 2}]


def quota(name: str, enough: bool | None, pending: float | None = None) -> dict[str, t.Any]:
    return {"name": name, "used": 3, "planned": 2, "applied": 4.0, "pending": pending, "enough": enough}


@pytest.mark.parametrize(("required", "kind"), [(True, "failure"), (False, "note")])
def test_a_quota_that_is_too_low_is_told(required: bool, kind: str) -> None:
    quotas = [quota("p5", False, 8.0), quota("m5", True), quota("g5", None), quota("g6", None)]
    known = {**VARIABLES, "hyperpod_cluster_require_quota": required, "__hyperpod_cluster_quotas": {"quotas": quotas}}
    low, unknown, price = views.room({**known, "__hyperpod_cluster_prices": {"told": "about 3.00 USD an hour"}}).findings
    assert (low["kind"], low["code"]) == (kind, "quota-too-low")
    assert low["text"].startswith("The quota 'p5' is 4, and 5 are needed, 8 was asked for.")
    assert unknown["kind"] == price["kind"] == "note" and "g5, g6" in unknown["text"]
    assert price["text"] == "Price of the nodes that are added: about 3.00 USD an hour."


def test_what_comes_next_is_told_once() -> None:
    done = {"__hyperpod_cluster_done": {"cluster": {"name": "ml", "cluster_arn": "arn:ml"}}}
    (told,) = views.outcome({**planned(True, CREATE), **done}).findings
    assert told["text"] == "Cluster ml is there: arn:ml. Once the inventory has it, login_access lets people in."
    assert views.outcome({**planned(True, CREATE), **done, "ansible_check_mode": True}).findings == []
    assert views.outcome({**planned(True), **done}).findings == []


def test_what_an_eks_cluster_lacks_is_told_apart_from_what_nobody_knows() -> None:
    rows = [("version", True), ("VPC CNI", None), ("addresses", False)]
    asked = [{"name": name, "met": met, "found": "a", "needed": "b"} for name, met in rows]
    found = views.eks({**VARIABLES, "__hyperpod_cluster_eks": {"requirements": asked}}).findings
    assert [(each["kind"], each["subject"]) for each in found] == [("failure", "addresses"), ("note", "VPC CNI")]


def test_the_subnets_of_the_nodes_are_those_of_the_cluster_and_of_its_groups() -> None:
    groups = [{"name": "a", "override_vpc_config": {"subnets": ["s-2", "s-1"]}}, {"name": "b", "override_vpc_config": None}]
    orchestrator = {"eks": {"cluster_arn": "arn:eks"}}
    definition = {"name": "ml", "vpc_config": {"subnets": ["s-1"]}, "instance_groups": groups, "orchestrator": orchestrator}
    found = views.definition({**VARIABLES, "hyperpod_cluster_definition": definition})
    assert found.eks == {"arn": "arn:eks", "subnets": ["s-1", "s-2"]}
    assert views.definition(VARIABLES).eks == {"arn": "", "subnets": []}
