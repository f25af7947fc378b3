# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole playbook events, on a simulated AWS, for Slurm and EKS clusters in two Regions of an account."""

from __future__ import annotations

import json
import runpy
import time
import typing as t
from pathlib import Path

import boto3
import pytest
import reported
import yaml
from ansible.release import __version__
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.model import Cluster
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.discovery import Found
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._inventory.hosts import hosts_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events.places import PATTERN
from lab.aws import permissions
from simulated import Simulated, simulated_aws
from simulated.controller import ansible
from simulated.limits import ACCESS, inventory

OLDEST = __version__.startswith("2.19.")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(OLDEST, reason="only modules and views are tested on both versions; whole playbooks take long")]
ACCOUNT, NAME = "111111111111", "mlfleet-hyperpod-events"
WEST, EAST = "us-west-2", "us-east-1"
CLUSTERS = {"a": (WEST, "slurm"), "b": (WEST, "eks"), "c": (EAST, "slurm")}
LISTENER = "arn:aws:iam::222222222222:role/rulebook"
FILTER = runpy.run_path(str(Path(__file__).resolve().parents[3] / "extensions/eda/plugins/event_filter/cluster_event.py"))["main"]
CREATED = ["CreateQueue", "CreateQueue", "PutRule", "PutTargets"]


class Run(t.NamedTuple):
    rc: int
    output: str
    changes: list[str]
    clusters: dict[str, t.Any]


class World:
    def __init__(self, folder: Path, aws: Simulated) -> None:
        self.folder, self.aws = folder, aws
        (folder / "home").mkdir()
        self.rulebook = folder / "rulebook.yml"
        aws.control("settings", {"policies": permissions.documented("events")})
        hosts: dict[str, t.Any] = {}
        for key, (region, orchestrator) in CLUSTERS.items():
            arn = f"arn:aws:sagemaker:{region}:{ACCOUNT}:cluster/{key:0<12}"
            about = (region, ACCOUNT, "aws", "InService", orchestrator)
            hosts |= hosts_of(Found(Cluster(key, arn, arn[-12:], *about), (), None, "ssm", key, None), ACCESS)
        self.source = inventory(hosts)

    def run(self, *arguments: str, **variables: t.Any) -> Run:
        self.aws.control("reset-calls", {})
        path, report = self.folder / "inventory.yml", self.folder / "home/.mlfleet/hyperpod/report.json"
        path.write_text(yaml.safe_dump(self.source))
        report.unlink(missing_ok=True)
        done = ansible(
            "playbook",
            *("-i", str(path), "mlfleet.hyperpod.events", "-e", json.dumps(variables), *arguments),
            home=self.folder / "home",
            temporary=self.folder / "tmp",
            limit=300,
            AWS_ACCESS_KEY_ID="AKIAEXAMPLE",
            AWS_SECRET_ACCESS_KEY="example",
            AWS_ENDPOINT_URL=self.aws.url,
        )
        found = json.loads(report.read_text()) if report.exists() else {"clusters": {}}
        clusters = {key: reported.cluster(found, key) for key in found["clusters"]}
        assert self.aws.problems() == []
        return Run(done.returncode, " ".join((done.stdout + done.stderr).split()), self.aws.changes(), clusters)

    def client(self, service: str, region: str) -> t.Any:
        keys = {"aws_access_key_id": "AKIAADMINEXAMPLE", "aws_secret_access_key": "example"}
        return boto3.client(service, region_name=region, endpoint_url=self.aws.url, **keys)

    def queue(self, region: str, name: str = NAME) -> dict[str, t.Any]:
        sqs = self.client("sqs", region)
        return dict(sqs.get_queue_attributes(QueueUrl=sqs.get_queue_url(QueueName=name)["QueueUrl"], AttributeNames=["All"])["Attributes"])

    def queues(self) -> list[str]:
        urls = [url for region in (WEST, EAST) for url in self.client("sqs", region).list_queues().get("QueueUrls", ())]
        return sorted(url.rpartition("/")[2] for url in urls)

    def rules(self) -> list[str]:
        return [rule["Arn"].split(":")[3] for region in (WEST, EAST) for rule in self.client("events", region).list_rules()["Rules"]]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> t.Iterator[World]:
    folder = tmp_path_factory.mktemp("events")
    with simulated_aws(folder) as aws:
        yield World(folder, aws)


def statuses(run: Run) -> dict[str, str]:
    return {key: found["status"] for key, found in run.clusters.items()}


