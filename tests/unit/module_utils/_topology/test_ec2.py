# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which nodes are EC2 instances of the account, and their position."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import Api
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.ec2 import instance_of, layers

ID = "i-0123456789abcdef0"


@pytest.mark.parametrize(
    ("provider", "name", "expected"),
    [
        (f"aws:///us-west-2a/{ID}", "ip-10-0-0-1", ID),
        ("aws:///us-west-2a/i-01234567", "ip-10-0-0-1", "i-01234567"),
        (f"aws:///us-west-2a/{ID}", f"hyperpod-{ID}", ""),
        (f"aws:///us-west-2a/{ID}0", "ip-10-0-0-1", ""),
        (f"gce:///us-west-2a/{ID}", "ip-10-0-0-1", ""),
        (f"aws:///us-west-2a/x{ID}", "ip-10-0-0-1", ""),
        (None, "ip-10-0-0-1", ""),
    ],
)
def test_the_instance_id_of_a_node_is_read(provider: str | None, name: str, expected: str) -> None:
    assert instance_of({"metadata": {"name": name}, "spec": {"providerID": provider}}) == expected


def test_a_node_without_a_specification_has_no_instance() -> None:
    assert instance_of({"metadata": {"name": "a"}}) == ""


def test_a_call_reads_at_most_a_hundred_instances(stubbed: t.Any) -> None:
    client, stub = stubbed("ec2")
    ids = [f"i-{number:08x}" for number in range(101)]
    instances = [{"InstanceId": ids[0], "NetworkNodes": ["nn-1", "nn-2\x1b"]}, {"InstanceId": ids[1]}]
    stub.add_response("describe_instance_topology", {"Instances": instances}, {"InstanceIds": ids[:100]})
    stub.add_response("describe_instance_topology", {}, {"InstanceIds": ids[100:]})
    assert layers(Api(client), [*reversed(ids), ids[0]]) == {ids[0]: ("nn-1", "nn-2?"), ids[1]: ()}


def test_without_instances_no_call_is_made(stubbed: t.Any) -> None:
    client, _stub = stubbed("ec2")
    assert layers(Api(client), []) == {}
