# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""When the version of the VPC CNI matters, and the version that the run would install or keep."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views.training_cluster import cni

from .given import ARN, cluster, resource, variables

BAD, GOOD = "v1.22.2-eksbuild.1", "v1.22.4-eksbuild.1"
OFFERED = {"eks_addon_versions": [{"version": GOOD, "default": False}, {"version": BAD, "default": True}]}
NODES = resource("eks_access_entry", "nodes", type="HYPERPOD_LINUX")


def definition(arn: str) -> dict[str, t.Any]:
    group = {"InstanceGroupName": "a", "InstanceType": "ml.g5.8xlarge", "InstanceCount": 1}
    return {"ClusterName": "hp", "InstanceGroups": [group], "Orchestrator": {"Eks": {"ClusterArn": arn}}}


def refusals(*resources: dict[str, t.Any], **more: t.Any) -> list[str]:
    found = cni.cni_refusals(variables(*resources, __training_cluster_cni_offered=OFFERED, **more))
    return [each["text"] for each in found]


def test_it_matters_only_with_nodes_of_hyperpod() -> None:
    assert not cni.cni(variables()).matters and not cni.cni(variables(cluster())).matters
    found = cni.cni(variables(cluster(), NODES))
    assert (found.matters, found.name, found.kubernetes_version) == (True, "vpc-cni", "1.34")
    assert cni.cni(variables(cluster(), NODES, version="1.35")).kubernetes_version == "1.35"


@pytest.mark.parametrize(("arn", "matters"), [(ARN, True), (f"{ARN}-other", False)])
def test_a_definition_of_the_same_host_names_the_cluster(tmp_path: Path, arn: str, matters: bool) -> None:
    given = variables()
    assert cni.cni({**given, "hyperpod_cluster_definition": definition(arn)}).matters is matters
    file = tmp_path / "hp.json"
    file.write_text(json.dumps(definition(arn)))
    assert cni.cni({**given, "hyperpod_cluster_definition_file": str(file)}).matters is matters


def test_a_definition_that_the_playbook_cluster_refuses_is_no_evidence(tmp_path: Path) -> None:
    assert not cni.cni({**variables(), "hyperpod_cluster_definition_file": str(tmp_path / "none.json")}).matters


def test_the_default_that_a_new_cluster_would_get_is_refused() -> None:
    (text,) = refusals(addons=[{"name": "amazon-sagemaker-hyperpod-taskgovernance"}])
    assert f"missing; add vpc-cni with version {GOOD}, because the version would be {BAD}; add-on amazon-sagemaker" in text


def test_a_named_version_decides() -> None:
    assert refusals(cluster(), NODES, addons=[{"name": "vpc-cni", "version": GOOD}]) == []
    (text,) = refusals(cluster(), NODES, addons=[{"name": "vpc-cni", "version": BAD}])
    assert f"'vpc-cni {BAD}' is not allowed: access entry eks_access_entry-1 is for nodes of HyperPod" in text


def test_the_current_version_stays_without_an_upgrade() -> None:
    there = resource("eks_addon", "vpc-cni", version="v1.21.1-eksbuild.3", service_account_role_arn="")
    assert refusals(cluster(), NODES, there) == []
    (text,) = refusals(cluster(), NODES, there, version="1.35")
    assert f"the version would be {BAD}" in text


def test_the_add_on_of_a_cluster_of_someone_else_is_read() -> None:
    there = resource("eks_addon", "vpc-cni", ours=False, version=BAD, service_account_role_arn="")
    (text,) = refusals(cluster(ours=False), NODES, there)
    assert f"add vpc-cni with version {GOOD}" in text
    assert refusals(cluster(ours=False), NODES) == []
