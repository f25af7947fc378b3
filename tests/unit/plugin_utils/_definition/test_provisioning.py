# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""provisioning_parameters.json declares the type of each group, and must match the definition."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.provisioning import node_types

GIVEN: dict[str, t.Any] = {
    "version": "1.0.0",
    "workload_manager": "slurm",
    "controller_group": "head",
    "login_group": "login",
    "worker_groups": [{"instance_group_name": "a", "partition_name": "dev"}, {"instance_group_name": "b", "partition_name": "ml.p5.48xlarge"}],
}
DEFINITION = {"name": "ml", "instance_groups": [{"name": name} for name in ("head", "login", "a", "b")]}


def test_each_group_has_a_type() -> None:
    types = {"head": "controller", "login": "login", "a": "compute", "b": "compute"}
    assert node_types("p", GIVEN, DEFINITION) == types


def test_optional_fields_may_be_missing_or_empty() -> None:
    form = {"version": "1.0.0", "workload_manager": "slurm", "controller_group": "head", "worker_groups": []}
    groups = {"instance_groups": [{"name": "head"}]}
    assert node_types("p", form, groups) == {"head": "controller"}
    for empty in (None, ""):
        more = dict.fromkeys(("login_group", "fsx_dns_name", "fsx_mountname", "fsx_openzfs_dns_name"), empty)
        assert node_types("p", {**form, **more, "slurm_configurations": {}}, groups) == {"head": "controller"}


ACCOUNTING = {
    "slurm_database_secret_arn": "arn:aws:secretsmanager:us-west-2:111111111111:secret:slurm",
    "slurm_database_endpoint": "slurm.example.us-west-2.rds.amazonaws.com",
    "slurm_shared_directory": "/fsx",
}
LUSTRE = {"fsx_dns_name": "fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com", "fsx_mountname": "4owupbev"}


def test_fields_for_the_scripts_are_accepted() -> None:
    more = {**LUSTRE, "fsx_openzfs_dns_name": LUSTRE["fsx_dns_name"], "slurm_configurations": {**ACCOUNTING, "slurm_sns_arn": ""}}
    assert node_types("p", {**GIVEN, **more}, DEFINITION)["head"] == "controller"


def workers(*groups: t.Any) -> dict[str, t.Any]:
    return {"worker_groups": list(groups)}


A, B = GIVEN["worker_groups"]
PARTITION = "letters, digits, '.', '_' and '-', but not DEFAULT, which slurm.conf reserves."


def test_a_partition_that_only_shares_the_reserved_prefix_is_accepted() -> None:
    found = node_types("p", {**GIVEN, **workers({**A, "partition_name": "default-gpus"}, B)}, DEFINITION)
    assert found["a"] == "compute"


