# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How answers of EC2 about instance types are read; missing values stay missing."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.instance_types import (
    InstanceType,
    InstanceTypes,
    read,
    wanted,
)

NOTHING = InstanceType(0, "", None, 0, 0)
H100 = {"Name": "H100", "Count": 8, "MemoryInfo": {"SizeInMiB": 81920}}


def gpus(*each: dict[str, t.Any]) -> dict[str, t.Any]:
    return {"GpuInfo": {"Gpus": list(each)}}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({}, NOTHING),
        ({"GpuInfo": {}, "NeuronInfo": {}, "NetworkInfo": {"EfaSupported": False}}, NOTHING),
        (gpus(H100), InstanceType(8, "H100", 81920, 0, 0)),
        (gpus({"Name": "T4", "Count": 1}), InstanceType(1, "T4", None, 0, 0)),
        (gpus(H100, {**H100, "Count": 2}), InstanceType(10, "H100", 81920, 0, 0)),
        (gpus({**H100, "Count": 8, "LogicalGpuCount": 16}), InstanceType(8, "H100", 81920, 0, 0)),
        (gpus({"Name": "L4", "Count": 0, "LogicalGpuCount": 1}), InstanceType(1, "L4", None, 0, 0)),
        (gpus({"Name": "L4"}), InstanceType(0, "L4", None, 0, 0)),
        ({"NetworkInfo": {"EfaSupported": True, "EfaInfo": {"MaximumEfaInterfaces": 32}}}, InstanceType(0, "", None, 32, 0)),
        ({"NetworkInfo": {"EfaSupported": True}}, InstanceType(0, "", None, None, 0)),
        ({"NeuronInfo": {"NeuronDevices": [{"Count": 12}, {"Count": 4}]}}, InstanceType(0, "", None, 0, 16)),
        ({"VCpuInfo": {"DefaultVCpus": 192}, "MemoryInfo": {"SizeInMiB": 2097152}}, InstanceType(0, "", None, 0, 0, 192, 2097152)),
        ({"VCpuInfo": {"DefaultVCpus": 4, "DefaultThreadsPerCore": 2}}, InstanceType(0, "", None, 0, 0, 4, None, 2)),
        ({"InferenceAcceleratorInfo": {"Accelerators": [{"Count": 4}]}}, NOTHING),
    ],
)
def test_the_properties_of_a_type_are_read(answer: dict[str, t.Any], expected: InstanceType) -> None:
    assert InstanceType.from_api(answer) == expected


def test_each_name_is_requested_once() -> None:
    assert wanted(["ml.p5.48xlarge", "p5.48xlarge", "ml.p5.48xlarge"]) == ["ml.p5.48xlarge", "p5.48xlarge"]


def test_a_wildcard_is_refused() -> None:
    with pytest.raises(Refused, match=r"^instance_types: 'ml.p5.\*' is not allowed. Allowed: an instance type of") as refused:
        wanted(["ml.p5.*"])
    assert refused.value.option == "instance_types"


def test_a_call_requests_at_most_a_hundred_types(stubbed: t.Any) -> None:
    client, stub = stubbed("ec2")
    names = [f"x{number}.large" for number in range(101)]
    for part in (names[:100], names[100:]):
        request = {"Filters": [{"Name": "instance-type", "Values": part}]}
        stub.add_response("describe_instance_types", {"InstanceTypes": [{"InstanceType": part[-1], **gpus(H100)}]}, request)
    found = read(InstanceTypes(client), names, zones=False)["instance_types"]
    assert [each["name"] for each in found] == names
    assert [each["name"] for each in found if each["known"]] == ["x99.large", "x100.large"]
    assert {each["gpus"] for each in found if not each["known"]} == {None}
