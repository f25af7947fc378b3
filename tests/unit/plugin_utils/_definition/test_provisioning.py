# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""provisioning_parameters.json says what each group is, and is refused where it does not fit the definition."""

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
    "worker_groups": [{"instance_group_name": "a", "partition_name": "dev"}, {"instance_group_name": "b"}],
}
DEFINITION = {"name": "ml", "instance_groups": [{"name": name} for name in ("head", "login", "a", "b")]}


def test_each_group_has_a_type() -> None:
    types = {"head": "controller", "login": "login", "a": "compute", "b": "compute"}
    assert node_types("p", GIVEN, DEFINITION) == types


def test_a_cluster_needs_no_login_group() -> None:
    groups = {"instance_groups": [{"name": "head"}]}
    assert node_types("p", {"workload_manager": "slurm", "controller_group": "head"}, groups) == {"head": "controller"}


@pytest.mark.parametrize(
    ("changed", "definition", "message"),
    [
        ({"workload_manager": "pbs"}, {}, "p.workload_manager: 'pbs' is not allowed. Allowed: slurm."),
        ({"controller_group": None}, {}, "p.controller_group: missing;"),
        ({"controller_group": "login"}, {}, "p.login_group: 'login' is not allowed. Allowed: a group that is not controller already."),
        ({"login_group": "gate"}, {}, "p.login_group: 'gate' is not allowed: the definition has no such group. Allowed: head, login, a, b."),
        ({"worker_groups": {}}, {}, "p: it does not say what the group a is;"),
        ({"worker_groups": "a"}, {}, "p.worker_groups: 'a' is not allowed. Allowed: a list of groups."),
        ({"worker_groups": ["a"]}, {}, "p.worker_groups[0].instance_group_name: missing;"),
        ({"worker_groups": [{"partition_name": "a"}]}, {}, "p.worker_groups[0].instance_group_name: missing;"),
        ({}, {"orchestrator": {"eks": {}}}, "p: 'the file' is not allowed. Allowed: none for a cluster with EKS."),
        ({}, {"node_provisioning_mode": "Continuous"}, "p: 'the file' is not allowed: slurm_config of the groups says it."),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, t.Any], definition: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        node_types("p", {**GIVEN, **changed}, {**DEFINITION, **definition})
    assert str(refused.value).startswith(message)
