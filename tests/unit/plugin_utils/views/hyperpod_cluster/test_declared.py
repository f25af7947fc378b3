# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The definition and its errors."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.hyperpod_cluster import declared

from .conftest import DEFINITION, VARIABLES, texts


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({}, None),
        (
            {"hyperpod_cluster_definition": {}},
            "hyperpod_cluster_definition: missing; set hyperpod_cluster_definition or hyperpod_cluster_definition_file to the definition",
        ),
        (
            {"hyperpod_cluster_definition_file": "a.json"},
            "hyperpod_cluster_definition_file: 'a.json' is not allowed: hyperpod_cluster_def",
        ),
        (
            {"hyperpod_cluster_definition": {"name": "ml", "tag": {}}},
            "hyperpod_cluster_definition.tag: unknown; did you mean tags?",
        ),
        (
            {"hyperpod_cluster_provisioning_parameters_file": "/none"},
            "hyperpod_cluster_provisioning_parameters_file: /none can't be read",
        ),
        ({"hyperpod_cluster_life_cycle_dir": "/none"}, "hyperpod_cluster_life_cycle_dir: all groups must have the same source_s3_uri"),
        (
            {"hyperpod_cluster_remove": "arn", "ansible_play_hosts_all": ["a", "b"]},
            "hyperpod_cluster_remove: 'arn' is not allowed: the run has",
        ),
    ],
)
def test_invalid_definitions_are_refused(changed: dict[str, t.Any], message: str | None) -> None:
    found = texts(declared.refusals({**VARIABLES, **changed}))
    assert len(found) == (message is not None)
    assert message is None or found[0].startswith(message)


def test_scripts_have_the_options_that_the_module_accepts(tmp_path: Path) -> None:
    (tmp_path / "on_create.sh").write_text("true\n")
    scripts = {"source_s3_uri": "s3://sagemaker-x/src", "on_create": "on_create.sh"}
    definition = {"name": "ml", "instance_groups": [{"name": "head", "life_cycle_config": scripts}]}
    given = {"hyperpod_cluster_definition": definition, "hyperpod_cluster_life_cycle_dir": str(tmp_path)}
    expected = [{"name": "on_create.sh", "src": str(tmp_path / "on_create.sh")}]
    assert declared.life_cycle({**VARIABLES, **given}) == declared.LifeCycle("sagemaker-x", "src/", expected)
    assert declared.life_cycle(VARIABLES).scripts == []


def test_groups_without_a_role_get_the_role_of_the_run() -> None:
    caller = {"arn": "arn:aws-cn:sts::222222222222:assumed-role/ops/me"}
    found = declared.definition({**VARIABLES, "hyperpod_cluster_execution_role": "nodes", "__hyperpod_cluster_caller": caller})
    roles = [group["execution_role"] for group in found.options["instance_groups"]]
    assert roles == ["arn:aws-cn:iam::222222222222:role/nodes", "arn:own"]
    assert found.options["restricted_instance_groups"] is None and found.options["vpc_config"] is None
    assert declared.definition(VARIABLES).options["instance_groups"] == DEFINITION["instance_groups"]


def test_a_role_created_for_another_purpose_is_refused() -> None:
    given = {**VARIABLES, "hyperpod_cluster_execution_role": "nodes", "__hyperpod_cluster_caller": {"arn": "arn:aws:iam::1:user/me"}}
    tags = declared.execution_role(given).tags
    for tag in ({}, {"mlfleet.hyperpod/component": "karpenter"}):
        there = {**given, "__hyperpod_cluster_role_found": {"iam_roles": [{"tags": tag}]}}
        (text,) = texts(declared.execution_role(there).refusals)
        assert text.startswith("hyperpod_cluster_execution_role: IAM role nodes exists and was not created for nodes")
    for found in ({"iam_roles": [{"tags": {**tags, "team": "ml"}}]}, {"iam_roles": []}, {"skipped": True}):
        assert declared.execution_role({**given, "__hyperpod_cluster_role_found": found}).refusals == []


