# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Decisions of people: what makes a change, what is refused, what a lost reply does."""

from __future__ import annotations

import json
import re

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod import records

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
PATH = "/mlfleet/hyperpod/abc123def456/records"
NODE = "i-0123456789abcdef0"
OLD = {"owner": "ann@one", "since": "2026-11-01T00:00:00Z", "reason": "memory"}


def wanted(value, name=NODE):
    return records.Wanted.checked(kind="drained", name=name, value=value, owner="bob@two", now="2026-11-21T00:00:00Z")


def seen(**drained):
    return {"drained": drained, "offboarded": {}, "adopted": {}}


def test_the_same_decision_keeps_its_owner_and_date():
    plan = records.plan_present(wanted({"reason": "memory"}), {"drained": {NODE: OLD}})
    assert not plan and plan.predicted["drained"][NODE] == OLD


@pytest.mark.parametrize(("before", "action"), [({}, "create"), ({NODE: OLD}, "update")])
def test_another_decision_is_one_change(before, action):
    plan = records.plan_present(wanted({"reason": "fans"}), {"drained": before})
    assert [(change.action, change.resource) for change in plan.changes] == [(action, f"record drained {NODE}")]
    assert plan.predicted["drained"][NODE] == {"owner": "bob@two", "since": "2026-11-21T00:00:00Z", "reason": "fans"}


def test_absent():
    assert not records.plan_absent("drained", NODE, seen())
    plan = records.plan_absent("drained", NODE, {"drained": {NODE: OLD, "i-2": OLD}})
    assert [change.action for change in plan.changes] == ["delete"]
    assert plan.predicted["drained"] == {"i-2": OLD}


@pytest.mark.parametrize(
    ("value", "name", "words"),
    [
        ({}, "a/b", "name: 'a/b' is not allowed"),
        ({}, f"ml-{NODE}", "name: 'ml-i-.*' is not allowed; the name of a record of kind drained is the instance id"),
        ({"owner": "me"}, NODE, "the module itself records owner and since"),
        ({"reason": "x" * 5000}, NODE, "4096 are allowed"),
    ],
)
def test_refused(value, name, words):
    with pytest.raises(Refused, match=words):
        wanted(value, name)


def parameter(name, value):
    return {"Name": f"{PATH}/{name}", "Type": "String", "Value": value}


@pytest.mark.parametrize(
    ("kind", "name", "allowed"), [("offboarded", "Mallory", "a user name"), ("adopted", "vpn", "balancer or host_keys")]
)
def test_a_name_is_checked_by_kind(kind, name, allowed):
    with pytest.raises(Refused, match=f"name: '{name}' is not allowed; .*{allowed}"):
        records.Wanted.checked(kind=kind, name=name, value={}, owner="bob@two", now="2026-11-21T00:00:00Z")


def store_with(stubbed, **texts):
    client, stubber = stubbed("ssm")
    found = [parameter(name.replace("__", "/"), text) for name, text in texts.items()]
    stubber.add_response("get_parameters_by_path", {"Parameters": found}, {"Path": PATH, "Recursive": True})
    return records.RecordStore(Api(client), ARN)


@pytest.mark.parametrize(
    ("name", "text", "kept", "words"),
    [
        (f"ml-{NODE}", "{}", {}, "'ml-i-0123456789abcdef0' is not the instance id .*; no node is drained by it; remove it "),
        (NODE, "no json", {NODE: {}}, "it is no JSON object; the node stays drained; undrain it"),
        (NODE, '["a"]', {NODE: {}}, "it is no JSON object; the node stays drained"),
    ],
)
def test_a_wrong_record_of_a_drained_node_stops_no_run(stubbed, name, text, kept, words):
    store = store_with(stubbed, **{f"drained__{name}": text})
    assert store.observe()["drained"] == kept
    (sentence,) = store.check()
    assert re.search(f"Parameter {PATH}/drained/{name} is no record of this collection: .*{words}", sentence)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("offboarded/mallory", "no json", "it is no JSON object"),
        ("offboarded/Mallory", "{}", "'Mallory' is not a user name"),
        ("offboarded/mallory", '{"uid": "20009x"}', "uid and other_uids are whole numbers"),
        ("offboarded/mallory", '{"uid": 20009, "other_uids": [1.5]}', "uid and other_uids are whole numbers"),
        ("adopted/balancer", "[]", "it is no JSON object"),
    ],
)
def test_a_wrong_record_that_guards_something_stops_the_run_until_it_is_removed(stubbed, name, text, words):
    store = store_with(stubbed, **{name.replace("/", "__"): text})
    seen = store.observe()
    kind, _slash, own = name.partition("/")
    assert own not in seen[kind]
    with pytest.raises(Refused, match=f"{PATH}/{name} is no record .*{words}.*delete-parameter --region us-west-2 --name"):
        store.check()
    (step,) = records.plan_absent(kind, own, store.with_bad(seen)).steps
    assert step.operation == records.DELETE


def test_all_pages_are_read_and_other_kinds_left_alone(stubbed):
    client, stubber = stubbed("ssm")
    ask = {"Path": PATH, "Recursive": True}
    first = {"Parameters": [parameter(f"drained/{NODE}", json.dumps(OLD))], "NextToken": "two"}
    second = {"Parameters": [parameter("offboarded/mallory", '{"uid": 20009}'), parameter("later/x", "{}")]}
    stubber.add_response("get_parameters_by_path", first, ask)
    stubber.add_response("get_parameters_by_path", second, {**ask, "NextToken": "two"})
    store = records.RecordStore(Api(client), ARN)
    assert store.observe() == {"drained": {NODE: OLD}, "offboarded": {"mallory": {"uid": 20009}}, "adopted": {}}
    assert store.check() == []


def test_a_record_whose_reply_was_lost_is_written_again(stubbed):
    client, stubber = stubbed("ssm")
    stubber.add_client_error("put_parameter", "ParameterAlreadyExists")
    text = wanted({"reason": "fans"}).text()
    again = {"Name": f"{PATH}/drained/{NODE}", "Type": "String", "Value": text, "Overwrite": True}
    stubber.add_response("put_parameter", {}, again)
    (step,) = records.plan_present(wanted({"reason": "fans"}), seen()).steps
    records.RecordStore(Api(client), ARN).apply("drained", step)


def test_a_record_that_is_gone_already_is_no_error(stubbed):
    client, stubber = stubbed("ssm")
    stubber.add_client_error("delete_parameter", "ParameterNotFound")
    (step,) = records.plan_absent("drained", NODE, seen(**{NODE: OLD})).steps
    records.RecordStore(Api(client), ARN).apply("drained", step)
