# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both layouts of neuron-ls, and a document of neuron-monitor."""

from __future__ import annotations

import json
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.neuron import (
    Unreadable,
    devices,
    errors,
    uncounted,
)

ONE = {"neuron_device": 1, "bdf": "a0:1c.0", "nc_count": 2, "memory_size": 34359738368, "neuron_processes": [{"pid": 7}]}
ZERO = {"neuron_device": 0, "bdf": "a0:1d.0", "nc_count": 4, "logical_neuroncore_config": 2, "connected_to": None}


@pytest.mark.parametrize("document", [[ONE, ZERO], {"instance_type": "trn1.32xlarge", "any_name": [ONE, ZERO]}], ids=["list", "object"])
def test_both_layouts_are_read(document: t.Any) -> None:
    zero, one = devices(json.dumps(document))
    assert (one.index, one.pci, one.cores, one.cores_of_one, one.memory, one.processes) == (1, "0000:a0:1c.0", 2, 1, 34359738368, 1)
    assert (zero.index, zero.cores, zero.cores_of_one, zero.memory, zero.processes) == (0, 4, 2, None, 0)


@pytest.mark.parametrize("value", ["unknown", "", None, [], {}, float("inf")], ids=repr)
@pytest.mark.parametrize(("name", "field"), [("nc_count", "cores"), ("memory_size", "memory"), ("logical_neuroncore_config", "cores_of_one")])
def test_an_invalid_value_hides_no_device(name: str, field: str, value: t.Any) -> None:
    zero, one = devices(json.dumps([{**ONE, name: value}, ZERO]), {1: {"mem_ecc_uncorrected": 3}})
    unknown = 1 if name == "logical_neuroncore_config" and not value else None
    assert getattr(one, field) == unknown and (one.index, one.processes, one.errors) == (1, 1, {"mem_ecc_uncorrected": 3})
    assert zero == devices(json.dumps([ONE, ZERO]))[0]


def test_the_count_of_cores_may_be_missing() -> None:
    assert devices(json.dumps([{"neuron_device": 0}]))[0].cores is None


def test_control_characters_in_names_have_no_effect() -> None:
    command = "a\x1b[31m\x02\t\x7f"
    listed = json.dumps([{**ONE, "neuron_processes": [{"pid": 7, "command": "NAME"}]}, ZERO]).replace("NAME", command)
    assert devices(listed) == devices(json.dumps([ONE, ZERO]))
    counted = json.dumps({"neuron_runtime_data": [{"report": "NAME"}], **json.loads(monitored({"neuron_device_index": 1, **GOOD}))})
    assert errors(counted.replace("NAME", command)) == {1: GOOD}


def monitored(*counters: t.Any) -> str:
    return json.dumps({"system_data": {"neuron_hw_counters": {"neuron_devices": list(counters)}}})


def test_errors_are_added_to_their_device() -> None:
    counted = monitored({"neuron_device_index": 1, "mem_ecc_uncorrected": 3, "sram_ecc_corrected": 0, "other": 9}, {"odd": 1}, None)
    zero, one = devices(json.dumps([ONE, ZERO]), errors(counted))
    assert (zero.errors, one.errors) == ({}, {"mem_ecc_uncorrected": 3, "sram_ecc_corrected": 0})


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("", "the output is not a JSON document"),
        pytest.param("[" * 200_000, "the output is not a JSON document", id="too deep"),
        ("{}", "the output has no counters of devices"),
        ("null", "the output has no counters of devices"),
        ('{"system_data": null}', "the output has no counters of devices"),
        ('{"system_data": {"neuron_hw_counters": {"neuron_devices": null, "error": "no driver"}}}', "error: no driver"),
        ('{"system_data": {"neuron_hw_counters": {"neuron_devices": [], "error": "no driver"}}}', "error: no driver"),
    ],
)
def test_an_incomplete_document_of_the_monitor_is_refused(document: str, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        errors(document)


NO_ANSWERS = [
    *("", "usage: neuron-ls", "3", '{"a": 1}', '{"a": [{"b": 1}]}', *(f'[{{"neuron_device": {each}}}]' for each in ('"x"', "1e999")), "[1]"),
    pytest.param("[" * 200_000, id="too deep"),
]


@pytest.mark.parametrize("text", NO_ANSWERS)
def test_other_output_of_neuron_ls_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        devices(text)


def test_a_node_without_neuron_devices() -> None:
    assert devices("[]") == ()


GOOD = {"mem_ecc_uncorrected": 0, "sram_ecc_uncorrected": 0}


@pytest.mark.parametrize(
    ("counters", "devices_named"),
    [
        ([{"neuron_device_index": 0, **GOOD}, {"neuron_device_index": 1, **GOOD}], ""),
        ([{"neuron_device_index": 0, **GOOD}], "device 1"),
        ([], "device 0, 1"),
        ([{"neuron_device_index": 0, **GOOD}, {"neuron_device_index": 1, "mem_ecc_uncorrected": 0}], "device 1"),
        ([{"neuron_device_index": 0, **GOOD}, {"neuron_device_index": 1, **GOOD, "sram_ecc_uncorrected": None}], "device 1"),
        ([{"neuron_device_index": 0, **GOOD}, {"neuron_device_index": 1, **GOOD, "mem_ecc_uncorrected": "0"}], "device 1"),
        ([{"neuron_device_index": 0, **GOOD}, {"neuron_device_index": 1, **GOOD, "mem_ecc_uncorrected": False}], "device 1"),
        ([{"neuron_device_index": 0, **GOOD}, {"neuron_device_index": 1, **GOOD, "mem_ecc_uncorrected": -1}], "device 1"),
        ([{"neuron_device_index": 0, **GOOD}, {"neuron_device_index": True, **GOOD}], "device 1"),
    ],
)
def test_devices_without_error_counters_are_named(counters: list[t.Any], devices_named: str) -> None:
    found = devices(json.dumps([ONE, ZERO]), errors(monitored(*counters)))
    assert uncounted(found) == (f"the output has no counters of uncorrected errors of {devices_named}" if devices_named else "")
