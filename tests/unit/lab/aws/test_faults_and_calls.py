# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The log of calls, and every kind of injected fault as boto3 sees it."""

from __future__ import annotations

import threading
import time
import typing as t

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, EndpointConnectionError, ReadTimeoutError
from lab.aws.faults import Faults
from lab.aws.request import Call


@pytest.fixture(scope="module")
def ml(account: t.Any) -> str:
    return account.cluster("ml")


def failure(call: t.Callable[..., t.Any], **arguments: t.Any) -> str:
    """The error code of a failing call, or the name of its exception."""
    try:
        call(**arguments)
    except ClientError as error:
        return error.response["Error"]["Code"]
    except Exception as error:
        return type(error).__name__
    return ""


@pytest.mark.parametrize(
    "service, operation, kind, expected",
    [
        ("sagemaker", "list_clusters", "throttle", "ThrottlingException"),
        ("sagemaker", "list_clusters", "error500", "InternalServerError"),
        ("sagemaker", "list_clusters", "deny", "AccessDeniedException"),
        ("sagemaker", "list_clusters", "refuse", "ConnectionClosedError"),
        ("secretsmanager", "list_secrets", "deny", "AccessDeniedException"),
        ("ssm", "describe_parameters", "throttle", "ThrottlingException"),
        ("ec2", "describe_vpcs", "throttle", "RequestLimitExceeded"),
        ("ec2", "describe_vpcs", "error500", "InternalError"),
        ("ec2", "describe_vpcs", "deny", "UnauthorizedOperation"),
        ("elbv2", "describe_load_balancers", "throttle", "Throttling"),
        ("elbv2", "describe_load_balancers", "deny", "AccessDenied"),
        ("sts", "get_caller_identity", "error500", "InternalFailure"),
    ],
)
def test_errors_have_the_codes_of_the_service(account, service, operation, kind, expected):
    call = getattr(account.client(service), operation)
    account.control.faults({"service": service, "kind": kind, "times": 1})
    assert [failure(call), failure(call)] == [expected, ""]


def test_a_rule_leaves_other_services_alone(account):
    account.control.faults({"besides": ["ssm"], "kind": "throttle"})
    assert failure(account.client("ssm").describe_parameters) == ""
    assert failure(account.client("sagemaker").list_clusters) == "ThrottlingException"


def test_retries_of_boto3_survive_throttling(account):
    account.control.faults({"service": "sagemaker", "kind": "throttle", "times": 2})
    assert failure(account.client("sagemaker", attempts=4).list_clusters) == ""


@pytest.mark.parametrize("other", [{"account": "222222222222"}, {"region": "eu-west-1"}, {"operation": "ListClusters"}])
def test_rules_select_calls(account, ml, other):
    account.control.faults({"service": "sagemaker", "kind": "deny", **other})
    assert failure(account.sagemaker.describe_cluster, ClusterName="ml") == ""


def test_where_selects_parameters(account, ml):
    rule = {"operation": "DescribeCluster", "kind": "error", "code": "ResourceNotFound"}
    account.control.faults({**rule, "where": {"ClusterName": "ml"}})
    assert failure(account.sagemaker.describe_cluster, ClusterName="ml") == "ResourceNotFound"
    assert failure(account.sagemaker.describe_cluster, ClusterName=ml) == ""


def test_after_and_seeded_probability(account):
    account.control.faults({"operation": "ListClusters", "kind": "deny", "after": 2, "times": 1})
    assert [failure(account.sagemaker.list_clusters) for _turn in range(4)] == ["", "", "AccessDeniedException", ""]
    runs = []
    for _turn in range(2):
        account.control.clear_faults()
        account.control.faults({"operation": "ListClusters", "kind": "deny", "probability": 0.5, "seed": 7})
        runs.append([bool(failure(account.sagemaker.list_clusters)) for _turn in range(12)])
    assert runs[0] == runs[1] and 0 < sum(runs[0]) < 12


def test_a_page_fails(account, ml):
    account.control.faults({"operation": "ListClusterNodes", "kind": "fail_page", "page": 2, "times": 1})
    first = account.sagemaker.list_cluster_nodes(ClusterName="ml", MaxResults=2)
    second = {"ClusterName": "ml", "MaxResults": 2, "NextToken": first["NextToken"]}
    assert failure(account.sagemaker.list_cluster_nodes, **second) == "InternalServerError"
    assert failure(account.sagemaker.list_cluster_nodes, **second) == ""


def test_a_lost_reply_took_effect(account, ml):
    account.control.faults({"operation": "AddTags", "kind": "cut_after", "times": 1})
    with pytest.raises(ConnectionClosedError):
        account.sagemaker.add_tags(ResourceArn=ml, Tags=[{"Key": "lost", "Value": "1"}])
    assert {"Key": "lost", "Value": "1"} in account.sagemaker.list_tags(ResourceArn=ml)["Tags"]
    assert account.control.calls(operation="AddTags")[-1]["status"] == "cut"


