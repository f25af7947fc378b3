# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rulebook: a source for each account and Region, and the variables that its actions pass."""

from __future__ import annotations

import typing as t

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events.places import Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events.rulebook import AWX, GIVEN, PLAYBOOK, Queue, Run, rulebook
from jinja2 import StrictUndefined
from jinja2.nativetypes import NativeEnvironment

NAME = "mlfleet-hyperpod-events"
ARN = "arn:aws:sagemaker:us-west-2:011111111111:cluster/abc123def456"
OTHER = ARN.replace("abc", "aaa")
QUEUES = {
    Place("222222222222", "eu-west-1"): Queue("another", {}),
    Place("011111111111", "us-west-2"): Queue(NAME, {ARN: "ml", OTHER: "other"}),
}
JOBS = Run(AWX, organization="ML platform", template="reconcile after events", catch_up_template="reconcile")
PLAYS = Run(PLAYBOOK, playbook="reconcile.yml")
TIME, LATER = "2026-06-01T17:30:06Z", "2026-06-01T17:30:07Z"
EVENT = {"cluster": "ml", "time": TIME, "meta": {"uuid": "1"}}


def read(run: Run = JOBS) -> dict[str, t.Any]:
    (ruleset,) = yaml.safe_load(rulebook(QUEUES, run))
    return t.cast("dict[str, t.Any]", ruleset)


def test_each_account_and_region_has_a_source_with_its_filter() -> None:
    first, second, timer = read()["sources"]
    assert [each["name"] for each in (first, second)] == [
        "Queue in account 011111111111, Region us-west-2",
        "Queue in account 222222222222, Region eu-west-1",
    ]
    assert first["amazon.aws.aws_sqs_queue"] == {
        "region": "us-west-2",
        "name": NAME,
        "queue_owner_aws_account_id": "011111111111",
        "delay_seconds": 20,
        "max_number_of_messages": 10,
    }
    assert second["amazon.aws.aws_sqs_queue"]["name"] == "another"
    table = {OTHER: "other", ARN: "ml"}
    check = {"account": "011111111111", "region": "us-west-2", "clusters": table, "window": 5}
    assert first["filters"] == [{"mlfleet.hyperpod.cluster_event": check}]
    assert timer["eda.builtin.generic"] == {"payload": [{"catch_up": True}], "loop_count": -1, "loop_delay": 3600}
    assert "filters" not in timer


def test_the_throttle_has_the_window_of_the_filter() -> None:
    ruleset = read()
    throttle = ruleset["rules"][0]["throttle"]
    assert throttle == {"once_after": "5 seconds", "group_by_attributes": ["event.cluster"]}
    assert "throttle" not in ruleset["rules"][1] and ruleset["execution_strategy"] == "parallel"


def test_the_same_places_give_the_same_text() -> None:
    assert rulebook(QUEUES, JOBS) == rulebook(dict(reversed(QUEUES.items())), JOBS)
    assert rulebook(QUEUES, JOBS).startswith("---\n# Written by the playbook mlfleet.hyperpod.events")


def test_texts_of_ansible_are_written_as_plain_texts() -> None:
    class Tagged(str):
        """Like a text from a variable file."""

    run = Run(AWX, Tagged("ML platform"), Tagged("reconcile after events"), Tagged("reconcile"))
    tagged = {
        place: Queue(Tagged(each.name), {Tagged(arn): Tagged(key) for arn, key in each.clusters.items()}) for place, each in QUEUES.items()
    }
    assert rulebook(tagged, run) == rulebook(QUEUES, JOBS)


def test_jobs_get_only_checked_values() -> None:
    after, catch_up = (rule["action"]["run_job_template"] for rule in read()["rules"])
    job = {"organization": "ML platform", "include_events": False}
    again = {"retries": 3, "delay": 15}
    assert after == {"name": "reconcile after events", **job, "job_args": {"extra_vars": GIVEN}, **again}
    assert catch_up == {"name": "reconcile", **job}


def test_playbooks_run_without_a_copy_of_their_folder() -> None:
    after, catch_up = (rule["action"]["run_playbook"] for rule in read(PLAYS)["rules"])
    assert after == {"name": "reconcile.yml", "copy_files": False, "extra_vars": GIVEN, "retries": 3, "delay": 15}
    assert catch_up == {"name": "reconcile.yml", "copy_files": False}


@pytest.mark.parametrize(
    ("variables", "keys", "time"),
    [
        ({"event": EVENT}, "ml", TIME),
        ({"events": {"m_0": EVENT, "m_1": {**EVENT, "cluster": "other", "time": LATER}}}, "ml,other", LATER),
        ({"event": {**EVENT, "cluster": "7"}}, "7", TIME),
        ({"event": {**EVENT, "cluster": "1,2"}}, "1,2", TIME),
        ({"event": {**EVENT, "time": "'}, {'x': 1 {{ 7 * 7 }}"}}, "ml", "'}, {'x': 1 {{ 7 * 7 }}"),
    ],
)
def test_one_event_and_several_events_give_keys_and_the_latest_time(variables: dict[str, t.Any], keys: str, time: str) -> None:
    """ansible-rulebook evaluates the texts with this environment of Jinja. Values are never evaluated themselves."""
    environment = NativeEnvironment(undefined=StrictUndefined)
    found = {name: environment.from_string(text).render(variables) for name, text in GIVEN.items()}
    assert found == {"hyperpod_only": keys, "full_look_event_time": time}
