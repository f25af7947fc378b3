# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""instance_type_info against the simulated API."""

from __future__ import annotations

import typing as t

import pytest
from lab.aws import permissions
from simulated.shape import reads


def rows(simulator: t.Any, *names: str) -> list[dict[str, t.Any]]:
    found = reads(simulator, "instance_type_info", instance_types=list(names))["instance_types"]
    assert [each.pop("zones") for each in found] == [None] * len(found)
    return [{key: value for key, value in each.items() if key not in ("gpu_manufacturer", "architecture")} for each in found]


def row(name: str, *values: t.Any) -> dict[str, t.Any]:
    names = ("gpus", "gpu_name", "gpu_memory_mib", "efa_devices", "neuron_devices", "vcpus", "memory_mib", "threads_per_core")
    return {"name": name, **dict(zip(names, values, strict=True)), "known": values[0] is not None}


def test_hardware_of_types_in_the_order_of_the_option(simulator: t.Any) -> None:
    found = rows(simulator, "ml.trn2.48xlarge", "ml.p5.48xlarge", "ml.m5.large", "ml.g5.xlarge", "inf2.xlarge", "g6f.large")
    assert found == [
        row("ml.trn2.48xlarge", 0, "", None, 16, 16, 192, 2097152, 2),
        row("ml.p5.48xlarge", 8, "H100", 81920, 32, 0, 192, 2097152, 2),
        row("ml.m5.large", 0, "", None, 0, 0, 2, 8192, 2),
        row("ml.g5.xlarge", 1, "A10G", 22888, 0, 0, 4, 16384, 2),
        row("inf2.xlarge", 0, "", None, 0, 1, 4, 16384, 2),
        row("g6f.large", 1, "L4", 2861, 0, 0, 2, 8192, 2),
    ]
    assert simulator.calls() == ["DescribeInstanceTypes"]


def test_an_unknown_type_does_not_affect_the_others(simulator: t.Any) -> None:
    unknown, known = rows(simulator, "ml.p9.48xlarge", "ml.p4d.24xlarge")
    assert unknown == row("ml.p9.48xlarge", None, "", None, None, None, None, None, None)
    assert known == row("ml.p4d.24xlarge", 8, "A100", 40960, 4, 0, 96, 1179648, 2)


def test_both_forms_of_a_name_are_one_row_and_one_request(simulator: t.Any) -> None:
    found = rows(simulator, "ml.p5.48xlarge", "p5.48xlarge", "ml.p5.48xlarge")
    assert [(each["name"], each["gpus"]) for each in found] == [("ml.p5.48xlarge", 8), ("p5.48xlarge", 8)]
    (call,) = simulator.control("calls")
    assert call["arguments"]["Filters"] == [{"Name": "instance-type", "Values": ["p5.48xlarge"]}]


def test_the_processor_the_manufacturer_and_the_zones(simulator: t.Any) -> None:
    names = ["p5.48xlarge", "g5g.xlarge", "m5.large", "p9.48xlarge"]
    found = reads(simulator, "instance_type_info", instance_types=names, zones=True)["instance_types"]
    assert [(each["gpu_manufacturer"], each["architecture"]) for each in found] == [
        ("NVIDIA", "x86_64"),
        ("NVIDIA", "arm64"),
        ("", "x86_64"),
        ("", ""),
    ]
    assert found[2]["zones"][:2] == ["us-west-2a", "us-west-2b"]
    assert found[3]["zones"] == []
    assert simulator.calls() == ["DescribeInstanceTypes", "DescribeInstanceTypeOfferings"]


def test_types_are_found_on_all_pages(simulator: t.Any) -> None:
    before = simulator.control("settings")["page_size"]
    simulator.control("settings", {"page_size": 2})
    try:
        found = rows(simulator, *(f"ml.g5.{size}xlarge" for size in ("", "2", "4", "8", "12")))
    finally:
        simulator.control("settings", {"page_size": before})
    assert [each["gpus"] for each in found] == [1, 1, 1, 1, 4]
    assert simulator.calls() == ["DescribeInstanceTypes"] * 3


def test_empty_input_makes_no_call(simulator: t.Any) -> None:
    assert rows(simulator) == [] and simulator.calls() == []


@pytest.mark.parametrize("wrong", ["p5", "ml.p5", "", "ml.ml.p5.48xlarge", "p5.*", "P5.48xlarge", "p5.48xlarge\n"])
def test_bad_types_are_refused_before_any_call(simulator: t.Any, wrong: str) -> None:
    result = simulator.run("instance_type_info", instance_types=["ml.p5.48xlarge", wrong])
    allowed = "an instance type of HyperPod or EC2, such as ml.p5.48xlarge or p5.48xlarge"
    assert result["msg"] == f"instance_types: {wrong!r} is not allowed. Allowed: {allowed}." and not simulator.calls()


def test_throttling_does_not_change_the_result(simulator: t.Any, faults: t.Any) -> None:
    faults(kind="throttle", operation="DescribeInstanceTypes", times=2)
    assert [each["gpus"] for each in rows(simulator, "ml.p5.48xlarge")] == [8]


@pytest.mark.parametrize("name", ["login-access", "read-only"])
def test_each_policy_with_the_action_suffices(simulator: t.Any, policies: t.Any, name: str) -> None:
    policies(permissions.documented(name))
    assert rows(simulator, "ml.p5.48xlarge")[0]["known"]


def test_a_denied_call_names_the_missing_action(simulator: t.Any, policies: t.Any) -> None:
    policies(permissions.documented("client-vpn"))
    message = simulator.run("instance_type_info", instance_types=["ml.p5.48xlarge"])["msg"]
    assert message.startswith("DescribeInstanceTypes for instance types p5.48xlarge failed; allow the action"), message
    assert "UnauthorizedOperation" in message