def test_invalid_variables_are_refused_before_any_request(world: World) -> None:
    for wrong, message in (
        ({"events_queue_name": "a.b"}, "events_queue_name: a.b is not allowed"),
        ({"events_listeners": ["*"]}, "events_listeners: * is not allowed"),
        ({"events_rulebook": "rulebook.yml", "events_run": "playbook"}, "events_rulebook: rulebook.yml is not allowed"),
        ({"events_rulebook": "/tmp/x.yml"}, "events_awx_organization: missing"),
        ({"events_state": "absent"}, "events_confirm: missing. Name each cluster of this run"),
        ({"events_state": "absent", "events_confirm": "a", "hyperpod_only": "a"}, "hyperpod_only: a is not allowed: clusters of an account and Region"),
        ({"events_rulebook": "/tmp/x.yml", "events_run": "playbook", "hyperpod_only": "a"}, "this run leaves out account 111111111111, Region us-east-1 (c)"),
    ):
        refused = world.run(**wrong)
        assert refused.rc == 2 and message in refused.output, refused.output
        assert world.aws.calls() == []


def test_check_mode_predicts_all_changes(world: World) -> None:
    would = world.run("--check", "--diff", events_rulebook=str(world.rulebook), events_run="playbook")
    assert (would.rc, would.changes) == (0, []), would.output
    for line in (f"+queue {NAME}-dead = ", f"+queue {NAME} = ", f"+event rule {NAME} = ", f"+event rule {NAME}: target = ", "amazon.aws.aws_sqs_queue"):
        assert line in would.output, would.output
    assert not world.rulebook.exists() and world.queues() == []


def test_each_region_gets_one_rule_and_two_queues(world: World) -> None:
    done = world.run(events_listeners=[LISTENER], events_rulebook=str(world.rulebook), events_run="playbook", events_tags={"team": "ml"})
    assert done.rc == 0 and sorted(done.changes) == sorted(CREATED * 2), done.output
    assert statuses(done) == {"a": "changed", "b": "skipped", "c": "changed"}
    assert "All clusters of account 111111111111, Region us-west-2 share one queue" in done.output
    assert world.queues() == [NAME, NAME, f"{NAME}-dead", f"{NAME}-dead"] and world.rules() == [WEST, EAST]
    for region in (WEST, EAST):
        queue, dead = world.queue(region), world.queue(region, f"{NAME}-dead")
        sending, receiving = json.loads(queue["Policy"])["Statement"]
        rule = f"arn:aws:events:{region}:{ACCOUNT}:rule/{NAME}"
        assert sending["Condition"] == {"ArnEquals": {"aws:SourceArn": rule}} and receiving["Principal"] == {"AWS": [LISTENER]}
        assert json.loads(queue["RedrivePolicy"]) == {"deadLetterTargetArn": dead["QueueArn"], "maxReceiveCount": 3}
        assert (queue["SqsManagedSseEnabled"], dead["SqsManagedSseEnabled"]) == ("true", "true")
        (target,) = world.client("events", region).list_targets_by_rule(Rule=NAME)["Targets"]
        assert (target["Arn"], target["DeadLetterConfig"]) == (queue["QueueArn"], {"Arn": dead["QueueArn"]})
    (ruleset,) = yaml.safe_load(world.rulebook.read_text())
    assert [each.get("amazon.aws.aws_sqs_queue", {}).get("region") for each in ruleset["sources"]] == [EAST, WEST, None]
    assert ruleset["rules"][0]["action"]["run_playbook"]["name"] == "reconcile.yml"


def test_the_next_run_changes_nothing(world: World) -> None:
    again = world.run(events_listeners=[LISTENER], events_rulebook=str(world.rulebook), events_run="playbook", events_tags={"team": "ml"})
    assert (again.rc, again.changes) == (0, []), again.output
    assert statuses(again) == {"a": "unchanged", "b": "skipped", "c": "unchanged"}


def test_events_of_a_cluster_reach_the_queue_and_pass_the_filter(world: World) -> None:
    sqs, sagemaker = world.client("sqs", WEST), world.client("sagemaker", WEST)
    group = {
        "InstanceGroupName": "workers",
        "InstanceType": "ml.m5.large",
        "InstanceCount": 1,
        "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/hyperpod-nodes",
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x", "OnCreate": "on_create.sh"},
    }
    tags = [{"Key": "lab/hosts", "Value": "none"}]
    arn = sagemaker.create_cluster(ClusterName="new", InstanceGroups=[group], NodeProvisioningMode="Continuous", Tags=tags)["ClusterArn"]
    url = sqs.get_queue_url(QueueName=NAME)["QueueUrl"]
    kinds: set[str] = set()
    deadline = time.monotonic() + 60
    while len(kinds) < 2:
        assert time.monotonic() < deadline, kinds
        for each in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, WaitTimeSeconds=1).get("Messages", ()):
            body = json.loads(each["Body"])
            assert FILTER({"body": body}, account=ACCOUNT, region=WEST, clusters={arn: "new"}).get("cluster") == "new", body
            assert set(FILTER({"body": body}, account=ACCOUNT, region=EAST, clusters={arn: "new"})) == {"refused"}
            kinds.add(body["detail-type"])
            sqs.delete_message(QueueUrl=url, ReceiptHandle=each["ReceiptHandle"])
    assert kinds <= set(PATTERN["detail-type"]) and int(world.queue(WEST, f"{NAME}-dead")["ApproximateNumberOfMessages"]) == 0