def test_the_role_of_the_run_has_the_boundary_and_one_account() -> None:
    caller = {"arn": "arn:aws:sts::222222222222:assumed-role/ops/me"}
    given = {**VARIABLES, "hyperpod_cluster_execution_role": "nodes", "__hyperpod_cluster_caller": caller}
    boundary = "arn:aws:iam::222222222222:policy/mlfleet-hyperpod-boundary"
    found = declared.execution_role({**given, "hyperpod_cluster_execution_role_boundary": boundary})
    assert (found.boundary, declared.execution_role(given).boundary, found.refusals) == (boundary, None, [])
    (statement,) = json.loads(found.trust)["Statement"]
    assert statement["Principal"] == {"Service": "sagemaker.amazonaws.com"}
    assert statement["Condition"] == {"StringEqualsIfExists": {"aws:SourceAccount": "222222222222"}}
    (text,) = texts(declared.execution_role({**given, "hyperpod_cluster_execution_role_boundary": "boundary"}).refusals)
    assert text.startswith("hyperpod_cluster_execution_role_boundary: 'boundary' is not allowed. Allowed: the ARN of a managed IAM policy")


def test_an_existing_role_keeps_its_trust_policy_and_a_wide_one_is_reported() -> None:
    caller = {"arn": "arn:aws:sts::222222222222:assumed-role/ops/me"}
    given = {**VARIABLES, "hyperpod_cluster_execution_role": "nodes", "__hyperpod_cluster_caller": caller}
    before = {"Statement": [{"Effect": "Allow", "Principal": {"Service": "sagemaker.amazonaws.com"}, "Action": "sts:AssumeRole"}]}
    role = {"tags": declared.ROLE_TAGS, "assume_role_policy_document": before}
    found = declared.execution_role({**given, "__hyperpod_cluster_role_found": {"iam_roles": [role]}})
    assert json.loads(found.trust) == before
    (text,) = texts(found.notes)
    assert text.startswith("The trust policy of the IAM role nodes allows more than sagemaker.amazonaws.com for account 222222222222, and")


def test_nodes_use_subnets_of_the_cluster_and_of_its_groups() -> None:
    groups = [{"name": "a", "override_vpc_config": {"subnets": ["s-2", "s-1"]}}, {"name": "b", "override_vpc_config": None}]
    orchestrator = {"eks": {"cluster_arn": "arn:eks"}}
    restricted = [{"name": "c", "override_vpc_config": {"subnets": ["s-3"]}}]
    definition = {"name": "ml", "vpc_config": {"subnets": ["s-1"]}, "instance_groups": groups, "orchestrator": orchestrator}
    found = declared.definition({**VARIABLES, "hyperpod_cluster_definition": {**definition, "restricted_instance_groups": restricted}})
    assert found.eks == {"arn": "arn:eks", "subnets": ["s-1", "s-2", "s-3"]}
    assert declared.definition(VARIABLES).eks == {"arn": "", "subnets": []}


SUBNET, GROUP = "subnet-0123456789abcdef0", "sg-0123456789abcdef0"
NAMED = {"ClusterName": "ml", "VpcConfig": {"Subnets": ["private-a"], "SecurityGroupIds": [GROUP]}}


def test_names_are_resolved_to_ids() -> None:
    variables = {**VARIABLES, "hyperpod_cluster_definition": NAMED}
    query = declared.lookup(variables)
    assert (query.needed, query.subnets, query.security_groups, query.file_systems) == (True, ["private-a"], [GROUP], [])
    assert not declared.lookup(VARIABLES).needed

    rows = [{"id": SUBNET, "name": "private-a", "vpc_id": "vpc-1"}]
    groups = [{"id": GROUP, "name": "", "group_name": "nodes", "vpc_id": "vpc-1"}]
    found = {"subnets": rows, "security_groups": groups, "file_systems": []}
    resolved = {**variables, "__hyperpod_cluster_named": found}
    assert declared.resolved_refusals(resolved) == []
    assert declared.definition(resolved).options["vpc_config"] == {"subnets": [SUBNET], "security_group_ids": [GROUP]}
    skipped = {**variables, "__hyperpod_cluster_named": {"skipped": True}}
    assert declared.definition(skipped).options["vpc_config"]["subnets"] == ["private-a"]

    (refusal,) = texts(declared.resolved_refusals({**resolved, "__hyperpod_cluster_named": {**found, "subnets": []}}))
    assert refusal.startswith("hyperpod_cluster_definition.VpcConfig.Subnets: 'private-a' is not allowed: no resource has this name.")


def test_without_a_known_caller_the_role_of_the_run_has_only_a_name() -> None:
    found = declared.execution_role({**VARIABLES, "hyperpod_cluster_execution_role": "nodes"})
    assert (found.name, found.arn) == ("nodes", "arn:aws:iam::000000000000:role/nodes")
    assert (found.managed_policy, found.trust, found.boundary, found.refusals, found.notes) == ("", "", None, [], [])
    assert declared.execution_role({**VARIABLES, "hyperpod_cluster_execution_role": ""}).arn == ""
