# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""EFA and Neuron devices at the limits of each rule, and what confirms a kernel record of an EFA device."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import devices, witness
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.memory import Memory
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import Problem
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.model import Limits, NeuronDevice, State, Unseen

from .bare import UNKNOWN_TYPE, efa, look, pci, sample, state

WATCH, UNKNOWN, REBOOT, REPLACE = "watch", "unknown", "unfit-reboot", "unfit-replace"
GIB = 1024**3


def found(seen: State, **more: t.Any) -> list[Problem]:
    return list(devices.problems(look(seen, **more)))


@pytest.mark.parametrize(("present", "wanted", "expected"), [(1, 2, True), (2, 2, False), (3, 2, False), (0, 0, False), (0, None, False)])
def test_fewer_efa_devices_than_expected_are_a_problem(present: int, wanted: int | None, expected: bool) -> None:
    seen = state(efa=tuple(efa(number) for number in range(present)))
    text = f"{present} of {wanted} EFA devices are present (expected by EC2)."
    missing = [Problem("efa-missing", REBOOT, "hardware", text, again=REPLACE)]
    assert found(seen, wanted=dataclasses.replace(UNKNOWN_TYPE, efa=wanted, source="EC2")) == (missing if expected else [])


@pytest.mark.parametrize(("uptime", "verdict"), [(299, UNKNOWN), (300, REBOOT)])
def test_missing_devices_are_unknown_for_five_minutes_after_boot(uptime: int, verdict: str) -> None:
    (problem,) = found(state(uptime_seconds=uptime), wanted=dataclasses.replace(UNKNOWN_TYPE, efa=1))
    assert problem.verdict == verdict


@pytest.mark.parametrize("down", ["NOP", "DOWN", "INIT", "ARMED", "ACTIVE_DEFER"])
def test_ports_that_are_down_are_a_problem(down: str) -> None:
    text = "EFA device rdmap0s0 is not up."
    assert found(state(efa=(efa(state=down), efa(1)))) == [
        Problem("efa-down", REBOOT, "hardware", text, "rdmap0s0", "rdmap0s0", f"state: {down}", REPLACE)
    ]


@pytest.mark.parametrize(("words", "evidence"), [("", "state: not read"), ("SLEEP", "state: SLEEP")])
def test_ports_in_an_unknown_state_are_unknown(words: str, evidence: str) -> None:
    text = "EFA device rdmap0s0 has a port in an unknown state."
    assert found(state(efa=(efa(state=words),))) == [Problem("efa-down", UNKNOWN, "hardware", text, "rdmap0s0", "rdmap0s0", evidence)]


def test_devices_that_libfabric_does_not_offer_are_a_problem() -> None:
    seen = state(efa=(efa(0), efa(1), efa(2)), efa_domains=("rdmap1s0", "another"))
    text, evidence = "libfabric offers 1 of 3 EFA devices.", "not in fi_info: rdmap0s0, rdmap2s0"
    assert found(seen) == [Problem("efa-not-offered", WATCH, "config", text, evidence=evidence)]
    assert found(dataclasses.replace(seen, efa_domains=None)) == []
    assert found(dataclasses.replace(seen, efa_domains=("rdmap0s0", "rdmap1s0", "rdmap2s0"))) == []


COUNTERS = ("rx_drops", "rdma_read_wr_err", "rdma_write_wr_err", "no_completion_cmds")


@pytest.mark.parametrize("name", COUNTERS)
@pytest.mark.parametrize(("grown", "uptime", "reported"), [(101, 950.0, True), (100, 950.0, False), (200, 800.0, False), (201, 800.0, True)])
def test_errors_of_a_device_count_above_100_and_above_one_per_second(name: str, grown: int, uptime: float, reported: bool) -> None:
    """The limit for 50 s is 100, for 200 s it is 200."""
    last = sample(uptime=uptime, efa={"rdmap0s0": {name: 5}})
    problems = found(state(efa=(efa(counters={name: 5 + grown}),)), memory=Memory("i-1", sample=last))
    evidence = f"{name}: {grown} in {1000 - uptime:.0f} s"
    text = "EFA device rdmap0s0 reports local errors."
    assert problems == ([Problem("efa-errors", WATCH, "hardware", text, "rdmap0s0", "rdmap0s0", evidence)] if reported else [])


@pytest.mark.parametrize(
    ("name", "last"),
    [("retrans_pkts", sample(efa={"rdmap0s0": {"retrans_pkts": 0}})), ("rx_drops", sample(efa={})), ("rx_drops", None)],
    ids=["an error of the peer", "without a previous count", "without a previous check"],
)
def test_counters_without_a_local_error_are_no_problem(name: str, last: t.Any) -> None:
    assert found(state(efa=(efa(port_counters={name: 9999}),)), memory=Memory("i-1", sample=last)) == []


LOW = Limits("slurmd", 7, 16 * GIB - 1, 1024)


@pytest.mark.parametrize(
    ("services", "service"),
    [
        ([LOW], "slurmd"),
        ([dataclasses.replace(LOW, locked_memory=16 * GIB)], ""),
        ([dataclasses.replace(LOW, locked_memory=None)], ""),
        ([dataclasses.replace(LOW, service="containerd"), dataclasses.replace(LOW, locked_memory=None)], ""),
        ([dataclasses.replace(LOW, service="dockerd"), dataclasses.replace(LOW, service="containerd")], "containerd"),
        ([dataclasses.replace(LOW, service="dockerd")], "dockerd"),
        ([dataclasses.replace(LOW, service="sshd")], ""),
        ([], ""),
    ],
)
def test_low_locked_memory_of_the_service_that_starts_jobs_is_a_problem(services: list[Limits], service: str) -> None:
    text = f"{service} allows jobs to lock only {16 * GIB - 1} bytes of memory, which is too little for EFA."
    evidence = f"Max locked memory: {16 * GIB - 1}"
    expected = [Problem("locked-memory", WATCH, "config", text, service, service, evidence)] if service else []
    assert found(state(efa=(efa(),), limits=tuple(services))) == expected
    assert found(state(limits=tuple(services))) == [], "a node without EFA"


