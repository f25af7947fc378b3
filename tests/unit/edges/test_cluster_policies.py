# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook cluster under the documented policies: with one action missing, and under the read-only policy."""

from __future__ import annotations

import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import iam_roles
from lab.aws import permissions
from simulated import Simulated, simulated_aws
from simulated.cluster_documents import BOUNDARY, CONTROLLER, LOGIN, WORKERS, document, eks, group, without_slurm_config
from simulated.definitions import Definitions

DENIED = ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation")
READ = {
    *("ListServiceQuotas", "GetProducts", "ListRolePolicies", "ListAttachedRolePolicies"),
    *("GET /clusters/inspected", "DescribeVpcEndpoints", "HEAD /sagemaker-code/created/src/on_create.sh"),
}
Policies = t.Callable[[list[t.Any]], object]


@pytest.fixture(scope="module")
def aws(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[Simulated]:
    with simulated_aws(tmp_path_factory.mktemp("aws")) as found:
        found.control("settings", {"service_quotas": {"ml.m5.large for cluster usage": 20}})
        yield found


@pytest.fixture
def policies(aws: Simulated) -> t.Iterator[Policies]:
    """Sets the policies that the API enforces."""
    yield lambda documents: aws.control("settings", {"policies": documents})
    aws.control("settings", {"policies": permissions.documented()})


def role_of_nodes(aws: Simulated, name: str) -> None:
    """Create the role as the playbook does, but without its inline policy."""
    iam, trust = aws.client("iam"), json.dumps(iam_roles.trust("sagemaker.amazonaws.com", "111111111111"))
    tags = [{"Key": "mlfleet.hyperpod/component", "Value": "execution-role"}]
    attributes = {"Description": "Nodes of SageMaker HyperPod", "PermissionsBoundary": BOUNDARY, "Tags": tags}
    iam.create_role(RoleName=name, AssumeRolePolicyDocument=trust, **attributes)
    iam.attach_role_policy(RoleName=name, PolicyArn="arn:aws:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy")


@pytest.mark.slow
def test_a_missing_action_for_the_nodes_role_is_named(tmp_path: Path, aws: Simulated, policies: Policies) -> None:
    controller = Definitions(tmp_path, aws)
    controller.define(less=without_slurm_config(controller, tmp_path, "less"))
    policies(permissions.without("execution-role", "iam:AttachRolePolicy"))
    refused = controller.run()
    assert refused.rc == 2 and "CreateCluster" not in refused.calls, refused.output
    role = "arn:aws:iam::111111111111:role/hyperpod-nodes-less"
    assert f"is not authorized to perform: iam:AttachRolePolicy on resource: {role}" in " ".join(refused.output.split()), refused.output


@pytest.mark.slow
def test_a_read_only_role_can_predict_clusters_with_roles_scripts_quotas_and_prices(
    tmp_path: Path, aws: Simulated, policies: Policies
) -> None:
    controller = Definitions(tmp_path, aws)
    network = controller.network()
    aws.client("sagemaker").create_cluster(**document("grows", network, CONTROLLER, LOGIN))
    on_eks = {"Eks": {"ClusterArn": eks(aws, "inspected", network, "API")}}
    controller.define(
        grows={"hyperpod_cluster_definition": document("grows", network, CONTROLLER, LOGIN, WORKERS)},
        created=without_slurm_config(controller, tmp_path, "created"),
        inspects={"hyperpod_cluster_definition": document("inspects", network, group("workers", 1), Orchestrator=on_eks)},
    )
    role_of_nodes(aws, "hyperpod-nodes-created")
    aws.client("s3").put_object(Bucket="sagemaker-code", Key="created/src/on_create.sh", Body=b"another")
    policies(permissions.documented("read-only"))
    foreseen = controller.run("--check", "--diff")
    assert foreseen.rc == 0 and foreseen.changes == [], foreseen.output
    assert foreseen.output.count("Price of the new nodes") == 3, foreseen.output
    assert [call for call in aws.control("calls") if call["error"] in DENIED] == []
    assert sorted(READ - set(foreseen.calls)) == []


@pytest.mark.slow
def test_a_read_only_role_can_predict_a_removal_and_what_blocks_it(tmp_path: Path, aws: Simulated, policies: Policies) -> None:
    controller = Definitions(tmp_path, aws)
    network = controller.network()
    definition = document("removed", network, group("workers", 1), Orchestrator={"Eks": {"ClusterArn": eks(aws, "holds", network, "API")}})
    arn = aws.client("sagemaker").create_cluster(**definition)["ClusterArn"]
    controller.define(removed={"hyperpod_cluster_definition": definition})
    policies(permissions.documented("read-only"))
    foreseen = controller.run("--check", hyperpod_cluster_remove=arn)
    assert foreseen.rc == 0 and foreseen.changes == [] and "ListComputeQuotas" in foreseen.calls, foreseen.output
    refused = controller.run(hyperpod_cluster_remove=arn)
    assert refused.rc == 2 and "DeleteCluster" not in refused.calls, refused.output
    assert "is not authorized to perform: ssm:PutParameter" in " ".join(refused.output.split()), refused.output