def test_the_nth_mutating_reply_is_held(account, ml):
    account.control.faults({"kind": "hold", "nth": 2})
    done: list[str] = []

    def change() -> None:
        client = account.client("sagemaker")
        for name in ("first", "second"):
            client.add_tags(ResourceArn=ml, Tags=[{"Key": name, "Value": "1"}])
            done.append(name)

    thread = threading.Thread(target=change)
    thread.start()
    held = account.control.wait_held(seconds=60)
    assert (done, held[0]["operation"]) == (["first"], "AddTags")
    assert account.control.calls(operation="AddTags")[-1]["status"] is None
    assert {"Key": "second", "Value": "1"} in account.sagemaker.list_tags(ResourceArn=ml)["Tags"]
    account.control.release()
    thread.join(10)
    assert (done, account.control.held()) == (["first", "second"], [])


def test_states_last_a_number_of_polls(account, ml):
    account.control.faults({"operation": "UpdateCluster", "kind": "polls", "polls": 3, "times": 1})
    account.sagemaker.update_cluster(ClusterName="ml", NodeRecovery="None")
    deadline = time.monotonic() + 60
    while account.sagemaker.list_cluster_operations(ClusterName="ml")["ClusterOperationSummaries"][0]["Status"] != "Done":
        assert time.monotonic() < deadline
        time.sleep(0.02)
    seen = [account.sagemaker.describe_cluster(ClusterName="ml")["ClusterStatus"] for _turn in range(4)]
    assert seen == ["Updating", "Updating", "Updating", "InService"]


def test_batches_fail_in_part(account, ml):
    ids = [row["instance_id"] for row in account.control.nodes("ml", "login-group")][:2]
    account.control.faults({"operation": "BatchRebootClusterNodes", "kind": "partial", "nodes": ids[:1]})
    answer = account.sagemaker.batch_reboot_cluster_nodes(ClusterName="ml", NodeIds=ids)
    assert answer["Successful"] == ids[1:]
    assert [(entry["NodeId"], entry["ErrorCode"]) for entry in answer["Failed"]] == [(ids[0], "InternalServerError")]
    account.control.wait_running("ml", 60)


def test_an_account_hangs_until_the_rules_are_removed(account):
    other = type(account)(account.url, "222222222222")
    account.control.faults({"account": "222222222222", "kind": "hang"})
    with pytest.raises(ReadTimeoutError):
        other.client("sagemaker", read_timeout=0.5).list_clusters()
    assert failure(account.sagemaker.list_clusters) == ""
    account.control.clear_faults()
    assert failure(other.sagemaker.list_clusters) == ""


@pytest.mark.parametrize("rule", [{"kind": "nonsense"}, {"kind": "deny", "operatoin": "X"}])
def test_a_wrong_rule_is_refused(account, rule):
    with pytest.raises(Exception, match="nonsense|operatoin"):
        account.control.faults(rule)
    assert account.control.faults() == []


def test_the_log_separates_reads_from_writes(account, ml):
    since = account.control.last_sequence()
    account.sagemaker.describe_cluster(ClusterName="ml")
    account.sagemaker.add_tags(ResourceArn=ml, Tags=[{"Key": "k", "Value": "v"}])
    failure(account.ec2.create_vpc, CidrBlock="10.9.0.0/16", DryRun=True)
    account.client("secretsmanager").create_secret(Name="logged", SecretString="in plain text")
    target = account.control.nodes("ml")[0]["ssm_target"]
    account.client("ssm").start_session(Target=target)
    seen = account.control.calls(since)
    assert [(one["service"], one["operation"], one["kind"], one["mutating"]) for one in seen] == [
        ("sagemaker", "DescribeCluster", "read", False),
        ("sagemaker", "AddTags", "write", True),
        ("ec2", "CreateVpc", "read", False),
        ("secretsmanager", "CreateSecret", "write", True),
        ("ssm", "StartSession", "session", False),
    ]
    assert {(one["account"], one["region"]) for one in seen} == {("111111111111", "us-west-2")}
    assert seen[0]["arguments"] == {"ClusterName": "ml"}
    assert "in plain text" not in str(seen)
    account.control.reset_calls()
    assert account.control.calls() == []


def test_an_unreachable_server_is_not_logged_as_a_problem(account):
    nowhere = type(account)("http://127.0.0.1:1")
    with pytest.raises(EndpointConnectionError):
        nowhere.sagemaker.list_clusters()


def test_released_calls_are_not_listed_as_held():
    """Even before their threads wake up: a test that kills the next run at its held call must not see those of the last run."""
    faults = Faults()
    calls = [Call("1", "us-west-2", "ssm", "PutParameter", "json", sequence=number) for number in range(50)]
    threads = [threading.Thread(target=faults.hold, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    while len(faults.held()) < len(calls):
        time.sleep(0.01)
    faults.release()
    assert faults.held() == []
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
