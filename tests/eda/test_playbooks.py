# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rulebook of the playbook ``events`` without AWX: what reaches the playbook that ansible-rulebook runs."""

from __future__ import annotations

import json
import os
import re
import time
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events.places import PATTERN, Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events.rulebook import PLAYBOOK, Queue, Run, rulebook
from lab.aws.control.client import Control
from lab.eda.rulebook import Rulebook, running
from lab.eda.runtime import Runtime
from simulated import COLLECTIONS, REGION, Simulated

ACCOUNT, NAME = "111111111111", "mlfleet-hyperpod-events"
ONE, TWO = (f"arn:aws:sagemaker:{REGION}:{ACCOUNT}:cluster/{name:0<12}" for name in ("one", "two"))
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
KIND = "SageMaker HyperPod Cluster State Change"
PLAY = """
- hosts: localhost
  gather_facts: false
  tasks:
    - ansible.builtin.copy:
        dest: "{folder}/given-{{{{ 10000 | random }}}}-{{{{ now().timestamp() }}}}.json"
        content: "{{{{ {{'only': hyperpod_only | default(none), 'time': full_look_event_time | default(none), 'all': ansible_eda}} | to_json }}}}"
        mode: "0600"
"""


def message(arn: str, **changed: t.Any) -> dict[str, t.Any]:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    detail = {"ClusterArn": arn, "ClusterName": "{{ lookup('pipe', 'id') }}", "FailureMessage": "of the message"}
    envelope = {"version": "0", "id": "1", "detail-type": KIND, "source": "aws.sagemaker", "account": ACCOUNT, "region": REGION}
    return {**envelope, "time": now, "resources": [arn], "detail": detail, **changed}


def set_up(aws: Simulated) -> str:
    """The queue and the rule as the role creates them, without policies of IAM; returns the queue's URL."""
    place = Place(ACCOUNT, REGION)
    made = aws.run("event_queue", name=NAME, policy={"Version": "2012-10-17", "Statement": [_sender(place)]})
    aws.run("event_rule", name=NAME, event_pattern=PATTERN, queue_arn=place.queue_arn(NAME))
    return str(made["event_queue"]["queue_url"])


def _sender(place: Place) -> dict[str, t.Any]:
    from_rule = {"ArnEquals": {"aws:SourceArn": place.rule_arn(NAME)}}
    allowed = {"Effect": "Allow", "Principal": {"Service": "events.amazonaws.com"}, "Action": "sqs:SendMessage"}
    return {**allowed, "Resource": place.queue_arn(NAME), "Condition": from_rule}


def runs(folder: Path, process: Rulebook, count: int) -> list[dict[str, t.Any]]:
    """What the playbook got in each run, once there are ``count`` runs."""
    deadline = time.monotonic() + 120
    while len(found := sorted(folder.glob("given-*.json"), key=lambda path: path.stat().st_mtime_ns)) < count:
        assert process.status is None and time.monotonic() < deadline, process.output
        time.sleep(0.1)
    return [json.loads(path.read_text()) for path in found]


def keys(found: list[dict[str, t.Any]]) -> set[str]:
    return {key for run in found for key in run["only"].split(",")}


@pytest.mark.slow
def test_only_checked_values_reach_the_playbook(eda: Runtime, aws: Simulated, control: Control, tmp_path: Path) -> None:
    url, folder = set_up(aws), tmp_path / "eda"
    (folder / "inventory").mkdir(parents=True)
    (folder / "inventory/hosts.yml").write_text("all: {hosts: {localhost: {ansible_connection: local}}}\n")
    (folder / "reconcile.yml").write_text(PLAY.format(folder=folder))
    text = rulebook({Place(ACCOUNT, REGION): Queue(NAME, {ONE: "one", TWO: "two"})}, Run(PLAYBOOK, playbook="reconcile.yml"))
    keys = {"AWS_ACCESS_KEY_ID": "AKIAADMINEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example", "AWS_EC2_METADATA_DISABLED": "true"}
    places = {"AWS_ENDPOINT_URL": aws.url, "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS), "TMPDIR": os.fspath(tmp_path)}
    with running(folder, eda, text, "--inventory", "inventory", **keys, **places) as process:
        (catch_up,) = runs(folder, process, 1)
        assert catch_up["only"] is None and catch_up["all"]["event"]["catch_up"] is True
        for event in (message(ONE), message(ONE), message(TWO)):
            control.put_event(event)
        for wrong in ("no JSON", json.dumps(message(ONE, account="222222222222")), json.dumps(["of the message"])):
            aws.client("sqs").send_message(QueueUrl=url, MessageBody=wrong)
        process.wait_for("was refused", count=3)
        found = runs(folder, process, 2)[1:]
        while keys(found) != {"one", "two"}:  # the windows of the two clusters did not end together
            found = runs(folder, process, len(found) + 2)[1:]
    assert all(TIME.fullmatch(run["time"]) for run in found), found
    assert "of the message" not in json.dumps(found) and "lookup" not in json.dumps(found)
    assert aws.run("event_queue_info", name=NAME)["event_queue"]["queue"]["messages"] == 0
