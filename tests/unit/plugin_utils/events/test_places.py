# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts and Regions of clusters, and the policies of their queues."""

from __future__ import annotations

import ast
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events import places
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events.places import Place

HERE = Place("111111111111", "us-west-2")
NAME = "mlfleet-hyperpod-events"
QUEUE, RULE = f"arn:aws:sqs:us-west-2:111111111111:{NAME}", f"arn:aws:events:us-west-2:111111111111:rule/{NAME}"
LISTENERS = ["arn:aws:iam::222222222222:role/b", "arn:aws:iam::111111111111:role/a"]


def cluster(account: str, region: str, *, partition: str = "aws") -> dict[str, str]:
    return {"hyperpod_cluster_arn": f"arn:{partition}:sagemaker:{region}:{account}:cluster/abc123def456"}


def test_clusters_share_an_account_and_region() -> None:
    hostvars = {
        "a": cluster("111111111111", "us-west-2"),
        "b": cluster("111111111111", "us-east-1"),
        "c": cluster("111111111111", "us-west-2"),
        "d": cluster("222222222222", "us-west-2", partition="aws-us-gov"),
    }
    found = places.hosts_by_place(["c", "a", "b", "d"], hostvars)
    assert {str(place): hosts for place, hosts in found.items()} == {
        "account 111111111111, Region us-west-2": ["c", "a"],
        "account 111111111111, Region us-east-1": ["b"],
        "account 222222222222, Region us-west-2": ["d"],
    }
    assert [place.queue_arn("x") for place in found][2] == "arn:aws-us-gov:sqs:us-west-2:222222222222:x"
    with pytest.raises(Refused):
        places.hosts_by_place(["e"], {"e": {"hyperpod_cluster_arn": "x"}})


def test_one_host_represents_its_account_and_region() -> None:
    hostvars = {"a": cluster("111111111111", "us-east-1"), "b": cluster("111111111111", "us-west-2"), "c": cluster("111111111111", "us-west-2")}
    play = {"ansible_play_hosts_all": ["a", "b", "c"], "hostvars": hostvars}
    assert {host: places.first_host({**play, **own}) for host, own in hostvars.items()} == {"a": "a", "b": "b", "c": "b"}


def test_only_the_rule_may_send_and_only_listeners_may_receive() -> None:
    policy = places.queue_policy(HERE, NAME, LISTENERS)
    sending, receiving = policy["Statement"]
    assert sending == {
        "Sid": "Rule",
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": QUEUE,
        "Condition": {"ArnEquals": {"aws:SourceArn": RULE}},
    }
    assert receiving["Principal"] == {"AWS": sorted(LISTENERS)} and receiving["Resource"] == QUEUE
    assert "sqs:SendMessage" not in receiving["Action"] and "sqs:ReceiveMessage" in receiving["Action"]
    assert policy["Version"] == "2012-10-17"


def test_without_listeners_the_policy_allows_only_the_rule() -> None:
    assert [each["Sid"] for each in places.queue_policy(HERE, NAME, [])["Statement"]] == ["Rule"]


def test_listeners_cannot_receive_dead_letters() -> None:
    (only,) = places.dead_policy(HERE, NAME)["Statement"]
    assert (only["Action"], only["Resource"], only["Condition"]) == ("sqs:SendMessage", f"{QUEUE}-dead", {"ArnEquals": {"aws:SourceArn": RULE}})


def test_the_filter_accepts_exactly_the_events_of_the_rule() -> None:
    """The filter must not import this file, so it has its own list."""
    file = Path(__file__).resolve().parents[4] / "extensions/eda/plugins/event_filter/cluster_event.py"
    constants: dict[str, t.Any] = {
        target.id: node.value
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    first = ast.literal_eval(constants["CLUSTER_EVENT"])
    others = [ast.literal_eval(each) for each in constants["KINDS"].elts[1:]]
    assert [first, *others] == places.PATTERN["detail-type"]
    assert [ast.literal_eval(constants["SOURCE"])] == places.PATTERN["source"]
