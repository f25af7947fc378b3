# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kernel records of NVSwitches, infoROMs, EFA and Neuron devices, and the second witness of each."""

from __future__ import annotations

import dataclasses
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import kernel_devices, witness
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import Problem
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.witness import Witness
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.xid_verdicts import Judged
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected

from .bare import UNKNOWN_TYPE, address, efa, event, gpu, look, pci, state

WATCH, UNKNOWN, REBOOT, REPLACE = "watch", "unknown", "unfit-reboot", "unfit-replace"
TWO_LINKS: Expected = dataclasses.replace(UNKNOWN_TYPE, links=2, fabric=False)
DENIED = ", but the device shows no sign of the fault. A kernel record alone does not make a node unfit."
HINT = ", but the record is only in a line of dmesg, which may be a part of another record. A kernel record alone does not make a node unfit."


def found(*events: model.KernelEvent, wanted: Expected = UNKNOWN_TYPE, **values: t.Any) -> list[Problem]:
    return list(kernel_devices.problems(look(state(**values), wanted=wanted), events))


def links(*speeds: float | None) -> dict[str, model.NvLinks]:
    return {"GPU-0": model.NvLinks(dict(enumerate(speeds)), {})}


def sxid(code: int, detail: str = "Fatal, Link 3", **values: t.Any) -> model.KernelEvent:
    return event("sxid", code, detail=detail, **values)


SWITCH = f"NVSwitch {address(0)}"
ONE_DOWN = "Confirmed by a second witness: 1 of 2 NVLinks are up."


def of_switch(code: int, verdict: str, words: str, again: str = "", detail: str = "Fatal, Link 3") -> Problem:
    return Problem("nvswitch-sxid", verdict, "fabric", f"{SWITCH} reported SXid {code}{words}", SWITCH, f"{address(0)} SXid {code}", detail, again)


@pytest.mark.parametrize(
    ("record", "speeds", "expected"),
    [
        (sxid(22003), (25.0, None), of_switch(22003, REBOOT, f": fatal for all GPUs of the board. {ONE_DOWN}", REPLACE)),
        (sxid(20034), (25.0, None), of_switch(20034, REBOOT, f": fatal for the GPUs of that port. {ONE_DOWN}", REPLACE)),
        (sxid(22003), (25.0, 25.0), of_switch(22003, WATCH, DENIED)),
        (sxid(22003, hint=True), (25.0, None), of_switch(22003, WATCH, HINT)),
        (sxid(20012, "Non-fatal"), (25.0, 25.0), of_switch(20012, WATCH, ": a link or guest access error; a single error proves nothing.", detail="Non-fatal")),
    ],
)
def test_a_record_of_a_switch_is_judged_by_its_code_and_the_links(record: model.KernelEvent, speeds: tuple[float | None, ...], expected: Problem) -> None:
    assert found(record, gpus=[gpu()], nvlinks=links(*speeds), wanted=TWO_LINKS) == [expected]


def test_a_record_of_a_switch_is_unknown_if_its_links_could_not_be_read() -> None:
    unread = ": fatal for all GPUs of the board. The signs of this fault could not be read: {}."
    (problem,) = found(sxid(22003), gpus=[gpu()], wanted=TWO_LINKS)
    assert problem == of_switch(22003, UNKNOWN, unread.format("nvidia-smi nvlink -s"))
    for values in ({"gpus": None, "wanted": TWO_LINKS}, {"gpus": [gpu()]}):
        assert found(sxid(22003), **values) == [of_switch(22003, UNKNOWN, unread.format("NVLinks"))]


def test_each_code_of_a_switch_is_one_problem_and_notes_are_none() -> None:
    events = [sxid(22003), sxid(22003), sxid(20012), sxid(22003, number=1), sxid(10001)]
    keys = [each.key for each in found(*events)]
    assert keys == [f"{address(0)} SXid 22003", f"{address(0)} SXid 20012", f"{address(1)} SXid 22003"]


ROM_UNREAD = ": the driver could not read it. The signs of this fault could not be read: nvidia-smi -q -x."


def rom(verdict: str, words: str, evidence: str, again: str = "") -> Problem:
    part = f"GPU 0 ({address(0)})"
    return Problem("gpu-inforom", verdict, "hardware", f"{part} {words}", part, "S0", evidence, again)


@pytest.mark.parametrize(
    ("records", "tool", "expected"),
    [
        ((), (address(0),), [rom(REBOOT, "has a damaged infoROM.", "nvidia-smi: infoROM is corrupted", REPLACE)]),
        ((event("inforom"),), (address(0),), [rom(REBOOT, "has a damaged infoROM.", "nvidia-smi: infoROM is corrupted", REPLACE)]),
        ((event("inforom"), event("inforom", detail="Later")), (), [rom(UNKNOWN, f"reported a damaged infoROM{ROM_UNREAD}", "Later")]),
        ((event("inforom", hint=True),), (), [rom(WATCH, f"reported a damaged infoROM{HINT}", "Words")]),
        ((), (), []),
    ],
)
def test_an_inforom_is_judged_by_the_record_and_nvidia_smi(records: tuple[model.KernelEvent, ...], tool: tuple[str, ...], expected: list[Problem]) -> None:
    document = model.SmiDocument("595.71", "13.0", 1, (gpu(),), (), tool)
    assert found(*records, gpus=None, smi=document) == expected