def neuron(number: int = 0, **errors: int) -> NeuronDevice:
    return NeuronDevice(number, f"0000:0{number}:00.0", 2, 1, None, 0, errors)


@pytest.mark.parametrize(
    ("listed", "on_bus", "wanted", "unseen", "missing"),
    [
        (1, 2, None, "", "1 of 2"),
        (2, 2, None, "", ""),
        (2, 2, 3, "", "2 of 3"),
        (0, 2, 0, "", ""),
        (0, 2, 2, "neuron-ls", ""),
        (0, 2, 2, "Neuron devices", ""),
        (0, 2, 3, "neuron-ls", "2 of 3"),
        (0, 2, 2, "GPUs", "0 of 2"),
    ],
)
def test_fewer_neuron_devices_than_expected_are_a_problem(listed: int, on_bus: int, wanted: int | None, unseen: str, missing: str) -> None:
    seen = state(
        neuron=tuple(neuron(number) for number in range(listed)),
        pci=(*(pci("neuron", number) for number in range(on_bus)), pci("gpu", 9)),
        unseen=(Unseen(unseen, "it hangs"),) if unseen else (),
    )
    text = f"{missing} Neuron devices are present."
    expected = [Problem("neuron-missing", REBOOT, "hardware", text, again=REPLACE)] if missing else []
    assert found(seen, wanted=dataclasses.replace(UNKNOWN_TYPE, neuron=wanted)) == expected


def test_uncorrected_errors_of_neuron_memory_are_a_problem() -> None:
    seen = state(neuron=(neuron(0, mem_ecc_corrected=9), neuron(1, mem_ecc_uncorrected=1), neuron(2, sram_ecc_uncorrected=2)))
    problems = [each for each in found(seen) if each.code == "neuron-memory"]
    text = "Neuron device 1 has uncorrected memory errors."
    assert problems[0] == Problem(
        "neuron-memory", REPLACE, "hardware", text, "Neuron device 1", "0000:01:00.0", "mem_ecc_uncorrected: 1"
    )
    assert [each.evidence for each in problems[1:]] == ["sram_ecc_uncorrected: 2"]
    (nameless,) = found(state(neuron=(dataclasses.replace(neuron(3, mem_ecc_uncorrected=1), pci=""),)))
    assert nameless.key == "Neuron device 3"


CONFIRMED, DENIED, UNREADABLE = "confirmed", "denied", "unreadable"
ZERO = {"cmds_err": 0, "no_completion_cmds": 0}


def witness_of(seen: State, *, base: t.Any = None) -> tuple[str, str]:
    shown = witness.of_efa(look(seen, memory=Memory("i-1", baseline=base)), "rdmap0s0")
    return shown.value, shown.words


@pytest.mark.parametrize("down", ["NOP", "DOWN", "INIT", "ARMED", "ACTIVE_DEFER"])
def test_a_port_that_is_down_confirms_a_record(down: str) -> None:
    assert witness_of(state(efa=(efa(state=down),))) == (CONFIRMED, f"port state {down}")


@pytest.mark.parametrize(
    ("counters", "base", "expected"),
    [
        (ZERO, None, (DENIED, "")),
        ({**ZERO, "cmds_err": 1}, None, (CONFIRMED, "cmds_err: 1")),
        ({**ZERO, "no_completion_cmds": 2}, None, (CONFIRMED, "no_completion_cmds: 2")),
        ({"cmds_err": 4, "no_completion_cmds": 3}, sample(efa={"rdmap0s0": {"cmds_err": 4, "no_completion_cmds": 3}}), (DENIED, "")),
        ({"cmds_err": 5, "no_completion_cmds": 3}, sample(efa={"rdmap0s0": {"cmds_err": 4}}), (CONFIRMED, "cmds_err: 5")),
        ({**ZERO, "cmds_err": 4}, sample(boot_id="last", efa={"rdmap0s0": {"cmds_err": 4}}), (CONFIRMED, "cmds_err: 4")),
        ({**ZERO, "cmds_err": 4}, sample(efa={"rdmap1s0": {"cmds_err": 4}}), (CONFIRMED, "cmds_err: 4")),
        ({"cmds_err": 0}, None, (UNREADABLE, "counters")),
        ({}, None, (UNREADABLE, "counters")),
        ({"cmds_err": 1}, None, (CONFIRMED, "cmds_err: 1")),
    ],
)
def test_growing_counters_confirm_a_record(counters: dict[str, int], base: t.Any, expected: tuple[str, str]) -> None:
    assert witness_of(state(efa=(efa(counters=counters),)), base=base) == expected


def test_values_of_an_efa_device_that_could_not_be_read_neither_confirm_nor_deny() -> None:
    assert witness_of(state(efa=(efa(state=""),))) == (UNREADABLE, "port state not read")
    assert witness_of(state(efa=(efa(state="SLEEP", counters={}),))) == (UNREADABLE, "port state SLEEP, counters")
    assert witness_of(state(efa=(efa(1),))) == (CONFIRMED, "the RDMA device no longer exists")
    assert witness_of(state(unseen=(Unseen("GPUs", "hidden"),))) == (CONFIRMED, "the RDMA device no longer exists")
    assert witness_of(state(unseen=(Unseen("EFA devices", "hidden"),))) == (UNREADABLE, "EFA devices")
