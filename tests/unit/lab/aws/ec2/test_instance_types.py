# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance types by boto3 against the simulator."""

from __future__ import annotations

import typing as t

import pytest
from lab.accelerators.types import TYPES, InstanceType
from refusals import code


def by(*names: str) -> dict[str, t.Any]:
    return {"Filters": [{"Name": "instance-type", "Values": [name.removeprefix("ml.") for name in names]}]}


MISSING = ("ml.p6e-gb200.36xlarge", "ml.p6e-gb300.36xlarge")
"""Types that the data of the simulator's library lacks."""


@pytest.mark.parametrize("name", [each for each in TYPES if each not in MISSING])
def test_types_of_lab_nodes_match_the_data_of_ec2(account: t.Any, name: str) -> None:
    """Except EFA: a node may have fewer devices than its type allows."""
    played: InstanceType = TYPES[name]
    (described,) = account.ec2.describe_instance_types(**by(name))["InstanceTypes"]
    gpus = [(each["Manufacturer"], each["Count"]) for each in described.get("GpuInfo", {}).get("Gpus", [])]
    neuron = [each["Count"] for each in described.get("NeuronInfo", {}).get("NeuronDevices", [])]
    assert gpus == ([("NVIDIA", played.gpus)] if played.gpus else [])
    assert neuron == ([played.neuron[1]] if played.neuron[1] else [])
    assert described["NetworkInfo"].get("EfaInfo", {}).get("MaximumEfaInterfaces", 0) >= played.efa[1]


def test_types_that_the_library_lacks(account: t.Any) -> None:
    assert account.ec2.describe_instance_types(**by(*MISSING))["InstanceTypes"] == []


def test_types_are_listed_in_pages(account: t.Any) -> None:
    first = account.ec2.describe_instance_types()
    assert len(first["InstanceTypes"]) == 100
    five = account.ec2.describe_instance_types(MaxResults=5)
    assert five["InstanceTypes"] == first["InstanceTypes"][:5]
    second = account.ec2.describe_instance_types(MaxResults=5, NextToken=five["NextToken"])
    assert second["InstanceTypes"] == first["InstanceTypes"][5:10]
    pages = list(account.ec2.get_paginator("describe_instance_types").paginate())
    names = [each["InstanceType"] for page in pages for each in page["InstanceTypes"]]
    assert len(pages) > 10 and len(set(names)) == len(names) and "NextToken" not in pages[-1]
    account.control.settings(page_size=1)
    pages = list(account.ec2.get_paginator("describe_instance_types").paginate(**by("ml.p5.48xlarge", "ml.m5.large")))
    assert [[each["InstanceType"] for each in page["InstanceTypes"]] for page in pages] == [["m5.large"], ["p5.48xlarge"]]


def test_an_unknown_name_fails_the_call_but_not_a_filter(account: t.Any) -> None:
    describe = account.ec2.describe_instance_types
    assert code(describe, InstanceTypes=["p5.48xlarge", "p9.48xlarge"]) == "InvalidInstanceType"
    assert [each["InstanceType"] for each in describe(**by("p5.48xlarge", "p9.48xlarge"))["InstanceTypes"]] == ["p5.48xlarge"]
    assert [each["InstanceType"] for each in describe(InstanceTypes=["m5.large"])["InstanceTypes"]] == ["m5.large"]


def test_other_filters_and_unknown_tokens_are_refused(account: t.Any) -> None:
    describe = account.ec2.describe_instance_types
    assert code(describe, Filters=[{"Name": "colour", "Values": ["red"]}]) == "InvalidParameterValue"
    assert code(describe, NextToken="!") == "InvalidParameterValue"


def test_interface_types_of_network_cards_can_be_omitted(account: t.Any) -> None:
    """As by a botocore that does not support them."""

    def cards() -> list[dict[str, t.Any]]:
        return account.ec2.describe_instance_types(**by("ml.p6-b300.48xlarge"))["InstanceTypes"][0]["NetworkInfo"]["NetworkCards"]

    assert [each["InterfaceTypes"] for each in cards()[:2]] == [["interface"], ["interface", "efa", "efa-only"]] and len(cards()) == 17
    account.control.settings(network_card_interface_types=False)
    assert all("InterfaceTypes" not in each and each["MaximumNetworkInterfaces"] == 4 for each in cards())