def test_an_inforom_is_unknown_without_a_document() -> None:
    (problem,) = found(event("inforom"), gpus=None)
    assert (problem.verdict, problem.again) == (UNKNOWN, "") and problem.text.endswith(ROM_UNREAD)


def of_efa(name: str, verdict: str, words: str, again: str = "") -> Problem:
    text = f"EFA device {name} does not answer its driver, according to the kernel{words}"
    return Problem("efa-error", verdict, "hardware", text, name, name, "Words", again)


PORT_DOWN = ": the device has failed. Confirmed by a second witness: port state DOWN."


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (event("efa", device="rdmap0s0", pci=""), of_efa("rdmap0s0", REBOOT, PORT_DOWN, REPLACE)),
        (event("efa", pci="0000:a0:00.0"), of_efa("rdmap0s0", REBOOT, PORT_DOWN, REPLACE)),
        (event("efa", pci="0000:a1:00.0"), of_efa("rdmap1s0", WATCH, DENIED)),
        (event("efa", pci="0000:a0:00.0", hint=True), of_efa("rdmap0s0", WATCH, HINT)),
        (
            event("efa", pci="0000:a9:00.0"),
            of_efa("0000:a9:00.0", REBOOT, ": the device has failed. Confirmed by a second witness: the RDMA device no longer exists.", REPLACE),
        ),
    ],
)
def test_a_record_of_an_efa_device_is_judged_by_its_port(record: model.KernelEvent, expected: Problem) -> None:
    assert found(record, record, efa=(efa(0, state="DOWN"), efa(1))) == [expected]


def test_records_of_neuron_devices_are_hints() -> None:
    text = "The Neuron runtime reported a hardware error. The node is unfit only if counters also show uncorrected errors."
    problems = found(event("neuron", detail="a"), event("neuron", detail="b"), event("neuron", detail="a"))
    assert problems == [Problem("neuron-error", WATCH, "hardware", text, key=word, evidence=word) for word in ("a", "b")]


ON_NEURON = "on a node with Neuron devices, users' programs can write such records"
DMESG = "the record is only in a line of dmesg, which may be a part of another record"


@pytest.mark.parametrize(
    ("on_bus", "of_dmesg", "words"),
    [((), False, ""), ((pci("gpu"),), False, ""), ((pci("gpu"), pci("neuron", 1)), False, ON_NEURON), ((pci("neuron", 1),), True, DMESG)],
)
def test_records_of_dmesg_and_on_nodes_with_neuron_devices_are_hints(on_bus: tuple[model.PciDevice, ...], of_dmesg: bool, words: str) -> None:
    assert witness.hint(look(state(pci=on_bus)), event("xid", 79, hint=of_dmesg)) == words


CAUSE = Judged(REBOOT, "hardware", "it broke", REPLACE)


@pytest.mark.parametrize(
    ("value", "expected", "words"),
    [
        ("confirmed", dataclasses.replace(CAUSE, confirmed_by="W"), ": it broke. Confirmed by a second witness: W."),
        ("denied", Judged(WATCH, "hardware", "it broke", unconfirmed="the device shows no sign of the fault"), DENIED),
        (
            "unreadable",
            Judged(UNKNOWN, "hardware", "it broke", unread="W"),
            ": it broke. The signs of this fault could not be read: W.",
        ),
    ],
)
def test_a_witness_settles_a_record(value: str, expected: Judged, words: str) -> None:
    settled = witness.settled(CAUSE, Witness(value, "W"))
    assert settled == expected and witness.explained(settled) == words
    assert witness.explained(CAUSE) == ": it broke."


LATER = Judged(WATCH, "hardware", "once is no proof", REBOOT)
RESET = {"recovery_action": "Reset"}


@pytest.mark.parametrize(
    ("judged", "of_dmesg", "values", "expected"),
    [
        (Judged(WATCH, "hardware", "a look"), True, {}, Judged(WATCH, "hardware", "a look")),
        (LATER, False, RESET, LATER),
        (LATER, False, {}, dataclasses.replace(LATER, again="")),
        (LATER, False, {"recovery_action": None}, dataclasses.replace(LATER, again="")),
        (LATER, True, RESET, dataclasses.replace(LATER, again="")),
        (CAUSE, True, RESET, Judged(WATCH, "hardware", "it broke", unconfirmed=DMESG)),
        (CAUSE, False, RESET, dataclasses.replace(CAUSE, confirmed_by="gpu_recovery_action: Reset")),
        (CAUSE, False, {}, Judged(WATCH, "hardware", "it broke", unconfirmed="the device shows no sign of the fault")),
    ],
)
def test_a_record_of_a_gpu_is_judged_with_its_witness(judged: Judged, of_dmesg: bool, values: dict[str, t.Any], expected: Judged) -> None:
    seen = look(state([gpu(**values)]))
    assert witness.for_xid(seen, event("xid", 32, hint=of_dmesg), judged, lambda: witness.of_xid(seen, address(0), 32)) == expected
