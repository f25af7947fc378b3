# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The second witness of each kernel record: it confirms, it denies, or it could not be read."""

from __future__ import annotations

import collections
import dataclasses
import types
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import (
    look,
    memory,
    signals,
    sxid_verdicts,
    witness,
    xid_verdicts,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import REBOOT as _REBOOT, at_least
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.witness import ROWS, hint
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import expected
from lab.accelerators import smi
from lab.accelerators.story import MISSING, Story, healthy

from .judge.nodes import Node, fault, lean, reboot, verdicts, xid

WATCH, UNKNOWN, REBOOT, REPLACE = "watch", "unknown", "unfit-reboot", "unfit-replace"
G5, A100, H100, B200 = "ml.g5.48xlarge", "ml.p4d.24xlarge", "ml.p5.48xlarge", "ml.p6-b200.48xlarge"
Change = t.Callable[[Story], object]
UNCONFIRMED = "gpu-xid-unconfirmed"
GPUS = 4
"""Each has three peers, as the rule for PCIe requires, and the check is quick."""


def gpu(**values: str | None) -> Change:
    """Set elements of the first GPU's document. Two underscores in a name mean a slash."""
    return lambda story: story.gpus[0].elements.update({name.replace("__", "/"): value for name, value in values.items()})


def first_gpu(**values: object) -> Change:
    return lambda story: [setattr(story.gpus[0], name, value) for name, value in values.items()]


def tool(name: str, output: str) -> Change:
    return lambda story: story.tools.update({name: output})


def without_links(*options: str) -> Change:
    return lambda story: setattr(story, "links_missing", options)


def driver(version: str) -> Change:
    return lambda story: setattr(story, "driver", version)


VOLATILE, AGGREGATE = "ecc_errors__volatile__", "ecc_errors__aggregate__"
GONE: dict[str, list[Change]] = {
    "confirmed": [first_gpu(lost="GPU is lost"), first_gpu(lost="Unknown Error"), first_gpu(answers_bus=False), gpu(performance_state="GPU is lost")],
    "unreadable": [gpu(serial="N/A"), gpu(serial="Unknown Error"), tool("nvidia-smi", MISSING), tool("nvidia-smi", "garbled")],
}
MEMORY: dict[str, list[Change]] = {
    "confirmed": [
        *(gpu(**{f"{VOLATILE}{name}": "1"}) for name in ("dram_uncorrectable", "sram_uncorrectable_parity", "sram_uncorrectable_secded")),
        *(gpu(**{f"{AGGREGATE}{name}": "9"}) for name in ("dram_uncorrectable", "sram_uncorrectable_secded")),
        gpu(remapped_rows__remapped_row_pending="Yes"),
        gpu(remapped_rows__remapped_row_failure="Yes"),
        gpu(retired_pages__pending_retirement="Yes"),
        gpu(ecc_errors__aggregate__sram_threshold_exceeded="Yes"),
        gpu(gpu_recovery_action="Reset"),
    ],
    "unreadable": [
        gpu(ecc_errors="N/A"),
        gpu(ecc_errors__volatile="N/A"),
        gpu(**{f"{VOLATILE}dram_uncorrectable": "Unknown Error"}),
        gpu(**{f"{VOLATILE}sram_uncorrectable_secded": "N/A", f"{VOLATILE}sram_uncorrectable_parity": "N/A"}),
        gpu(remapped_rows="N/A"),
        gpu(remapped_rows__remapped_row_pending="Unknown Error"),
        gpu(ecc_errors__aggregate__sram_threshold_exceeded="Perhaps"),
        gpu(gpu_recovery_action=None),
        tool("nvidia-smi", MISSING),
    ],
}
ROW_FLAGS: dict[str, list[Change]] = {
    "confirmed": [gpu(remapped_rows__remapped_row_pending="Yes"), gpu(remapped_rows__remapped_row_failure="Yes")],
    "unreadable": [gpu(remapped_rows="N/A"), gpu(remapped_rows__remapped_row_failure="N/A"), tool("nvidia-smi", MISSING)],
}
LINK: dict[str, list[Change]] = {
    "confirmed": [
        first_gpu(links_down={4}),
        *(first_gpu(link_errors={3: {name: 1}}) for name in ("Replay Errors", "Recovery Errors", "CRC Errors")),
        gpu(fabric__state="In Progress"),
        gpu(fabric__status="Unknown Error"),
        gpu(fabric__health__bandwidth="Degraded"),
    ],
    "unreadable": [without_links("-s"), without_links("-e"), gpu(fabric__status="N/A"), gpu(fabric__state="N/A"), tool("nvidia-smi", MISSING)],
}
NO_ACTION = [*(gpu(gpu_recovery_action=words) for words in (None, "N/A", "Unknown")), driver("550.163.01"), tool("nvidia-smi", MISSING)]
RECOVERY: dict[str, list[Change]] = {
    "confirmed": [gpu(gpu_recovery_action=action) for action in ("Reset", "Reboot", "Drain P2P", "Drain and Reset")],
    "unreadable": [*NO_ACTION, gpu(gpu_recovery_action="Unknown Error"), gpu(gpu_recovery_action="Something New")],
}
STUCK: dict[str, list[Change]] = {
    "confirmed": [
        *RECOVERY["confirmed"],
        gpu(utilization__gpu_util="ERR!"),
        gpu(utilization__gpu_util="Unknown Error"),
        gpu(utilization__gpu_util="GPU requires reset"),
        first_gpu(lost="GPU is lost"),
    ],
    "unreadable": [*NO_ACTION, gpu(temperature__gpu_temp_tlimit="warm"), gpu(utilization__gpu_util="Insufficient Permissions")],
}
REASON = "clocks_event_reasons__clocks_event_reason_"
POWER: dict[str, list[Change]] = {
    "confirmed": [
        gpu(**{f"{REASON}hw_power_brake_slowdown": "Active"}),
        gpu(**{f"{REASON}hw_slowdown": "Active"}),
        first_gpu(lost="GPU is lost"),
        gpu(gpu_recovery_action="Reset"),
    ],
    "unreadable": [
        gpu(**{f"{REASON}hw_power_brake_slowdown": None}),
        gpu(**{f"{REASON}hw_slowdown": "Unknown Error"}),
        gpu(clocks_event_reasons="N/A"),
        *(gpu(gpu_recovery_action=words) for words in ("Unknown", "Unknown Error", "Something New")),
        tool("nvidia-smi", MISSING),
    ],
}
PCIE: dict[str, list[Change]] = {
    "confirmed": [
        gpu(gpu_recovery_action="Reset"),
        first_gpu(lost="GPU is lost"),
        first_gpu(processes=("python3",), elements={"pci/pci_gpu_link_info/link_widths/current_link_width": "8x"}),
        first_gpu(processes=("python3",), elements={"pci/pci_gpu_link_info/pcie_gen/current_link_gen": "1"}),
    ],
    "unreadable": RECOVERY["unreadable"],
}
NOTES = (147, 148)
"""Xids whose registers never require an action (``nvlink5``). Their row is that of the other codes of NVLink 5."""
TABLE: list[tuple[str, tuple[int, ...], dict[str, list[Change]]]] = [
    (G5, (79, 143), GONE),
    (G5, (48, 95, 140), MEMORY),
    (G5, (64,), ROW_FLAGS),
    (H100, (136,), LINK),
    (
        B200,
        xid_verdicts.NVLINK_5,
        {"confirmed": [*LINK["confirmed"], gpu(gpu_recovery_action="Reset")], "unreadable": [*LINK["unreadable"], *RECOVERY["unreadable"]]},
    ),
    (G5, (46, 62, 109, 119, 120, 158), STUCK),
    (G5, (54,), POWER),
    (G5, (110, 151, 167, 169, 173), PCIE),
]
REGISTERS = {144: "SAW_MVB Fatal XC0 i0 Link -1 (0x1 0x2)", 145: "RLW_RSPCOL Fatal XC0 i0 Link 0 (0x5 0x2)", 146: "TLW_CTRL Fatal XC0 i0 Link 0 (0x9 0x4)"}
REGISTERS |= {149: "NETIR_LINK_EVT Fatal XC0 i0 Link 0 (0x11 0x0)", 150: "MSE_WATCHDOG Fatal XC0 i0 Link 0 (0x0 0x0)"}


Found = tuple[str, str, str]


def checked(folder: Path, kind: str, code: int, change: Change | None) -> tuple[look.Look, list[Found]]:
    """Check a node that was fit before, with a new kernel record. Returns the codes, verdicts and texts of its Xid problems."""
    node, story = Node(folder), lean(kind, gpus=GPUS)
    wanted = dataclasses.replace(expected(kind), gpus=GPUS, efa=None)
    for uptime in (50_000, 51_000) if code in (48, 95, 140) else (50_000,):
        story.uptime = uptime
        assert node.judge(story, wanted=wanted).verdict == "fit"
    story.uptime = 86_400
    xid(story, 80_000, code, f"pid=7, name=python3, {REGISTERS.get(code, 'Words')}")
    if change:
        change(story)
    health = node.judge(story, wanted=wanted)
    return node.look, [(each.code, each.verdict, each.text) for each in health.problems if "xid" in each.code]


def judged(folder: Path, kind: str, code: int, change: Change | None) -> list[Found]:
    return checked(folder, kind, code, change)[1]


def witnesses(seen: look.Look, codes: tuple[int, ...]) -> set[str]:
    """The values of the first GPU's witness for each code, with or without a kernel record."""
    return {witness.of_xid(seen, "0000:53:00.0", code).value for code in codes}


def in_turn(codes: tuple[int, ...], number: int) -> int:
    counted = [code for code in codes if code not in NOTES]
    return counted[number % len(counted)]


@pytest.mark.parametrize(("kind", "codes", "changes"), TABLE, ids=[str(each[1]) for each in TABLE])
def test_signs_of_the_fault_confirm_the_record(kind: str, codes: tuple[int, ...], changes: dict[str, list[Change]], tmp_path: Path) -> None:
    for number, change in enumerate(changes["confirmed"]):
        code = in_turn(codes, number)
        seen, (found,) = checked(tmp_path / str(number), kind, code, change)
        assert witnesses(seen, codes) == {witness.CONFIRMED}, number
        assert found[:2] == ("gpu-xid", REPLACE if code == 54 else REBOOT) and "Confirmed by a second witness: " in found[2], found


@pytest.mark.parametrize(("kind", "code"), [(kind, code) for kind, codes, _changes in TABLE for code in codes])
def test_a_record_without_signs_of_the_fault_is_denied(kind: str, code: int, tmp_path: Path) -> None:
    seen, found = checked(tmp_path, kind, code, None)
    assert witnesses(seen, (code,)) == {witness.DENIED}
    assert [each[:2] for each in found] == ([] if code in NOTES else [(UNCONFIRMED, WATCH)])
    assert all("the device shows no sign of the fault" in each[2] for each in found)


@pytest.mark.parametrize(("kind", "codes", "changes"), TABLE, ids=[str(each[1]) for each in TABLE])
def test_a_record_whose_witness_could_not_be_read_is_unknown(kind: str, codes: tuple[int, ...], changes: dict[str, list[Change]], tmp_path: Path) -> None:
    for number, change in enumerate(changes["unreadable"]):
        code = in_turn(codes, number)
        seen, (found,) = checked(tmp_path / str(number), kind, code, change)
        assert witnesses(seen, codes) == {witness.UNREADABLE}, number
        assert found[:2] == ("gpu-xid", UNKNOWN) and "The signs of this fault could not be read: " in found[2], (number, found)


def test_rows_of_a_gpu_under_mig_could_not_be_read(tmp_path: Path) -> None:
    (found,) = judged(tmp_path, A100, 95, first_gpu(mig=True))
    assert found[:2] == ("gpu-xid", UNKNOWN)


def test_before_driver_570_a_stuck_gpu_is_unknown(tmp_path: Path) -> None:
    (found,) = judged(tmp_path / "memory", G5, 48, driver("550.163.01"))
    assert found[:2] == (UNCONFIRMED, WATCH)
    (found,) = judged(tmp_path / "driver", G5, 119, driver("550.163.01"))
    assert found[:2] == ("gpu-xid", UNKNOWN), "a missing recovery action is not the action None"


def test_signs_of_another_gpu_confirm_nothing(tmp_path: Path) -> None:
    for number, (kind, codes, changes) in enumerate(TABLE):
        for change in (changes["confirmed"][0], changes["confirmed"][-1]):

            def elsewhere(story: Story, change: Change = change) -> None:
                all_of_them = story.gpus
                story.gpus = all_of_them[3:]
                change(story)
                story.gpus = all_of_them

            found = judged(tmp_path / f"{number}-{id(change)}", kind, codes[0], elsewhere)
            assert [each[:2] for each in found] == [(UNCONFIRMED, WATCH)], (codes[0], changes["confirmed"].index(change))


@pytest.mark.parametrize("code", [63, 94])
def test_records_that_make_no_node_unfit_need_no_witness(code: int, tmp_path: Path) -> None:
    found = judged(tmp_path, G5, code, None)
    assert [each[:2] for each in found] == ([("gpu-xid", WATCH)] if code == 94 else [])


def test_each_xid_that_may_make_a_node_unfit_has_a_witness() -> None:
    found = {code: xid_verdicts.judged(code) for code in range(1, 1000)}
    worse = {code for code, each in found.items() if each and (at_least(each.verdict, _REBOOT) or each.again)}
    assert worse <= set(ROWS) and set(ROWS) - worse == {xid_verdicts.NVLINK, xid_verdicts.REGISTERED, *xid_verdicts.NVLINK_5}


SEVENTY_FOUR = "NVLink: fatal error detected on link 6(0x10000, 0x0)"


@pytest.mark.parametrize(
    ("change", "found"),
    [(None, (UNCONFIRMED, WATCH)), (first_gpu(link_errors={3: {"CRC Errors": 1}}), ("gpu-xid", REBOOT)), (without_links("-e"), ("gpu-xid", UNKNOWN))],
)
def test_a_repeated_nvlink_error_needs_the_counter(change: Change | None, found: tuple[str, str], tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(A100)
    story.uptime = 50_000
    assert node.judge(story).verdict == "fit"
    story.uptime = 86_400
    for second in (80_000, 80_090):
        xid(story, second, 74, SEVENTY_FOUR)
    if change:
        change(story)
    assert verdicts(node.judge(story)) == [found]


SXIDS = [
    (first_gpu(links_down={4}), REBOOT),
    (gpu(fabric__state="Not Started"), REBOOT),
    (None, WATCH),
    (without_links("-s"), UNKNOWN),
    (gpu(fabric__state="N/A"), UNKNOWN),
]


@pytest.mark.parametrize(("change", "verdict"), SXIDS)
@pytest.mark.parametrize("code", [sxid_verdicts.LINK, 11001, 22003])
def test_a_switch_is_confirmed_by_the_links_of_its_board(code: int, change: Change | None, verdict: str, tmp_path: Path) -> None:
    story = lean(H100)
    story.say(80_000, f"nvidia-nvswitch0: SXid (PCI:0000:0a:00.0): {code}, Fatal, Link 3")
    if change:
        change(story)
    found = [each.verdict for each in Node(tmp_path).judge(story).problems if each.code == "nvswitch-sxid"]
    assert found == [verdict]


def efa(**values: object) -> Change:
    return lambda story: [setattr(story.efa[0], name, value) for name, value in values.items()]


EFAS = [
    (efa(state="1: DOWN"), REBOOT),
    (efa(counters={"cmds_err": 1}), REBOOT),
    (efa(counters={"no_completion_cmds": 1}), REBOOT),
    (lambda story: story.efa.pop(), REBOOT),
    (None, WATCH),
    (efa(state=""), UNKNOWN),
    (lambda story: setattr(story, "absent_counters", ("cmds_err",)), UNKNOWN),
]


@pytest.mark.parametrize(("change", "verdict"), EFAS)
@pytest.mark.parametrize("line", ["infiniband rdmap64s0: Admin queue is closed", "efa 0001:40:00.0: Admin queue is closed"])
def test_a_record_of_an_efa_device_is_confirmed_by_its_port_or_counters(line: str, change: Change | None, verdict: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), healthy(G5)
    story.uptime = 50_000
    assert node.judge(story).verdict == "fit"
    story.uptime = 86_400
    story.say(80_000, line)
    if change:
        change(story)
    assert [each.verdict for each in node.judge(story).problems if each.code == "efa-error"] == [verdict]


@pytest.mark.parametrize(
    ("output", "verdict"), [("WARNING: infoROM is corrupted at gpu 0000:53:00.0", REBOOT), ("", UNKNOWN), (MISSING, UNKNOWN)]
)
def test_a_record_of_an_inforom_is_confirmed_by_the_tool(output: str, verdict: str, tmp_path: Path) -> None:
    story = lean(G5)
    story.tools["nvidia-smi"] = output if output == MISSING else f"{smi.document(story)}\n{output}"
    story.say(80_000, "NVRM: GPU at PCI:0000:53:00: WARNING: infoROM is corrupted at gpu 0000:53:00.0")
    assert [(each.code, each.verdict) for each in Node(tmp_path).judge(story).problems] == [("gpu-inforom", verdict)]


def test_counters_confirm_only_by_growth_since_the_node_was_fit(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(G5)
    story.uptime = 50_000
    story.gpus[0].elements = {"ecc_errors/volatile/dram_uncorrectable": "2", "ecc_errors/aggregate/dram_uncorrectable": "7"}
    assert node.judge(story).verdict == "fit", "counters alone are no fault"
    story.uptime = 51_000
    assert node.judge(story).verdict == "fit"
    xid(story, 60_000, 48, "DBE")
    for uptime, count, found in ((70_000, "2", [(UNCONFIRMED, WATCH)]), (80_000, "3", [("gpu-xid", REBOOT)]), (90_000, "3", [("gpu-xid", REBOOT)])):
        story.uptime = uptime
        story.gpus[0].elements["ecc_errors/volatile/dram_uncorrectable"] = count
        assert verdicts(node.judge(story)) == found
    story.gpus[0].elements = {"ecc_errors/aggregate/dram_uncorrectable": "7"}
    assert verdicts(node.judge(story)) == [(UNCONFIRMED, WATCH)], "a reset cleared the counter"


def test_without_an_earlier_fit_check_only_volatile_counters_confirm(tmp_path: Path) -> None:
    for name, found in (("volatile", "gpu-xid"), ("aggregate", UNCONFIRMED)):
        story = lean(G5)
        story.gpus[0].elements = {f"ecc_errors/{name}/dram_uncorrectable": "2"}
        xid(story, 60_000, 48, "DBE")
        assert [code for code, _verdict in verdicts(Node(tmp_path / name).judge(story))] == [found]


def test_a_denied_record_never_counts_as_a_repeat(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(G5)
    for _boot in range(3):
        xid(story, 600, 48, "DBE")
        xid(story, 600, 32, "PBDMA", gpu=2)
        assert verdicts(node.judge(story)) == [("gpu-xid", WATCH), (UNCONFIRMED, WATCH)]
        assert node.memory.records == ()
        reboot(story)
    fault(story, 600, 48)
    assert ("gpu-xid", REBOOT) in verdicts(node.judge(story)), "the first confirmed record"


def test_a_denied_or_unconfirmed_record_hides_no_other_fault(tmp_path: Path) -> None:
    """An unconfirmed record does not fold other problems of the GPU."""
    story = lean(G5)
    xid(story, 60_000, 79, "GPU has fallen off the bus.")
    fault(story, 60_010, 48)
    (problem,) = Node(tmp_path / "incident").judge(story).problems
    assert (problem.code, problem.verdict, problem.key, problem.folded) == ("gpu-xid", REBOOT, "1650522003800 Xid 48", ("Xid 79",))
    story = lean(A100)
    xid(story, 60_000, 79, "GPU has fallen off the bus.")
    story.gpus[0].elements = {"serial": "N/A"}
    story.gpus[0].links_down = {3}
    found = verdicts(Node(tmp_path / "folded").judge(story))
    assert found == [("gpu-nvlink-down", REBOOT), ("gpu-xid", UNKNOWN)]


@pytest.mark.parametrize("code", [79, 48, 119, 54, 154])
def test_lines_of_dmesg_are_hints(code: int, tmp_path: Path) -> None:
    story = lean(G5, tools={"journalctl": MISSING})
    fault(story, 60_000, code)
    health = Node(tmp_path).judge(story, dmesg="\n".join(f"[{line.at:12.6f}] {line.text}" for line in story.log))
    found = {(each.code, each.verdict) for each in health.problems if "xid" in each.code}
    assert found == ({(UNCONFIRMED, WATCH)} if code != 154 else set())


@pytest.mark.parametrize(
    ("kinds", "from_dmesg", "words"),
    [
        ((), False, ""),
        (("gpu", "efa"), False, ""),
        (("gpu",), True, "the record is only in a line of dmesg"),
        (("gpu", "neuron"), False, "users' programs can write such records"),
        (("neuron",), True, "the record is only in a line of dmesg"),
    ],
)
def test_records_of_dmesg_and_with_neuron_devices_are_hints(kinds: tuple[str, ...], from_dmesg: bool, words: str) -> None:
    devices = [types.SimpleNamespace(kind=kind) for kind in kinds]
    look = types.SimpleNamespace(state=types.SimpleNamespace(pci=devices))
    found = hint(t.cast(t.Any, look), t.cast(t.Any, types.SimpleNamespace(hint=from_dmesg)))
    assert words in found and bool(found) == bool(words)


@pytest.mark.parametrize("change", [driver("550.163.01"), gpu(gpu_recovery_action=None), gpu(gpu_recovery_action="N/A")])
def test_a_driver_without_a_recovery_action_denies_that_power_is_not_connected(change: Change, tmp_path: Path) -> None:
    (found,) = judged(tmp_path, G5, 54, change)
    assert found[:2] == (UNCONFIRMED, WATCH)


@pytest.mark.parametrize("action", ["Something New", "Unknown"])
def test_a_recovery_action_on_no_list_is_unknown(action: str, tmp_path: Path) -> None:
    story = lean(G5)
    gpu(gpu_recovery_action=action)(story)
    assert verdicts(Node(tmp_path).judge(story)) == [("gpu-recovery-action", UNKNOWN)]


def test_a_device_is_read_once_for_all_of_its_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: collections.Counter[t.Any] = collections.Counter()

    def counted(name: str, function: t.Callable[..., t.Any]) -> t.Callable[..., t.Any]:
        def call(*arguments: t.Any) -> t.Any:
            calls[(name, *arguments[1:])] += 1
            return function(*arguments)

        return call

    rows = {code: (counted(str(code), signals.uncorrected), *readings[1:]) for code, readings in ROWS.items()}
    monkeypatch.setattr(witness, "ROWS", rows)
    monkeypatch.setattr(look, "sample", counted("sample", memory.sample))
    monkeypatch.setattr(look, "devices", counted("devices", memory.devices))
    node, story = Node(tmp_path), lean(G5)
    for index in range(2):
        for second in range(40):
            xid(story, 60_000 + second * 50, 48, "DBE", gpu=index)
            xid(story, 60_001 + second * 50, 95, "DBE", gpu=index)
    node.judge(story)
    addresses = [each.address for each in story.gpus[:2]]
    assert {name: count for name, count in calls.items() if name[0].isdigit()} == {(code, pci): 1 for code in ("48", "95") for pci in addresses}
    assert calls[("sample",)] == 1 and calls[("devices",)] == 1
