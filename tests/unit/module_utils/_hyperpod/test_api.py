# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import datetime

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.account import check_account, check_region
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api, AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import HyperPod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
GROUPS = [{"InstanceGroupName": "login", "SlurmConfig": {"NodeType": "Login"}}, {"InstanceGroupName": "login-gpu"}]
CLUSTER = Cluster.from_api({"ClusterArn": ARN, "ClusterName": "ml", "InstanceGroups": GROUPS})


def summary(number, group="login"):
    return {
        "InstanceGroupName": group,
        "InstanceId": f"i-{number:017x}",
        "InstanceType": "ml.m5.large",
        "LaunchTime": datetime.datetime(2026, 11, 21, tzinfo=datetime.timezone.utc),
        "InstanceStatus": {"Status": "Running"},
    }


def answer_detail(stubber, number, **fields):
    stubber.add_response(
        "describe_cluster_node",
        {"NodeDetails": {**summary(number), **fields}},
        {"ClusterName": ARN, "NodeId": f"i-{number:017x}"},
    )


@pytest.mark.parametrize("code", ["ResourceNotFound", "ResourceNotFoundException"])
def test_a_missing_cluster_is_none(stubbed, code):
    client, stubber = stubbed("sagemaker")
    stubber.add_client_error("describe_cluster", code)
    assert HyperPod(client).describe("ml") is None


@pytest.mark.parametrize("code", ["AccessDeniedException", "ThrottlingException", "ValidationException"])
def test_denied_access_does_not_mean_a_missing_cluster(stubbed, code):
    client, stubber = stubbed("sagemaker")
    stubber.add_client_error("describe_cluster", code, http_status_code=400)
    with pytest.raises(AwsError, match="DescribeCluster for cluster ml failed") as raised:
        HyperPod(client).describe("ml")
    assert raised.value.code == code


def test_a_missing_cluster_is_refused_if_it_is_required(stubbed):
    client, stubber = stubbed("sagemaker")
    stubber.add_client_error("describe_cluster", "ResourceNotFound")
    with pytest.raises(Refused, match=f"Cluster {ARN} does not exist in Region us-west-2"):
        HyperPod(client).require_cluster(ARN)


def test_a_cluster_name_instead_of_an_arn_is_refused(stubbed):
    client, _stubber = stubbed("sagemaker")
    with pytest.raises(Refused, match="cluster_arn: 'ml' is not allowed"):
        HyperPod(client).require_cluster("ml")


def test_nodes_are_read_from_all_pages(stubbed):
    client, stubber = stubbed("sagemaker")
    for page in range(3):
        nodes = [summary(number) for number in range(page * 100, min(page * 100 + 100, 250))]
        request = {"ClusterName": ARN, "MaxResults": 100}
        if page:
            request["NextToken"] = f"page{page}"
        answer = {"ClusterNodeSummaries": nodes, **({"NextToken": f"page{page + 1}"} if page < 2 else {})}
        stubber.add_response("list_cluster_nodes", answer, request)
    nodes = HyperPod(client).nodes(CLUSTER)
    assert len({node.instance_id for node in nodes}) == 250
    assert {node.node_type for node in nodes} == {"login"}


def test_a_listing_that_fails_half_way_is_an_error(stubbed):
    client, stubber = stubbed("sagemaker")
    stubber.add_response("list_cluster_nodes", {"ClusterNodeSummaries": [summary(1)], "NextToken": "more"})
    stubber.add_client_error("list_cluster_nodes", "InternalFailure", http_status_code=500)
    with pytest.raises(AwsError, match="ListClusterNodes for cluster ml failed"):
        HyperPod(client).nodes(CLUSTER)


def test_a_listing_that_does_not_end_is_an_error(stubbed):
    client, stubber = stubbed("sagemaker")
    for _page in range(2):
        stubber.add_response("list_cluster_nodes", {"ClusterNodeSummaries": [summary(1)], "NextToken": "same"})
    with pytest.raises(AwsError, match="same next token"):
        HyperPod(client).nodes(CLUSTER)


