# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions of the nodes of a Slurm cluster, with untrusted answers of its controller."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology.slurm import Machine, layers, places
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.slurm_states import State


def config(**labels: t.Any) -> str:
    instances = [{"InstanceId": iid.replace("_", "-"), "CustomerIpAddress": "10.0.0.1", "InstanceLabel": each} for iid, each in labels.items()]
    return json.dumps({"InstanceGroups": [{"Name": "gpus", "Instances": instances}, {"Name": "none", "Instances": None}]})


def network_nodes(*names: str) -> dict[str, str]:
    return {f"network-node-layer-{number}": name for number, name in enumerate(names, 1)}


def test_the_file_of_hyperpod_is_read() -> None:
    found = layers(config(i_1=network_nodes("a", "b", "c"), i_2=network_nodes("a", "b", "c", "d"), i_3=None, i_4=network_nodes("a", "", "c")))
    assert found == {"i-1": ("a", "b", "c"), "i-2": ("a", "b", "c", "d"), "i-3": (), "i-4": ("a",)}


@pytest.mark.parametrize("text", ["", "x", "7", "[]", "{}", '{"InstanceGroups": 7}', '{"InstanceGroups": [7, {"Instances": {"a": 1}}]}'])
def test_an_unreadable_file_has_no_layers(text: str) -> None:
    assert layers(text) == {}


def test_names_are_made_printable() -> None:
    assert layers(config(i_1=network_nodes("a\x1b[2J", "b"))) == {"i-1": ("a?[2J", "b")}
    odd = {"network-node-layer-1": {"a": 1}, "network-node-layer-2": 7}
    assert layers(config(i_1=odd)) == {"i-1": ("{'a': 1}", "7")}


@pytest.mark.parametrize(
    ("state", "expected", "why"),
    [
        (State("idle"), "free", ""),
        (State("mixed", jobs=("7 of alice",)), "used", ""),
        (State("drained", "bad"), "unhealthy", "its state in Slurm is drained (bad)"),
        (State("down"), "unhealthy", "its state in Slurm is down"),
        (None, "unhealthy", "Slurm has no node at 10.0.0.1"),
    ],
)
def test_the_slurm_state_of_a_machine_is_applied(state: State | None, expected: str, why: str) -> None:
    machine = Machine("i-1", "10.0.0.1", "ml.p5.48xlarge", "gpus")
    (place,) = places([machine], {"i-1": ("a", "b")}, {} if state is None else {"10.0.0.1": state})
    assert (place.name, place.layers, place.state, place.why) == ("ip-10-0-0-1", ("a", "b"), expected, why)
    assert place.jobs == (state.jobs if state else ())


def test_a_machine_without_an_address_is_reported() -> None:
    (place,) = places([Machine("i-1", "", "t", "g")], {}, {"": State("idle")})
    assert (place.name, place.layers) == ("i-1", ())
