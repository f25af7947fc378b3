# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How records are read: all pages, without other parameters."""

from __future__ import annotations

import json
import re

import pytest
import reported
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.parameters import Parameters
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.arn import ClusterArn
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.model import Desired, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.plan import DELETE, plan, refuse_bad
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.records.result import result

ARN = ClusterArn.parse("arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456")
PATH = "/mlfleet/hyperpod/abc123def456/records"
NODE = "i-0123456789abcdef0"
OLD = {"owner": "ann@one", "since": "2026-11-01T00:00:00Z", "reason": "memory"}


def parameter(name, value):
    return {"Name": f"{PATH}/{name}", "Type": "String", "Value": value}


def observed(stubbed, **texts):
    client, stubber = stubbed("ssm")
    found = [parameter(name.replace("__", "/"), text) for name, text in texts.items()]
    stubber.add_response("get_parameters_by_path", {"Parameters": found}, {"Path": PATH, "Recursive": True})
    return Observer(Parameters(Api(client)), ARN)()


@pytest.mark.parametrize(
    ("name", "text", "kept", "words"),
    [
        (f"ml-{NODE}", "{}", {}, "'ml-i-0123456789abcdef0' is not the instance ID .*. It drains no node. Remove the parameter "),
        (NODE, "no json", {NODE: {}}, "it is not a JSON object. The node stays drained until you undrain it"),
        (NODE, '["a"]', {NODE: {}}, "it is not a JSON object. The node stays drained"),
    ],
)
def test_an_invalid_record_of_a_drained_node_is_a_note(stubbed, name, text, kept, words):
    state = observed(stubbed, **{f"drained__{name}": text})
    assert state.records["drained"] == kept
    refuse_bad(state)
    (sentence,) = reported.texts_of(result(Desired(present=True), state), "note")
    assert re.search(f"Parameter {PATH}/drained/{name} is not a valid record: .*{words}", sentence)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("offboarded/mallory", "no json", "it is not a JSON object"),
        ("offboarded/Mallory", "{}", "'Mallory' is not a user name"),
        ("offboarded/mallory", '{"uid": "20009x"}', "uid and other_uids must be whole numbers"),
        ("offboarded/mallory", '{"uid": 20009, "other_uids": [1.5]}', "uid and other_uids must be whole numbers"),
        ("adopted/balancer", "[]", "it is not a JSON object"),
        ("rollout/hold", "{}", "until must be a time with a time zone"),
        ("rollout/hold", '{"until": "2026-11-30T12:00:00"}', "until must be a time with a time zone"),
        ("rollout/other", '{"until": "2026-11-30T12:00:00Z"}', "'other' is not hold"),
    ],
)
def test_an_invalid_record_that_protects_something_fails_the_run(stubbed, name, text, words):
    state = observed(stubbed, **{name.replace("/", "__"): text})
    kind, _slash, own = name.partition("/")
    assert own not in state.records[kind]
    with pytest.raises(Refused, match=f"{PATH}/{name} is not a valid record: .*{words}.*delete-parameter --region us-west-2 --name"):
        plan(Desired(present=True), state)
    the_plan = plan(Desired(present=False, kind=kind, name=own), state)
    assert [step.operation for step in the_plan.steps] == [DELETE]
    assert the_plan.after(state).bad == ()


def test_all_pages_are_read_and_other_kinds_are_ignored(stubbed):
    client, stubber = stubbed("ssm")
    request = {"Path": PATH, "Recursive": True}
    first = {"Parameters": [parameter(f"drained/{NODE}", json.dumps(OLD))], "NextToken": "two"}
    second = {"Parameters": [parameter("offboarded/mallory", '{"uid": 20009}'), parameter("later/x", "{}")]}
    stubber.add_response("get_parameters_by_path", first, request)
    stubber.add_response("get_parameters_by_path", second, {**request, "NextToken": "two"})
    records = {"drained": {NODE: OLD}, "offboarded": {"mallory": {"uid": 20009}}, "adopted": {}, "repaired": {}, "rollout": {}}
    assert Observer(Parameters(Api(client)), ARN)() == State(records)