def test_group_is_compared_exactly(stubbed):
    client, stubber = stubbed("sagemaker")
    stubber.add_response(
        "list_cluster_nodes",
        {"ClusterNodeSummaries": [summary(1), summary(2, "login-gpu")]},
        {"ClusterName": ARN, "MaxResults": 100, "InstanceGroupNameContains": "login"},
    )
    assert [node.group for node in HyperPod(client).nodes(CLUSTER, group="login")] == ["login"]


def test_only_the_wanted_nodes_get_addresses(stubbed):
    client, stubber = stubbed("sagemaker")
    stubber.add_response("list_cluster_nodes", {"ClusterNodeSummaries": [summary(1), summary(2, "login-gpu")]})
    answer_detail(stubber, 1, PrivatePrimaryIp="10.1.1.11", Placement={"AvailabilityZone": "us-west-2a"}, CurrentImageId="ami-00000001")
    api = HyperPod(client)
    nodes = api.with_addresses(CLUSTER, api.nodes(CLUSTER), wanted=lambda node: node.node_type == "login")
    assert [(node.ip, node.az, node.image_id) for node in nodes] == [("10.1.1.11", "us-west-2a", "ami-00000001"), (None, None, "")]


def test_a_node_deleted_meanwhile_has_no_details(stubbed):
    client, stubber = stubbed("sagemaker")
    stubber.add_client_error("describe_cluster_node", "ResourceNotFound")
    assert HyperPod(client).details(CLUSTER, ["i-00000000000000001"], threads=1) == {}


def test_details_that_fail_are_an_error(stubbed):
    client, stubber = stubbed("sagemaker")
    answer_detail(stubber, 1)
    stubber.add_client_error("describe_cluster_node", "AccessDeniedException")
    ids = ["i-00000000000000001", "i-00000000000000002"]
    with pytest.raises(AwsError, match="node i-00000000000000002 of cluster ml"):
        HyperPod(client).details(CLUSTER, ids, threads=1)


def test_tags_are_read_from_all_pages(stubbed):
    client, stubber = stubbed("sagemaker")
    stubber.add_response("list_tags", {"Tags": [{"Key": "a", "Value": "1"}], "NextToken": "more"})
    stubber.add_response("list_tags", {"Tags": [{"Key": "b", "Value": "2"}]})
    assert HyperPod(client).tags(ARN) == {"a": "1", "b": "2"}


def test_fields_that_an_old_botocore_drops_are_named(stubbed):
    client, _stubber = stubbed("sagemaker")
    api = HyperPod(client)
    assert api.unknown_fields() == []
    details = client.meta.service_model.operation_model("DescribeClusterNode").output_shape.members["NodeDetails"]
    del details.members["PrivatePrimaryIp"]
    assert api.unknown_fields() == [
        "botocore is too old to return DescribeClusterNode.NodeDetails.PrivatePrimaryIp, so the addresses of nodes are unknown."
    ]


def caller(stubber, account):
    arn = f"arn:aws:iam::{account}:user/ops"
    stubber.add_response("get_caller_identity", {"Account": account, "Arn": arn, "UserId": "AIDAEXAMPLE"})


@pytest.mark.parametrize("expected", [ARN, "111111111111"])
def test_the_expected_account_passes(stubbed, expected):
    client, stubber = stubbed("sts")
    caller(stubber, "111111111111")
    assert check_account(Api(client), expected) == "111111111111"


@pytest.mark.parametrize(("profile", "source"), [("other", "profile other"), (None, "the default credential chain")])
@pytest.mark.parametrize("expected", [ARN, "111111111111"])
def test_the_refusal_of_another_account_names_both(stubbed, expected, profile, source):
    client, stubber = stubbed("sts")
    caller(stubber, "222222222222")
    with pytest.raises(Refused, match=f"{source} belong to account 222222222222, but .* 111111111111.* Nothing was"):
        check_account(Api(client), expected, profile=profile)


def test_an_invalid_account_number_is_refused_without_a_call(stubbed):
    client, _stubber = stubbed("sts")
    with pytest.raises(Refused, match="expected_account: '12' is not allowed"):
        check_account(Api(client), "12")


def test_another_region_is_refused():
    arn = ClusterArn.parse(ARN)
    check_region(arn, "us-west-2")
    with pytest.raises(Refused, match="region: 'us-east-1' is not allowed: cluster .* is in us-west-2. Allowed: us-west-2."):
        check_region(arn, "us-east-1")
