# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The values for the role events."""

from __future__ import annotations

import typing as t

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.views import events

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/{:0<12}"
OPTIONS: dict[str, t.Any] = {
    "events_queue_name": "mlfleet-hyperpod-events",
    "events_listeners": ["arn:aws:iam::222222222222:role/rulebook"],
    "events_alert_minutes": 15,
    "events_rulebook": "/srv/events.yml",
    "events_run": "awx",
    "events_awx_organization": "ML",
    "events_awx_template": "reconcile after events",
    "events_awx_catch_up_template": "reconcile",
    "events_playbook": "reconcile.yml",
}


def host(name: str, *, hosts: t.Sequence[str] = ("a", "b"), **more: t.Any) -> dict[str, t.Any]:
    hostvars = {each: {"hyperpod_cluster_arn": ARN.format(each)} for each in ("a", "b")}
    play = {"ansible_play_hosts_all": ["a", "b"], "ansible_play_hosts": list(hosts), "groups": {"hyperpod_clusters": ["a", "b"]}}
    return {**OPTIONS, **play, "ansible_check_mode": False, "hostvars": hostvars, "inventory_hostname": name, **hostvars[name], **more}


def test_the_first_host_represents_the_account_and_region() -> None:
    assert events.represented(host("a")) == events.Represented(True, [])
    other = events.represented(host("b"))
    assert not other.here and [(each["code"], each["subject"]) for each in other.shared] == [("events-shared", "a")]
    assert events.represented(host("b", hosts=["b"])).here is False  # the first host has failed, and no other replaces it


def test_the_names_and_policies_of_the_queues() -> None:
    names = events.names(host("a"))
    assert names.dead_queue == "mlfleet-hyperpod-events-dead"
    assert names.queue_arn == "arn:aws:sqs:us-west-2:111111111111:mlfleet-hyperpod-events" and names.dead_queue_arn == f"{names.queue_arn}-dead"
    assert [each["Sid"] for each in names.policy["Statement"]] == ["Rule", "Listeners"]
    assert [each["Sid"] for each in names.dead_policy["Statement"]] == ["Rule"]


def test_findings_are_those_of_the_queue() -> None:
    found = {
        "name": "events",
        "active": True,
        "rule": {"exists": True, "enabled": True, "queue_arn": "arn"},
        "queue": {"exists": True, "messages": 1, "oldest_message_age": 1000},
        "dead_letter_queue": {"name": "events-dead", "exists": True, "messages": 0},
        "problems": [],
    }
    for minutes, codes in ((15, ["events-not-received"]), (20, [])):
        variables = host("a", events_alert_minutes=minutes, __events_status={"event_queue": found})
        assert [each["code"] for each in events.findings(variables)] == codes


def test_check_mode_reports_only_what_its_changes_do_not_correct() -> None:
    found = {
        "name": "events",
        "active": False,
        "rule": {"exists": True, "enabled": False, "queue_arn": "arn"},
        "queue": {"exists": True, "messages": 1, "oldest_message_age": 1000},
        "dead_letter_queue": {"name": "events-dead", "exists": True, "messages": 1},
        "problems": [],
    }
    lasting = ["events-not-received", "events-dead-letters"]
    for check, codes in ((False, ["events-do-not-arrive", *lasting]), (True, lasting)):
        variables = host("a", ansible_check_mode=check, __events_status={"event_queue": found})
        assert [each["code"] for each in events.findings(variables)] == codes


def test_one_host_writes_the_rulebook() -> None:
    written = events.rulebook(host("a"))
    assert written.written and written.kept == []
    (ruleset,) = yaml.safe_load(written.content)
    assert len(ruleset["sources"]) == 2 and "run_job_template" in ruleset["rules"][0]["action"]
    assert events.rulebook(host("b")) == events.Rulebook(False, "", [])
    assert events.rulebook(host("a", events_rulebook="")) == events.Rulebook(False, "", [])


@pytest.mark.parametrize("more", [{"hosts": ["b"]}, {"hyperpod_inventory_failures": ["denied"]}])
def test_a_rulebook_without_all_queues_is_not_written(more: dict[str, t.Any]) -> None:
    found = events.rulebook(host("b" if "hosts" in more else "a", **more))
    assert not found.written and [each["code"] for each in found.kept] == ["events-rulebook-kept"]