def test_a_change_by_another_person_is_shown_and_undone(world: World) -> None:
    world.client("events", EAST).disable_rule(Name=NAME)
    options = {"events_listeners": [LISTENER], "hyperpod_only": "c"}
    would = world.run("--check", "--diff", **options)
    assert would.changes == [] and f"-event rule {NAME}: enabled = False" in would.output, would.output
    done = world.run(**options)
    assert (done.rc, done.changes, statuses(done)) == (0, ["PutRule"], {"c": "changed"}), done.output


def test_events_that_wait_or_failed_are_reported(world: World) -> None:
    sqs = world.client("sqs", WEST)
    url = sqs.get_queue_url(QueueName=f"{NAME}-dead")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="{}")
    found = world.run(events_listeners=[LISTENER])
    assert (found.rc, found.changes, statuses(found)) == (0, [], {"a": "degraded", "b": "skipped", "c": "unchanged"}), found.output
    message = f"The queue {NAME}-dead of account {ACCOUNT}, Region {WEST} has dead letters: 1."
    assert message in found.output
    would = world.run("--check", events_listeners=[LISTENER])
    assert (would.rc, would.changes) == (0, []) and message in would.output, would.output
    sqs.purge_queue(QueueUrl=url)


def test_events_that_wait_too_long_are_reported(world: World) -> None:
    sqs = world.client("sqs", EAST)
    url = sqs.get_queue_url(QueueName=NAME)["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody="{}")
    world.aws.control("settings", {"message_age_seconds": 1200})
    found = world.run(events_listeners=[LISTENER], hyperpod_only="c")
    world.aws.control("settings", {"message_age_seconds": 0})
    assert (found.rc, statuses(found)) == (0, {"c": "degraded"}) and "minutes old. Check that ansible-rulebook runs" in found.output, found.output
    sqs.purge_queue(QueueUrl=url)


def test_a_place_that_fails_does_not_stop_the_others_and_keeps_the_rulebook(world: World) -> None:
    only_west = json.dumps(permissions.documented("events")).replace("arn:aws:sqs:*:", f"arn:aws:sqs:{WEST}:")
    world.aws.control("settings", {"policies": json.loads(only_west)})
    before = world.rulebook.read_text()
    failed = world.run(events_queue_name=f"{NAME}-new", events_rulebook=str(world.rulebook), events_run="playbook")
    world.aws.control("settings", {"policies": permissions.documented("events")})
    assert failed.rc == 2 and statuses(failed) == {"a": "degraded", "b": "skipped", "c": "failed"}, failed.output
    assert f"The rulebook {world.rulebook} was not written" in failed.output and f"the setup failed for account {ACCOUNT}, Region {EAST}" in failed.output
    assert sorted(failed.changes) == CREATED and world.rulebook.read_text() == before


def test_a_queue_of_another_owner_is_refused(world: World) -> None:
    world.client("sqs", EAST).create_queue(QueueName=f"{NAME}-other-dead")
    refused = world.run(events_queue_name=f"{NAME}-other", hyperpod_only="c")
    assert refused.rc == 2 and f"queue {NAME}-other-dead exists without the tag" in refused.output and refused.changes == [], refused.output


def test_a_missing_permission_is_named(world: World) -> None:
    documents = permissions.without("events", "events:PutTargets")
    world.aws.control("settings", {"policies": documents})
    refused = world.run(events_queue_name=f"{NAME}-less", hyperpod_only="c")
    world.aws.control("settings", {"policies": permissions.documented("events")})
    assert refused.rc == 2 and "is not authorized to perform: events:PutTargets" in refused.output, refused.output


def test_the_rule_is_removed_before_the_queues(world: World) -> None:
    absent = {"events_state": "absent", "events_confirm": "a,b,c"}
    would = world.run("--check", "--diff", events_state="absent")
    assert (would.rc, would.changes) == (0, []) and f"-queue {NAME}-dead = " in would.output, would.output
    done = world.run(**absent)
    assert done.rc == 0 and sorted(done.changes) == sorted(["RemoveTargets", "DeleteRule", "DeleteQueue", "DeleteQueue"] * 2), done.output
    calls = [(call["operation"], call["region"]) for call in world.aws.control("calls") if call["mutating"]]
    assert [operation for operation, region in calls if region == EAST] == ["RemoveTargets", "DeleteRule", "DeleteQueue", "DeleteQueue"]
    assert NAME not in world.queues()
    again = world.run(**absent)
    assert (again.rc, again.changes) == (0, []), again.output
