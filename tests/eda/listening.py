# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters in two accounts, the queues of their events, AWX's stand-in with both job templates, and the rulebook under a supervisor."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
import typing as t
from pathlib import Path

import boto3
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.awx.survey import survey
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events import places
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events.rulebook import AWX, Queue, Run, rulebook
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.verbs import verbs
from lab.awx.client import SCM_URL, Client
from lab.awx.server import Server
from lab.eda.rulebook import READY, Rulebook
from lab.eda.runtime import Runtime
from simulated import REGION, Simulated

ACCOUNTS = ("111111111111", "222222222222")
LISTENER = "arn:aws:iam::333333333333:role/listener"
NAME = "mlfleet-hyperpod-events"
ARN = "arn:aws:sagemaker:{region}:{account}:cluster/{number:012d}"
CLUSTERS = {account: {ARN.format(region=REGION, account=account, number=at): f"c{account[0]}-{at}" for at in range(10)} for account in ACCOUNTS}
"""Ten clusters of each account: their keys by ARN."""
KEYS = frozenset(key for found in CLUSTERS.values() for key in found.values())
AFTER, ALL = "reconcile after events", "reconcile"
PLAYBOOK = "- name: Reconcile\n  hosts: localhost\n  gather_facts: false\n  tasks: []\n"
"""What AWX's jobs run here. The integration tests run the real playbook."""
LIMIT = 240


def until(is_reached: t.Callable[[], t.Any], about: t.Callable[[], t.Any] = lambda: "") -> t.Any:
    deadline = time.monotonic() + LIMIT
    while not (found := is_reached()):
        assert time.monotonic() < deadline, about()
        time.sleep(0.2)
    return found


def event(arn: str, **changed: t.Any) -> dict[str, t.Any]:
    """An event as AWS documents it."""
    account = arn.split(":")[4]
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    detail = {"ClusterArn": arn, "ClusterName": "any", "ClusterStatus": "InService", "InstanceGroups": []}
    envelope = {"version": "0", "id": "1", "detail-type": "SageMaker HyperPod Cluster State Change", "source": "aws.sagemaker"}
    return {**envelope, "account": account, "time": moment, "region": REGION, "resources": [arn], "detail": detail, **changed}