@pytest.mark.parametrize(
    ("changed", "definition", "message"),
    [
        ({"version": None}, {}, "p.version: missing; it must be the version of the form, 1.0.0."),
        ({"version": "2"}, {}, "p.version: '2' is not allowed. Allowed: 1.0.0."),
        ({"version": 1.0}, {}, "p.version: 1.0 is not allowed. Allowed: 1.0.0."),
        ({"workload_manager": "pbs"}, {}, "p.workload_manager: 'pbs' is not allowed. Allowed: slurm."),
        ({"controller_group": None}, {}, "p.controller_group: missing;"),
        ({"controller_group": ["head"]}, {}, "p.controller_group: ['head'] is not allowed. Allowed: the name of an instance group."),
        (
            {"controller_group": "login"},
            {},
            "p.login_group: 'login' is not allowed: its node type is already controller. Allowed: a group without a node type.",
        ),
        ({"login_group": "gate"}, {}, "p.login_group: 'gate' is not allowed: the definition has no such group. Allowed: head, login, a, b."),
        ({"login_group": 7}, {}, "p.login_group: 7 is not allowed. Allowed: the name of an instance group."),
        ({"worker_groups": None}, {}, "p.worker_groups: missing;"),
        ({"worker_groups": []}, {}, "p: the file has no node type for group a,"),
        ({"worker_groups": {}}, {}, "p.worker_groups: {} is not allowed. Allowed: a list"),
        ({"worker_groups": "a"}, {}, "p.worker_groups: 'a' is not allowed. Allowed: a list"),
        (workers("a"), {}, "p.worker_groups[0]: 'a' is not allowed. Allowed: an object with instance_group_name, partition_name."),
        (workers({"partition_name": "a"}), {}, "p.worker_groups[0].instance_group_name: missing;"),
        (workers(A, {"instance_group_name": "b"}), {}, "p.worker_groups[1].partition_name: missing; it must be the name of the Slurm partition"),
        (workers({**A, "partition_name": None}, B), {}, "p.worker_groups[0].partition_name: missing;"),
        (workers({**A, "partition_name": ""}, B), {}, "p.worker_groups[0].partition_name: missing;"),
        (workers({**A, "partition_name": 7}, B), {}, "p.worker_groups[0].partition_name: 7 is not allowed. Allowed: letters, digits"),
        (workers({**A, "partition_name": "a b"}, B), {}, "p.worker_groups[0].partition_name: 'a b' is not allowed. Allowed: letters"),
        (workers({**A, "partition_name": "a\nb"}, B), {}, "p.worker_groups[0].partition_name: 'a\\nb' is not allowed."),
        (workers({**A, "partition_name": "DEFAULT"}), {}, f"p.worker_groups[0].partition_name: 'DEFAULT' is not allowed. Allowed: {PARTITION}"),
        (workers({**A, "partition_name": "Default"}), {}, f"p.worker_groups[0].partition_name: 'Default' is not allowed. Allowed: {PARTITION}"),
        (workers({**A, "partition_nam": "a"}, B), {}, "p.worker_groups[0].partition_nam: unknown; did you mean partition_name? "),
        ({"login_grp": "login"}, {}, "p.login_grp: unknown; did you mean login_group? Allowed: version, "),
        ({"fsx_mountname": "fsx"}, {}, "p.fsx_dns_name: missing; fsx_mountname requires it."),
        ({"fsx_dns_name": LUSTRE["fsx_dns_name"]}, {}, "p.fsx_mountname: missing; fsx_dns_name requires it."),
        ({**LUSTRE, "fsx_dns_name": "fs 1"}, {}, "p.fsx_dns_name: 'fs 1' is not allowed. Allowed: the DNS name"),
        ({**LUSTRE, "fsx_mountname": "/fsx"}, {}, "p.fsx_mountname: '/fsx' is not allowed. Allowed: the mount name"),
        ({"fsx_openzfs_dns_name": ["a"]}, {}, "p.fsx_openzfs_dns_name: ['a'] is not allowed. Allowed: the DNS name"),
        ({"slurm_configurations": "no"}, {}, "p.slurm_configurations: 'no' is not allowed. Allowed: an object with"),
        ({"slurm_configurations": {"slurm_database_user": "a"}}, {}, "p.slurm_configurations.slurm_database_secret_arn: missing;"),
        ({"slurm_configurations": {**ACCOUNTING, "slurm_db": "a"}}, {}, "p.slurm_configurations.slurm_db: unknown. Allowed: "),
        ({"slurm_configurations": {**ACCOUNTING, "slurm_database_endpoint": 1}}, {}, "p.slurm_configurations.slurm_database_endpoint: 1 is"),
        ({}, {"orchestrator": {"eks": {}}}, "p: the file is not allowed. Allowed: no file for a cluster with EKS."),
        ({}, {"node_provisioning_mode": "Continuous"}, "p: the file is not allowed: slurm_config of the groups replaces the file."),
    ],
)
def test_contradictions_to_the_definition_are_refused(changed: dict[str, t.Any], definition: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        node_types("p", {**GIVEN, **changed}, {**DEFINITION, **definition})
    assert str(refused.value).startswith(message)
