# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Events of HyperPod in EventBridge."""

from __future__ import annotations

import datetime
import itertools
import re
import time
import typing as t

import pytest

NUMBERS = itertools.count()
STATE, EVENT, HEALTH = (f"SageMaker HyperPod Cluster {kind}" for kind in ("State Change", "Event", "Node Health Event"))
NO_METADATA = dict.fromkeys(("Cluster", "Instance", "InstanceGroup", "InstanceGroupScaling", "InstanceMonitor", "InstanceHealth"))


class Watched:
    """A cluster of records with a group of workers."""

    def __init__(self, account: t.Any, count: int = 2, **more: t.Any) -> None:
        self.account, self.control, self.sagemaker = account, account.control, account.sagemaker
        self.name, self.known = f"noticed-{next(NUMBERS)}", len(account.control.events())
        tags = [{"Key": "lab/hosts", "Value": "none"}]
        self.arn = account.cluster(self.name, account.group("workers", count), Tags=tags, **more)

    def events(self, kind: str) -> list[dict[str, t.Any]]:
        found = self.control.events()[self.known :]
        return [each for each in found if each["detail-type"] == kind and each["resources"] == [self.arn]]

    def states(self) -> list[tuple[str, str, int, int]]:
        """Status of the cluster, and status and counts of the group, of each state change."""
        details = [(each["detail"], each["detail"]["InstanceGroups"][0]) for each in self.events(STATE)]
        return [(each["ClusterStatus"], group["Status"], group["CurrentCount"], group["TargetCount"]) for each, group in details]

    def texts(self) -> list[str]:
        """Descriptions of the cluster's events, without IDs."""
        details = [each["detail"]["EventDetails"] for each in self.events(EVENT)]
        return [re.sub(r"i-\w{17}| in Cluster .*", "", each["Description"]) for each in details]

    def forget(self) -> None:
        self.known = len(self.control.events())

    def nodes(self) -> list[str]:
        return [row["instance_id"] for row in self.control.nodes(self.name)]

    def until(self, holds: t.Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < deadline, self.events(STATE)
            time.sleep(0.02)

    def settled(self) -> None:
        """Wait until the background work of the cluster has ended."""
        self.control.wait_running(self.name, 60)
        self.until(lambda: self.states()[-1] == ("InService", "InService", *self.states()[-1][3:] * 2))


def test_the_states_of_a_new_cluster(account):
    watched = Watched(account)
    watched.settled()
    states = watched.states()
    assert states[0] == ("Creating", "Creating", 0, 2) and states[-1] == ("InService", "InService", 2, 2)
    assert len(set(states)) == len(states), "each differs from the one before"


def test_the_form_of_a_state_change(account):
    watched = Watched(account)
    event = watched.events(STATE)[-1]
    created = account.sagemaker.describe_cluster(ClusterName=watched.name)["CreationTime"]
    detail = event.pop("detail")
    assert re.fullmatch(r"[0-9a-f-]{36}", event.pop("id")) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", event.pop("time"))
    expected = {"version": "0", "source": "aws.sagemaker", "account": "111111111111", "region": "us-west-2"}
    assert event == {**expected, "detail-type": STATE, "resources": [watched.arn]}
    assert (detail["ClusterArn"], detail["ClusterName"], detail["FailureMessage"]) == (watched.arn, watched.name, "")
    assert detail["NodeRecovery"] == "Automatic" and "Orchestrator" not in detail
    assert datetime.datetime.fromtimestamp(detail["CreationTime"] / 1000, datetime.timezone.utc) == created


def test_the_states_of_an_update(account):
    watched = Watched(account)
    watched.settled()
    watched.forget()
    account.sagemaker.update_cluster(ClusterName=watched.name, InstanceGroups=[account.group("workers", 3)])
    watched.until(lambda: watched.states()[-1:] == [("InService", "InService", 3, 3)])
    states = watched.states()
    assert states[0] == ("Updating", "Updating", 2, 3) and len(set(states)) == len(states)


def test_an_event_of_a_cluster_is_the_one_that_is_listed(account):
    watched = Watched(account)
    watched.settled()
    listed = account.sagemaker.list_cluster_events(ClusterName=watched.name, MaxResults=100)["Events"]
    sent = {each["detail"]["EventDetails"]["EventId"]: each for each in watched.events(EVENT)}
    assert len(listed) == len(sent) > 0 and {each["EventId"] for each in listed} == sent.keys()
    assert not sent.keys() & {each["id"] for each in sent.values()}
    for each in listed:
        detail = dict(sent[each["EventId"]]["detail"]["EventDetails"])
        assert detail.pop("EventTime") == int(each.pop("EventTime").timestamp() * 1000)
        assert detail.pop("EventDetails") == {"EventMetadata": NO_METADATA} and detail == each


def test_without_continuous_provisioning_there_are_only_states(account):
    watched = Watched(account)
    tags = [{"Key": "lab/hosts", "Value": "none"}]
    request = {"ClusterName": f"{watched.name}-other", "VpcConfig": account.network(), "Tags": tags}
    watched.arn = account.sagemaker.create_cluster(InstanceGroups=[account.group("workers", 1)], **request)["ClusterArn"]
    watched.until(lambda: ("InService", "InService", 1, 1) in watched.states())
    assert watched.events(EVENT) == []


def test_a_node_is_announced_before_it_runs(account):
    watched = Watched(account, count=1)
    kinds = [(each["detail-type"], each["detail"]) for each in account.control.events()[watched.known :] if each["resources"] == [watched.arn]]
    provisioned = next(place for place, (kind, detail) in enumerate(kinds) if kind == EVENT and "provisioned" in detail["EventDetails"]["Description"])
    running = next(place for place, (kind, detail) in enumerate(kinds) if kind == STATE and detail["InstanceGroups"][0]["CurrentCount"] == 1)
    assert provisioned < running


def test_a_failure_is_announced_twice_in_different_words(account):
    watched = Watched(account)
    watched.settled()
    watched.forget()
    account.control.settings(insufficient_capacity={"workers": 1})
    account.sagemaker.batch_add_cluster_nodes(ClusterName=watched.name, NodesToAdd=[{"InstanceGroupName": "workers", "IncrementTargetCountBy": 1}])
    watched.until(lambda: len(watched.events(EVENT)) == 3)
    details = [each["detail"]["EventDetails"] for each in watched.events(EVENT)]
    assert [(each["EventLevel"], each["ResourceType"]) for each in details] == [("Error", "Instance")] * 2 + [("Warn", "InstanceGroup")]
    assert details[0]["Description"] != details[1]["Description"] and "InstanceId" not in details[0]


@pytest.mark.parametrize("how", ["call", "recovery"])
def test_a_replacement_is_announced_at_its_beginning_and_its_end(account, how):
    watched = Watched(account)
    watched.settled()
    watched.forget()
    (old, _other) = watched.nodes()
    account.control.reset_calls()
    with account.held():
        if how == "call":
            account.sagemaker.batch_replace_cluster_nodes(ClusterName=watched.name, NodeIds=[old])
        else:
            account.control.health(old, action="Replace", reason="A GPU fell off the bus.")
        watched.until(lambda: watched.states() == [("InService", "InService", 1, 2)])
    watched.until(lambda: watched.states()[-1] == ("InService", "InService", 2, 2))
    watched.until(lambda: len(watched.texts()) == 4)
    assert watched.texts() == [
        "Termination of EC2 Instance  is currently in progress",
        "Instance  is starting as part of instance replacement",
        "EC2 Instance  successfully provisioned",
        "Instance  Creation completed successfully as part of instance replacement",
    ]
    new = next(each for each in watched.nodes() if each not in (old, _other))
    assert [each["detail"]["EventDetails"]["InstanceId"] for each in watched.events(EVENT)] == [old, new, new, new]
    calls = [call["operation"] for call in account.control.calls(mutating=True)]
    assert calls == (["BatchReplaceClusterNodes"] if how == "call" else [])


def test_a_change_is_sent_at_once_although_earlier_work_goes_on(account):
    watched = Watched(account)
    watched.settled()
    watched.forget()
    with account.held():
        for count, node in enumerate(reversed(watched.nodes())):
            account.sagemaker.batch_replace_cluster_nodes(ClusterName=watched.name, NodeIds=[node])
            watched.until(lambda count=count: watched.states()[-1:] == [("InService", "InService", 1 - count, 2)])
    watched.until(lambda: watched.states()[-1] == ("InService", "InService", 2, 2))


def test_the_health_of_a_node_that_hyperpod_reboots(account):
    watched = Watched(account)
    watched.settled()
    watched.forget()
    (node, _other) = watched.nodes()
    account.control.health(node, action="Reboot", reason="The driver hangs.")
    watched.until(lambda: len(watched.events(HEALTH)) == 2)
    unhealthy, healthy = (each["detail"] for each in watched.events(HEALTH))
    assert (unhealthy["ClusterArn"], unhealthy["InstanceId"], unhealthy["Tags"]) == (watched.arn, node, {})
    summary = unhealthy["HealthSummary"]
    assert (summary["HealthStatus"], summary["RepairAction"], summary["HealthStatusReason"]) == ("Unhealthy", "Reboot", "The driver hangs.")
    assert healthy["InstanceId"] == node and healthy["HealthSummary"]["HealthStatus"] == "Healthy"
    assert node in watched.nodes()


def test_without_automatic_recovery_a_node_is_only_reported(account):
    watched = Watched(account, NodeRecovery="None")
    watched.settled()
    watched.forget()
    (node, _other) = watched.nodes()
    account.control.health(node, action="Replace")
    (event,) = watched.events(HEALTH)
    assert event["detail"]["HealthSummary"]["RepairAction"] == "None"
    assert watched.states() == [] and node in watched.nodes()
    account.control.settings(node_health_events=False)
    account.control.health(node, action="Replace")
    assert len(watched.events(HEALTH)) == 1


def test_a_failed_deep_health_check_is_reported(account):
    watched = Watched(account)
    watched.settled()
    watched.forget()
    (node, _other) = watched.nodes()
    account.control.faults({"kind": "partial", "operation": "StartClusterHealthCheck", "nodes": [node]})
    checks = [{"InstanceGroupName": "workers", "InstanceIds": [node], "DeepHealthChecks": ["InstanceStress"]}]
    account.sagemaker.start_cluster_health_check(ClusterName=watched.name, DeepHealthCheckConfigurations=checks)
    watched.until(lambda: len(watched.events(HEALTH)) == 1)
    summary = watched.events(HEALTH)[0]["detail"]["HealthSummary"]
    assert (summary["HealthStatus"], summary["RepairAction"]) == ("Unhealthy", "Replace")