class Fleet:
    """The accounts, their queues and AWX."""

    def __init__(self, aws: Simulated, awx: Server, runtime: Runtime, folder: Path) -> None:
        self.aws, self.awx, self.runtime, self.folder = aws, awx, runtime, folder
        everything = {"Effect": "Allow", "Action": ["events:*", "sqs:*", "sts:*"], "Resource": "*"}
        aws.control("settings", {"policies": [{"Statement": [everything]}]})
        for account in ACCOUNTS:
            self._receive(account)
        self.token = self._templates()
        queues = {places.Place(account, REGION): Queue(NAME, CLUSTERS[account]) for account in ACCOUNTS}
        self.text = rulebook(queues, Run(AWX, organization="ml", template=AFTER, catch_up_template=ALL))

    def client(self, service: str, account: str) -> t.Any:
        return boto3.client(service, region_name=REGION, endpoint_url=self.aws.url, **self._keys(f"arn:aws:iam::{account}:role/admin"))

    def send(self, account: str, body: str) -> None:
        """Send a message with an identity of the account, without EventBridge."""
        sqs = self.client("sqs", account)
        sqs.send_message(QueueUrl=sqs.get_queue_url(QueueName=NAME)["QueueUrl"], MessageBody=body)

    def waiting(self, account: str) -> int:
        """The number of messages in the queue, with those that were received and not deleted."""
        sqs = self.client("sqs", account)
        found = sqs.get_queue_attributes(QueueUrl=sqs.get_queue_url(QueueName=NAME)["QueueUrl"], AttributeNames=["All"])["Attributes"]
        return int(found["ApproximateNumberOfMessages"]) + int(found["ApproximateNumberOfMessagesNotVisible"])

    def jobs(self, name: str) -> list[dict[str, t.Any]]:
        """The variables of the jobs of a template."""
        with self.awx.lock:
            found = list(self.awx.awx.objects.by_kind["jobs"].values())
            return [json.loads(each.values["extra_vars"]) for each in found if each.values["name"] == name]

    def checked(self) -> set[str]:
        """The clusters that jobs after events check."""
        return {key for job in self.jobs(AFTER) for key in job["hyperpod_only"].split(",")}

    @contextlib.contextmanager
    def listening(self) -> t.Iterator[Supervised]:
        """The rulebook, once its rules run and the run over all clusters, which its start causes, has begun."""
        keys = self._keys(LISTENER)
        names = {"aws_access_key_id": "AWS_ACCESS_KEY_ID", "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY", "aws_session_token": "AWS_SESSION_TOKEN"}
        controller = {"EDA_CONTROLLER_URL": self.awx.url, "EDA_CONTROLLER_TOKEN": self.token}
        collections = {"ANSIBLE_COLLECTIONS_PATH": os.environ["COLLECTION_TREE"]}
        of_aws = {"AWS_ENDPOINT_URL": self.aws.url, "AWS_EC2_METADATA_DISABLED": "true", **{names[name]: value for name, value in keys.items()}}
        supervised = Supervised(self.folder, self.runtime, self.text, {**controller, **collections, **of_aws})
        try:
            supervised.wait_ready(1)
            until(lambda: len(self.jobs(ALL)) == 1, lambda: supervised.output)
            yield supervised
        finally:
            supervised.close()

    def _keys(self, role: str) -> dict[str, str]:
        found = self.aws.client("sts").assume_role(RoleArn=role, RoleSessionName="test")["Credentials"]
        return {
            "aws_access_key_id": found["AccessKeyId"],
            "aws_secret_access_key": found["SecretAccessKey"],
            "aws_session_token": found["SessionToken"],
        }

    def _receive(self, account: str) -> None:
        """Create the rule and the queues with the policies of the role."""
        place, sqs, events = places.Place(account, REGION), self.client("sqs", account), self.client("events", account)
        dead = places.dead_name(NAME)
        sqs.create_queue(QueueName=dead, Attributes={"Policy": json.dumps(places.dead_policy(place, NAME))})
        redrive = {"deadLetterTargetArn": place.queue_arn(dead), "maxReceiveCount": 3}
        documents = {"Policy": places.queue_policy(place, NAME, [LISTENER]), "RedrivePolicy": redrive}
        sqs.create_queue(QueueName=NAME, Attributes={name: json.dumps(each) for name, each in documents.items()})
        events.put_rule(Name=NAME, EventPattern=json.dumps(places.PATTERN))
        events.put_targets(Rule=NAME, Targets=[{"Id": "queue", "Arn": place.queue_arn(NAME)}])

    def _templates(self) -> str:
        """Create the job templates; the token of AWX's administrator."""
        admin = Client.with_token(self.awx.url, self.awx.token)
        organization = admin.create("organizations/", name="ml")["id"]
        project = admin.project(organization, scm_url=SCM_URL)["id"]
        inventory = admin.create("inventories/", name="clusters", organization=organization)["id"]
        for name in (ALL, AFTER):
            values = {"playbook": "reconcile.yml", "project": project, "inventory": inventory, "survey_enabled": True}
            made = admin.create("job_templates/", name=name, allow_simultaneous=name == AFTER, **values)
            assert admin.send("POST", f"job_templates/{made['id']}/survey_spec/", survey(verbs()["reconcile"])).status == 200
        return self.awx.token


class Supervised:
    """ansible-rulebook, which is started again whenever it ends, as systemd does."""

    def __init__(self, folder: Path, runtime: Runtime, text: str, environment: t.Mapping[str, str]) -> None:
        self._start = lambda number: Rulebook(folder / str(number), runtime, text, **environment)
        self.started: list[Rulebook] = []
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def output(self) -> str:
        return "\n".join(each.output for each in self.started)

    def wait_ready(self, number: int) -> None:
        """Wait until the rules run for the so-manieth time."""
        until(lambda: len(self.started) >= number and READY in self.started[number - 1].output, lambda: self.output)

    def kill(self) -> None:
        self.started[-1].kill()

    def close(self) -> None:
        self._closed.set()
        self.started[-1].stop()
        self._thread.join()

    def _run(self) -> None:
        while not self._closed.is_set():
            self.started.append(self._start(len(self.started)))
            while self.started[-1].status is None and not self._closed.wait(0.1):
                pass
