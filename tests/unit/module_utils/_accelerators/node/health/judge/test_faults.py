# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nodes with faults: the verdict and the evidence of each."""

from __future__ import annotations

import datetime
import time
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.judge import settles_in
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.profile import Profile, Waiver
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected, expected
from lab.accelerators import present, smi
from lab.accelerators.story import HANGS, MISSING, Gpu, Line, Story, healthy

from .nodes import DAY, NOON, Node, clear_faults, fault, lean, of_kernel, only, reboot, show_fault, verdicts, xid

FIT, WATCH, UNKNOWN, REBOOT, REPLACE = "fit", "watch", "unknown", "unfit-reboot", "unfit-replace"
A100, H100, B200, B300 = "ml.p4d.24xlarge", "ml.p5.48xlarge", "ml.p6-b200.48xlarge", "ml.p6-b300.48xlarge"
OFF = "GPU has fallen off the bus."
TODAY = datetime.datetime.fromtimestamp(NOON, datetime.timezone.utc).date()


def _waived(code: str, part: str = "", until: datetime.date = TODAY + datetime.timedelta(days=7)) -> Profile:
    return Profile(waivers=(Waiver(code, part, until, "ticket 4711"),))


XIDS = [
    *((code, REBOOT, "hardware") for code in (46, 48, 62, 64, 79, 95, 109, 110, 119, 120, 140, 143, 151, 158, 167, 169, 173)),
    (136, REBOOT, "fabric"),
    (54, REPLACE, "hardware"),
    *((code, WATCH, "hardware") for code in (32, 94, 142, 155, 156, 157, 159, 160, 161, 163, 165, 166, 168, 170, 171, 172, 174, 175, 176)),
    (74, WATCH, "fabric"),
    (78, WATCH, "config"),
    *((code, WATCH, "hardware") for code in (61, 65, 73, 177, 999)),
]


@pytest.mark.parametrize(("code", "verdict", "cause"), XIDS)
def test_an_xid_that_the_gpu_confirms_has_the_verdict_of_its_class(code: int, verdict: str, cause: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(A100 if code == 136 else "ml.p5.4xlarge", uptime=70_000)
    assert node.judge(story).verdict == FIT
    xid(story, 80000, code, "pid=4711, name=python3, Words of the driver 0x0815")
    story.uptime = 86_400
    if verdict != WATCH:
        show_fault(story, code)
    health = node.judge(story)
    problem = of_kernel(health)
    assert (health.verdict, problem.code, problem.cause) == (verdict, "gpu-xid", cause)
    assert problem.verdict == verdict
    assert problem.evidence == "Words of the driver 0x0815 (python3)"
    assert f"Xid {code} " in problem.text
    assert ("the code is not in the catalog" in problem.text) == (code in (61, 65, 73, 177, 999))
    assert problem.part == "GPU 0 (0000:53:00.0)"
    assert problem.key == f"1650522003800 Xid {code}"


AGAIN = [
    *((code, REPLACE) for code in (46, 48, 62, 64, 79, 95, 109, 110, 119, 120, 136, 140, 143, 151, 158, 167, 169, 173)),
    (32, REBOOT),
    (94, WATCH),
    (163, WATCH),
]


@pytest.mark.parametrize(("code", "verdict"), AGAIN)
def test_an_xid_that_an_earlier_boot_also_had_is_worse(code: int, verdict: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(A100 if code == 136 else "ml.p5.4xlarge", uptime=50_000)
    assert node.judge(story).verdict == FIT
    story.uptime = 86_400
    fault(story, 80000, code)
    node.judge(story)
    reboot(story, uptime=900)
    clear_faults(story)
    assert node.judge(story).verdict == FIT
    fault(story, 1000, code)
    story.uptime = 1100
    health = node.judge(story, after=3 * DAY)
    assert of_kernel(health).verdict == verdict
    assert ("An earlier boot also had this problem" in of_kernel(health).text) == (verdict in (REPLACE, REBOOT))


def test_another_xid_than_in_the_earlier_boot_is_no_repeat(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge")
    fault(story, 80000, 48)
    node.judge(story)
    reboot(story)
    fault(story, 400, 95)
    assert node.judge(story).verdict == REBOOT


def test_the_same_xid_of_another_gpu_is_no_repeat(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    fault(story, 80000, 48, gpu=1)
    node.judge(story)
    reboot(story)
    fault(story, 400, 48, gpu=2)
    assert node.judge(story).verdict == REBOOT


@pytest.mark.parametrize(("days", "verdict"), [(29, REPLACE), (31, REBOOT)])
def test_a_repeat_counts_within_thirty_days(days: int, verdict: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge", uptime=50_000)
    node.judge(story)
    story.uptime = 86_400
    fault(story, 80000, 79, OFF)
    node.judge(story)
    reboot(story)
    fault(story, 400, 79, OFF)
    assert node.judge(story, after=days * DAY).verdict == verdict


def test_a_second_check_in_the_same_boot_is_no_repeat(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge", uptime=70_000)
    assert node.judge(story).verdict == FIT
    fault(story, 80000, 48)
    for _turn in range(3):
        story.uptime += 20_000
        assert node.judge(story).verdict == REBOOT, "the counter has grown since the node was fit"


def test_records_from_before_the_node_was_fit_do_not_count(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge", uptime=5000)
    assert node.judge(story).verdict == FIT
    fault(story, 4000, 48)
    story.uptime = 9000
    assert node.judge(story).verdict == FIT
    fault(story, 9500, 48)
    story.uptime = 9600
    assert node.judge(story).verdict == REBOOT


def test_a_stamp_of_an_earlier_boot_hides_nothing(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge", uptime=500_000)
    assert node.judge(story).verdict == FIT
    reboot(story, uptime=1000)
    fault(story, 300, 48)
    assert node.judge(story).verdict == REBOOT


LEFT_OUT = "NVRM: Rate limiting GSP RPC error prints (printing 1 of every 30)."


def test_missing_log_lines_are_reported_and_set_no_stamp(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge", uptime=5000)
    story.say(4000, LEFT_OUT)
    health = node.judge(story)
    assert (health.verdict, verdicts(health), node.memory.stamp) == (FIT, [], None)
    assert [(each.what, each.why) for each in health.not_looked_at] == [
        ("all of the kernel log", "the driver suppressed lines, most recently 4000 s after the boot")
    ]
    assert "kernel log" in health.looked_at
    fault(story, 4001, 48)
    assert node.judge(story).verdict == REBOOT


def test_missing_log_lines_count_since_the_node_was_fit(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge", uptime=3000)
    assert node.judge(story).not_looked_at == () and node.memory.stamp
    story.say(2000, LEFT_OUT)
    story.uptime = 5000
    health = node.judge(story)
    assert health.not_looked_at == () and node.memory.stamp.uptime == 5000
    story.say(6000, LEFT_OUT)
    story.uptime = 7000
    health = node.judge(story)
    assert (health.verdict, len(health.not_looked_at), node.memory.stamp.uptime) == (FIT, 1, 5000)


def test_more_log_lines_than_are_read_are_reported_and_set_no_stamp(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge", uptime=1000)
    story.log = [Line(10.0 + number, "usb 1-1: reset") for number in range(19_990)]
    assert node.judge(story).not_looked_at == ()
    story.log += [Line(50_000.0 + number, "usb 1-1: reset") for number in range(900)]
    story.uptime = 60_000
    health = node.judge(story)
    assert health.not_looked_at == () and node.memory.stamp and node.memory.stamp.uptime == 60_000
    story.log += [Line(60_001.0 + number, "usb 1-1: reset") for number in range(21_000)]
    story.uptime = 90_000
    health = node.judge(story)
    assert health.verdict == FIT and "newest 20000 lines" in health.not_looked_at[0].why
    assert node.memory.stamp.uptime == 60_000


SHAPES = [
    ("NVRM: Xid (PCI:0000:53:00): 119, pid=20, name=ray::Worker, a, Timeout after 6s of waiting", 119, "gpu-xid", "Timeout after 6s"),
    (
        "NVRM: Xid (PCI:0000:53:00): 95, pid='<unknown>', name=<unknown>, Uncontained: LTC TAG",
        95,
        "gpu-xid",
        "Uncontained: LTC TAG",
    ),
    ("NVRM: Xid (0000:53:00): 62, 21d0(2d50) 00000000 00000000", 62, "gpu-xid", "21d0(2d50) 00000000 00000000"),
    ("NVRM: Xid (PCI:0000:53:00 GPU-I:05): 95, pid=7194, name=a, RST: No, D-RST: No", 95, "gpu-xid", "RST: No, D-RST: No"),
    ("NVRM: Xid (PCI:0000:53:00 GPU-I:05 GPU-CI:00): 95, pid=7194, name=a, RST: No", 95, "gpu-xid", "RST: No"),
    ("NVRM: Xid (PCI:0000:53:00): 48", 48, "gpu-xid", ""),
    ("NVRM: Xid (PCI:00000000:53:00.0): 140, Unrecovered", 140, "gpu-xid", "Unrecovered"),
    ("NVRM: GPU 0000:53:00.0: GPU has fallen off the bus.", 79, "gpu-xid", "NVRM: GPU 0000:53:00.0: GPU has fallen off the bus."),
    ("infiniband rdmap64s0: Wait for completion (polling) timeout", 0, "efa-error", "Wait for completion (polling) timeout"),
    ("infiniband rdmap64s0: The device didn't send any completion for admin cmd CREATE_QP(1) status 0", 0, "efa-error", "didn't send any"),
    ("efa 0001:40:00.0: Admin queue is closed", 0, "efa-error", "Admin queue is closed"),
    ("efa 0001:40:00.0: Reset indication didn't turn on", 0, "efa-error", "Reset indication didn't turn on"),
]


@pytest.mark.parametrize(("line", "shown", "code", "words"), SHAPES)
def test_a_kernel_line_of_any_form_that_the_device_confirms_is_a_problem(line: str, shown: int, code: str, words: str, tmp_path: Path) -> None:
    story = healthy("ml.g5.48xlarge")
    story.efa[0].name, story.efa[0].address = "rdmap64s0", "0001:40:00.0"
    story.say(80000, line)
    if shown:
        show_fault(story, shown)
    else:
        story.efa[0].counters["no_completion_cmds"] = 1
    health = Node(tmp_path).judge(story)
    (problem,) = (each for each in health.problems if each.code == code)
    assert (health.verdict, problem.verdict, problem.cause) == (REBOOT, REBOOT, "hardware")
    assert words in problem.evidence


def test_an_efa_device_that_does_not_answer_in_two_boots_is_replaced(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge")
    story.efa[0].counters["no_completion_cmds"] = 1
    for verdict in (REBOOT, REPLACE):
        story.say(300, "infiniband rdmap64s0: Admin queue is closed", "efa 0001:40:00.0: Reset indication didn't turn off")
        health = node.judge(story)
        assert verdicts(health) == [("efa-error", verdict)], "both lines are of one device"
        reboot(story)


TO_NOTHING = "GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)"
TO_RESET = "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)"
ACTIONS = [
    ("None", [(154, TO_RESET)], [("gpu-xid-unconfirmed", WATCH)]),
    ("None", [(154, TO_RESET), (154, TO_NOTHING)], [("gpu-xid-unconfirmed", WATCH)]),
    ("None", [(154, TO_NOTHING)], []),
    ("None", [(54, "Power"), (154, TO_NOTHING)], [("gpu-xid-unconfirmed", WATCH)]),
    ("None", [(31, "MMU Fault"), (154, TO_RESET)], [("gpu-xid-unconfirmed", WATCH)]),
    ("Reset", [(154, TO_RESET)], [("gpu-recovery-action", REBOOT)]),
    ("Drain and Reset", [(154, "GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)")], [("gpu-recovery-action", REBOOT)]),
    ("Reset", [(154, TO_RESET), (154, TO_NOTHING)], [("gpu-recovery-action", REBOOT)]),
    ("Reset", [(154, TO_NOTHING)], [("gpu-recovery-action", REBOOT)]),
    ("Reset", [(119, "Timeout"), (154, TO_RESET)], [("gpu-recovery-action", REBOOT), ("gpu-xid", REBOOT)]),
    ("Reset", [(154, "pid=7, name=to 0x0 (None), " + TO_RESET)], [("gpu-recovery-action", REBOOT)]),
    (None, [(154, TO_RESET)], [("gpu-xid", UNKNOWN)]),
    (None, [(154, TO_NOTHING)], []),
]


@pytest.mark.parametrize(("action", "lines", "found"), ACTIONS)
def test_the_current_recovery_action_counts_and_not_the_one_in_the_log(
    action: str | None, lines: list[tuple[int, str]], found: list[tuple[str, str]], tmp_path: Path
) -> None:
    story = lean("ml.p5.4xlarge")
    story.gpus[0].elements["gpu_recovery_action"] = action
    for number, (code, words) in enumerate(lines):
        xid(story, 80000 + number, code, words)
    health = Node(tmp_path).judge(story)
    assert verdicts(health) == found
    actions = [each.folded for each in health.problems if each.code == "gpu-recovery-action"]
    assert actions == ([("Xid 154",)] if actions else [])


def test_a_cleared_recovery_action_is_folded_into_the_fault(tmp_path: Path) -> None:
    story = lean("ml.p5.4xlarge")
    fault(story, 80000, 48)
    xid(story, 80010, 154, TO_NOTHING)
    assert only(Node(tmp_path).judge(story)).folded == ("Xid 154",)


@pytest.mark.parametrize("later", [20, 500])
def test_a_fault_after_a_cleared_recovery_action_is_a_new_incident(later: int, tmp_path: Path) -> None:
    story = lean("ml.p5.4xlarge")
    fault(story, 80000, 48)
    xid(story, 80010, 154, TO_NOTHING)
    fault(story, 80010 + later, 48, "Words again")
    problem = only(Node(tmp_path).judge(story))
    assert (problem.verdict, problem.evidence) == (REBOOT, "Words again") and "2 times" in problem.text


def test_records_within_a_minute_are_folded_into_their_cause(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    xid(story, 80000, 31, "MMU Fault", gpu=3)
    fault(story, 80010, 79, OFF, gpu=3)
    for second in (11, 12, 13):
        xid(story, 80000 + second, 45, "pid=7, name=python3, Ch 00000008", gpu=3)
    xid(story, 80014, 154, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", gpu=3)
    xid(story, 80200, 43, "Ch 1", gpu=3)
    problems = Node(tmp_path).judge(story).problems
    assert [(each.code, each.verdict) for each in problems] == [("gpu-xid", REBOOT), ("job-xid", FIT)]
    assert problems[0].folded == ("Xid 31", "Xid 45 (3)", "Xid 154", "gpu-lost")
    assert (problems[0].evidence, problems[0].part) == (OFF, "GPU 3 (0000:83:00.0)")
    assert problems[1].folded == ()


def test_an_ecc_error_with_a_failed_remap_is_replaced(tmp_path: Path) -> None:
    story = lean("ml.p5.4xlarge")
    story.gpus[0].elements["remapped_rows/remapped_row_failure"] = "Yes"
    for second, code in enumerate((48, 171, 64, 63)):
        xid(story, 80000 + second, code, f"Words of {code}")
    problems = Node(tmp_path).judge(story).problems
    assert [(each.code, each.verdict) for each in problems] == [("gpu-rows-failed", REPLACE), ("gpu-xid", REBOOT)]
    assert problems[0].evidence == "remapped_row_failure: Yes"
    assert problems[1].folded == ("Xid 171", "Xid 64")


NVLINK_5 = [
    ("570.172.08", 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x00f00006 0x00000000 0x00000000)", REBOOT),
    ("570.172.08", 149, "NETIR_LINK_EVT Nonfatal XC0 i0 Link 08 (0x02b00006 0x00000000)", REBOOT),
    ("570.172.08", 149, "NETIR_LINK_EVT  Fatal   XC0 i0 Link -1 (0x00500006 0x00000000)", REBOOT),
    ("570.172.08", 149, "NETIR_LINK_EVT Nonfatal XC0 i0 Link 08 (0x00500006 0x00000000)", WATCH),
    ("570.172.08", 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x02600006 0x00000000)", FIT),
    ("570.172.08", 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x02800006 0x00000000)", FIT),
    ("570.172.08", 149, "NETIR_BER_EVENT Fatal XC0 i0 Link 08 (0x00000001 0x00000001)", FIT),
    ("570.172.08", 149, "NETIR_INT Nonfatal XC0 i0 Link 08 (0x00000001 0x00000001)", REBOOT),
    ("570.172.08", 149, "NETIR_MFDE Nonfatal XC0 i0 Link 08 (0x00000001 0x00000004)", REBOOT),
    ("570.172.08", 149, "NETIR_MFDE Fatal XC0 i0 Link 08 (0x00000001 0x00000003)", FIT),
    ("570.172.08", 144, "SAW_MVB Nonfatal XC0 i0 Link -1 (0x00000001 0x00000010 0x0 0x0 0x0 0x0 0x0)", REBOOT),
    ("570.172.08", 144, "SAW_MVB Fatal XC0 i0 Link -1 (0x00000001 0x00000020)", FIT),
    ("570.172.08", 145, "RLW_SRC_TRACK Nonfatal XC0 i0 Link 03 (0x00000000 0x00000020)", REBOOT),
    ("570.172.08", 145, "RLW_CTRL Fatal XC0 i0 Link 03 (0x00000000 0x00000002)", FIT),
    ("570.172.08", 145, "RLW_REMAP Fatal XC0 i0 Link 03 (0x00000080 0x80000000)", FIT),
    ("570.172.08", 145, "RLW_OTHER Nonfatal XC0 i0 Link 03 (0x00000080 0x00000040)", REBOOT),
    ("580.95.05", 145, "RLW_OTHER Nonfatal XC0 i0 Link 03 (0x00000004 0x00000040)", REBOOT),
    ("580.95.05", 145, "RLW_OTHER Nonfatal XC0 i0 Link 03 (0x00000080 0x00000040)", WATCH),
    ("580.95.05", 145, "RLW_TAGSTATE Nonfatal XC0 i0 Link 03 (0x00000008 0x00100000)", REBOOT),
    ("570.172.08", 146, "TLW_RX_PIPE1 Nonfatal XC0 i0 Link 03 (0x00000000 0x00000004)", REBOOT),
    ("570.172.08", 146, "TLW_RX_PIPE1 Fatal XC0 i0 Link 03 (0x00000000 0x00000002)", FIT),
    ("570.172.08", 147, "TREX Fatal XC0 i0 Link 03 (0x00000000 0x00000004)", FIT),
    ("570.172.08", 148, "NVLPW_CTRL Fatal XC0 i0 Link 03 (0x00000000 0x00000004)", FIT),
    ("570.172.08", 150, "MSE Nonfatal XC0 i0 Link 03 (0x00000000 0x00000004)", REBOOT),
    ("570.172.08", 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 08", REBOOT),
    ("570.172.08", 149, "NETIR_LINK_EVT Nonfatal XC0 i0 Link 08 (0x00f00006)", WATCH),
]


@pytest.mark.parametrize(("driver", "code", "words", "verdict"), NVLINK_5)
def test_an_nvlink_5_error_is_judged_by_its_registers_or_its_word(
    driver: str, code: int, words: str, verdict: str, tmp_path: Path
) -> None:
    story = lean(B200, gpus=2, driver=driver)
    xid(story, 80000, code, words)
    show_fault(story, 74)
    health = Node(tmp_path).judge(story, wanted=Expected(2, 0, 0, 18, "a test"))
    assert verdicts(health) == ([] if verdict == FIT else [("gpu-xid", verdict)])
    assert health.verdict == verdict
    assert [(each.evidence, each.cause) for each in health.problems] == ([] if verdict == FIT else [(words, "fabric")])


@pytest.mark.parametrize("needs", [False, True])
def test_an_nvlink_5_error_may_be_judged_by_the_recovery_action(needs: bool, tmp_path: Path) -> None:
    story = lean(B200, gpus=1)
    xid(story, 80000, 145, "RLW_REMAP Nonfatal XC0 i0 Link 03 (0x00000080 0x00000008)")
    if needs:
        xid(story, 80001, 154, TO_RESET)
        show_fault(story, 154)
    found = verdicts(Node(tmp_path).judge(story, wanted=Expected(1, 0, 0, 18, "a test")))
    assert found == ([("gpu-recovery-action", REBOOT)] if needs else [("job-xid", FIT)])


SXIDS = [
    (20034, "Fatal, Link 30 LTSSM Fault Up", REBOOT),
    (12028, "Non-fatal, Link 32 egress non-posted PRIV error (First)", WATCH),
    (20012, "Non-fatal, Link 3", WATCH),
    (11001, "Fatal, Link 3 ingress invalid command", REBOOT),
    (19070, "Non-fatal, Link 3", REBOOT),
    (24007, "Fatal, Link 3", REBOOT),
    (10003, "Fatal, host error", REBOOT),
    (23017, "Link 3 engine", REBOOT),
    (19999, "Fatal, Link 3 something new", REBOOT),
    (19999, "Non-fatal, Link 3 something new", WATCH),
]
SWITCH = "nvidia-nvswitch0: SXid (PCI:0000:0a:00.0):"


@pytest.mark.parametrize("link_down", [False, True])
@pytest.mark.parametrize(("code", "words", "verdict"), SXIDS)
def test_an_sxid_needs_a_link_that_is_down(code: int, words: str, verdict: str, link_down: bool, tmp_path: Path) -> None:
    story = lean(A100)
    story.say(80000, f"{SWITCH} {code}, {words}", f"{SWITCH} {code}, {words}", f"{SWITCH} {code}, Severity 1 Engine instance 00")
    story.say(80000, f"{SWITCH} {code}, Data {{0x00140004, 0x00000000}}")
    if link_down:
        story.gpus[2].links_down = {7}
    health = Node(tmp_path).judge(story)
    found = [each for each in health.problems if each.code == "nvswitch-sxid"]
    assert [(each.verdict, each.cause, each.evidence) for each in found] == [(verdict if link_down else WATCH, "fabric", words)]
    assert health.verdict == (REBOOT if link_down else WATCH)


def test_an_sxid_that_is_fatal_for_the_board_in_two_boots_is_replaced(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(A100)
    for verdict in (REBOOT, REPLACE):
        story.say(300, "nvidia-nvswitch0: SXid (PCI:0000:0a:00.0): 22003, Fatal, Link 3")
        story.gpus[2].links_down = {7}
        found = node.judge(story)
        assert verdicts(found) == [("gpu-nvlink-down", verdict), ("nvswitch-sxid", verdict)]
        reboot(story)


LIVE = [
    (A100, "535.183.01", {"remapped_rows/remapped_row_failure": "Yes"}, "gpu-rows-failed", REPLACE, "remapped_row_failure: Yes"),
    (A100, "515.105.01", {"remapped_rows/remapped_row_pending": "Yes"}, "gpu-rows-pending", WATCH, "remapped_row_pending: Yes"),
    (
        A100,
        "550.163.01",
        {"ecc_errors/aggregate/sram_threshold_exceeded": "Yes"},
        "gpu-sram",
        REPLACE,
        "sram_threshold_exceeded: Yes",
    ),
    (A100, "595.91.07", {"ecc_errors/unrepairable_memory": "Yes"}, "gpu-memory-unrepairable", REPLACE, "unrepairable_memory: Yes"),
    (A100, "595.91.07", {"ecc_errors/channel_repair_pending": "Yes"}, "gpu-repair-pending", REBOOT, "repair_pending: Yes"),
    (A100, "595.91.07", {"ecc_errors/tpc_repair_pending": "Yes"}, "gpu-repair-pending", REBOOT, "repair_pending: Yes"),
    (A100, "570.172.08", {"gpu_recovery_action": "Reset"}, "gpu-recovery-action", REBOOT, "Reset"),
    (A100, "570.172.08", {"gpu_recovery_action": "Unknown"}, "gpu-recovery-action", UNKNOWN, "Unknown"),
    (
        A100,
        "535.183.01",
        {"gpu_reset_status/drain_and_reset_recommended": "Yes"},
        "gpu-reset-required",
        REBOOT,
        "reset_required: Yes",
    ),
    *(
        (A100, "595.91.07", {path: words}, "gpu-unreadable", UNKNOWN, f"{path.rpartition('/')[2]}: {words}")
        for path in (
            "gpu_recovery_action",
            "remapped_rows",
            "remapped_rows/remapped_row_pending",
            "remapped_rows/remapped_row_failure",
            "ecc_errors",
            "ecc_errors/aggregate/sram_threshold_exceeded",
            "ecc_errors/channel_repair_pending",
            "ecc_errors/unrepairable_memory",
            "retired_pages/pending_retirement",
        )
        for words in ("Unknown Error", "ERR!")
    ),
    (A100, "595.91.07", {"remapped_rows/remapped_row_failure": "Perhaps"}, "gpu-unreadable", UNKNOWN, "failure: Perhaps"),
    (A100, "550.163.01", {"gpu_reset_status/reset_required": "Perhaps"}, "gpu-unreadable", UNKNOWN, "required: Perhaps"),
    (A100, "595.91.07", {"temperature/gpu_temp_tlimit": "warm"}, "gpu-unreadable", WATCH, "gpu_temp_tlimit: warm"),
    (A100, "595.91.07", {"gpu_recovery_action": "Drain and Reset"}, "gpu-recovery-action", REBOOT, "Drain and Reset"),
    (A100, "550.163.01", {"gpu_reset_status/reset_required": "Yes"}, "gpu-reset-required", REBOOT, "reset_required: Yes"),
    (A100, "535.183.01", {"temperature/gpu_temp": "GPU requires reset"}, "gpu-reset-required", REBOOT, "GPU requires reset"),
    (A100, "570.172.08", {"utilization/gpu_util": "[GPU is lost]"}, "gpu-unreadable", WATCH, "gpu_util: [GPU is lost]"),
    (A100, "570.172.08", {"utilization/gpu_util": "GPU is lost"}, "gpu-lost", REBOOT, "gpu_util: GPU is lost"),
    (A100, "570.172.08", {"utilization/gpu_util": "Unknown Error"}, "gpu-unreadable", WATCH, "gpu_util: Unknown Error"),
    (
        A100,
        "570.172.08",
        {"temperature/gpu_temp": "ERR!", "utilization/gpu_util": "Unknown Error", "performance_state": "Unknown Error"},
        "gpu-lost",
        REBOOT,
        "gpu_util: Unknown Error",
    ),
    (
        A100,
        "570.172.08",
        {"fan_speed": "Unknown Error", "power_state": "Unknown Error", "utilization/decoder_util": "Unknown Error"},
        "gpu-lost",
        REBOOT,
        "decoder_util: Unknown Error",
    ),
    (
        A100,
        "570.172.08",
        {"fan_speed": "Unknown Error", "power_state": "Unknown Error", "vbios_version": "Unknown Error"},
        "gpu-unreadable",
        WATCH,
        "vbios_version: Unknown Error",
    ),
    (A100, "570.172.08", {"temperature/gpu_temp_tlimit": "0 C"}, "gpu-hot", WATCH, "gpu_temp_tlimit: 0 C"),
    (
        A100,
        "570.172.08",
        {"pci/pci_gpu_link_info/link_widths/current_link_width": "8x"},
        "gpu-pcie-width",
        WATCH,
        "current_link_width: 8x",
    ),
    (
        "ml.g4dn.12xlarge",
        "535.183.01",
        {"retired_pages/double_bit_retirement/retired_count": "16"},
        "gpu-pages-retired",
        REPLACE,
        ": 16",
    ),
    (
        "ml.g4dn.12xlarge",
        "535.183.01",
        {"retired_pages/pending_retirement": "Yes"},
        "gpu-rows-pending",
        WATCH,
        "pending_retirement: Yes",
    ),
    (
        "ml.g4dn.12xlarge",
        "535.183.01",
        {"pci/pci_gpu_link_info/link_widths/current_link_width": "4x"},
        "gpu-pcie-width",
        WATCH,
        "4x",
    ),
]


@pytest.mark.parametrize(("kind", "driver", "values", "code", "verdict", "words"), LIVE)
def test_a_bad_value_of_one_gpu_is_a_problem_of_that_gpu(
    kind: str, driver: str, values: dict[str, str | None], code: str, verdict: str, words: str, tmp_path: Path
) -> None:
    story = lean(kind, driver=driver)
    story.gpus[1].elements.update(values)
    health = Node(tmp_path).judge(story)
    problem = only(health)
    assert (health.verdict, problem.code, problem.verdict, problem.cause) == (verdict, code, verdict, "hardware")
    assert words in problem.evidence
    assert (problem.part, problem.key) == ("GPU 1 (0000:63:00.0)", "1650522003801")


STICKY = [
    ("remapped_rows/remapped_row_pending", "535.183.01", "Yes", "gpu-rows-pending", WATCH, REPLACE),
    ("gpu_recovery_action", "570.172.08", "Reset", "gpu-recovery-action", REBOOT, REPLACE),
    ("gpu_reset_status/reset_required", "535.183.01", "Yes", "gpu-reset-required", REBOOT, REPLACE),
    ("ecc_errors/tpc_repair_pending", "595.91.07", "Yes", "gpu-repair-pending", REBOOT, REPLACE),
    ("pci/pci_gpu_link_info/link_widths/current_link_width", "570.172.08", "8x", "gpu-pcie-width", WATCH, REBOOT),
    ("temperature/gpu_temp_tlimit", "570.172.08", "-2 C", "gpu-hot", WATCH, WATCH),
]


@pytest.mark.parametrize(("path", "driver", "value", "code", "first", "then"), STICKY)
def test_a_value_that_a_reboot_did_not_clear_is_worse(path: str, driver: str, value: str, code: str, first: str, then: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge", driver=driver)
    story.gpus[3].elements[path] = value
    for _turn in range(2):
        assert verdicts(node.judge(story)) == [(code, first)]
        story.uptime += 3600
    reboot(story)
    assert verdicts(node.judge(story)) == [(code, then)]


def test_the_evidence_of_a_fault_of_rows_has_the_spare_rows(tmp_path: Path) -> None:
    histogram = "remapped_rows/row_remapper_histogram/row_remapper_histogram"
    for name, code in (("pending", "gpu-rows-pending"), ("failure", "gpu-rows-failed")):
        story = lean("ml.g5.48xlarge")
        story.gpus[3].elements = {f"remapped_rows/remapped_row_{name}": "Yes", f"{histogram}_low": "1 bank(s)", f"{histogram}_high": "3 bank(s)"}
        problem = only(Node(tmp_path / name).judge(story))
        assert (problem.code, problem.evidence) == (code, f"remapped_row_{name}: Yes, low: 1 bank(s)")


def test_a_later_pending_remap_is_no_repeat_of_a_finished_one(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    path = "remapped_rows/remapped_row_pending"
    story.gpus[3].elements[path] = "Yes"
    assert node.judge(story).verdict == WATCH
    reboot(story)
    story.gpus[3].elements = {"remapped_rows/remapped_row_unc": "1"}
    assert node.judge(story).verdict == FIT
    reboot(story)
    story.gpus[3].elements[path] = "Yes"
    assert verdicts(node.judge(story)) == [("gpu-rows-pending", WATCH)]


REFUSALS = [
    ("Failed to initialize NVML: Driver Not Loaded", 9, "driver-not-loaded", REBOOT, "config"),
    ("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", 9, "driver-not-loaded", REBOOT, "config"),
    ("Failed to initialize NVML: Driver/library version mismatch", 18, "driver-mismatch", REBOOT, "config"),
    ("No devices were found", 6, "gpu-missing", REBOOT, "hardware"),
]


@pytest.mark.parametrize(("words", "status", "code", "verdict", "cause"), REFUSALS)
def test_an_error_of_nvidia_smi_is_a_problem_with_its_text_as_evidence(
    words: str, status: int, code: str, verdict: str, cause: str, tmp_path: Path
) -> None:
    story = lean("ml.g5.48xlarge", tools={"nvidia-smi": words}, statuses={"nvidia-smi": status})
    health = Node(tmp_path).judge(story)
    problem = only(health)
    assert (health.verdict, problem.code, problem.cause, problem.evidence) == (verdict, code, cause, words)
    assert "GPUs" in [each.what for each in health.not_looked_at]


@pytest.mark.parametrize(
    ("words", "then"),
    [(REFUSALS[1][0], REBOOT), (REFUSALS[3][0], REPLACE), (REFUSALS[2][0], REBOOT)],
    ids=["loaded", "found", "same"],
)
def test_only_missing_gpus_require_a_replacement_after_a_reboot(words: str, then: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge", tools={"nvidia-smi": words}, statuses={"nvidia-smi": 6})
    assert node.judge(story).verdict == REBOOT
    reboot(story)
    assert node.judge(story).verdict == then


UNREADABLE = [
    ("cut", lambda text: text[: len(text) // 2]),
    ("doubled", lambda text: text + text),
    ("entities", lambda text: text.replace("<nvidia_smi_log>", '<nvidia_smi_log><!ENTITY a "b">')),
    ("element", lambda text: text.replace("</uuid>", "</uuid", 1)),
    ("localized", lambda _text: "NVIDIA-SMI ist fehlgeschlagen: keine Verbindung zum Treiber"),
    ("container", lambda _text: "Failed to initialize NVML: Unknown Error"),
    ("nothing", lambda _text: ""),
]


@pytest.mark.parametrize("change", [each[1] for each in UNREADABLE], ids=[each[0] for each in UNREADABLE])
def test_an_unreadable_document_makes_a_node_unknown(change: t.Callable[[str], str], tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    story.tools["nvidia-smi"] = change(smi.document(story))
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == (UNKNOWN, [])
    assert "GPUs" in [each.what for each in health.not_looked_at]


def test_a_kernel_record_without_nvidia_smi_is_unknown(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge", tools={"nvidia-smi": MISSING})
    assert Node(tmp_path / "quiet").judge(story).verdict == UNKNOWN
    xid(story, 80000, 119, "Timeout", gpu=2)
    health = Node(tmp_path / "recorded").judge(story)
    assert (health.verdict, verdicts(health)) == (UNKNOWN, [("gpu-xid", UNKNOWN)])
    assert "could not be read: nvidia-smi -q, gpu_recovery_action." in only(health).text


def test_a_node_without_a_readable_log_is_unknown(tmp_path: Path) -> None:
    health = Node(tmp_path).judge(lean("ml.g5.48xlarge", tools={"journalctl": MISSING}))
    assert (health.verdict, verdicts(health)) == (UNKNOWN, [])
    assert [each.what for each in health.not_looked_at] == ["kernel log"]
    assert "kernel log" not in health.looked_at


def test_unchecked_parts_are_worse_than_watched_ones(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge", tools={"journalctl": MISSING})
    story.gpus[1].elements["temperature/gpu_temp_tlimit"] = "-1 C"
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == (UNKNOWN, [("gpu-hot", WATCH)])


@pytest.mark.parametrize(
    ("later", "code", "verdict"),
    [(30, 0, UNKNOWN), (590, 0, UNKNOWN), (700, 0, REBOOT), (30, 119, REBOOT), (30, 62, REBOOT), (30, 31, UNKNOWN)],
)
def test_a_tool_that_hangs_makes_the_node_unfit_with_time_or_a_record(later: float, code: int, verdict: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.p5.4xlarge", tools={"nvidia-smi": HANGS})
    node.now = time.time()
    if code:
        xid(story, 80000, code, "Timeout")
    health = node.judge(story, after=later, seconds=0.3)
    hung = next(each for each in health.problems if each.code == "driver-hangs")
    assert (health.verdict, hung.verdict, hung.part, hung.cause) == (verdict, verdict, "nvidia-smi", "hardware")


LOST = "GPU is lost. Reboot the system to recover this GPU"


@pytest.mark.parametrize("words", [LOST, "Unknown Error"])
def test_a_gpu_that_is_still_lost_after_a_reboot_is_replaced(words: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    node.judge(story)
    story.gpus[5].lost = words
    story.uptime += 60
    health = node.judge(story, seconds=20)
    assert verdicts(health) == [("gpu-lost", REBOOT)]
    assert (only(health).evidence, only(health).key) == (words, "1650522003805")
    reboot(story)
    assert verdicts(node.judge(story)) == [("gpu-lost", REPLACE)]


def test_a_gpu_with_unreadable_values_is_not_lost_because_another_is(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    story.gpus[5].lost = LOST
    story.gpus[2].elements = dict.fromkeys(("fan_speed", "power_state", "vbios_version"), "Unknown Error")
    health = Node(tmp_path).judge(story)
    assert [(each.code, each.part[:5]) for each in health.problems] == [("gpu-lost", "GPU 5"), ("gpu-unreadable", "GPU 2")]


def test_a_lost_gpu_that_is_missing_after_the_reboot_is_replaced(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    node.judge(story)
    story.gpus[5].lost = LOST
    story.uptime += 60
    node.judge(story)
    reboot(story)
    story.gpus[5].on_bus = False
    story.gpus[5].lost = ""
    assert verdicts(node.judge(story)) == [("gpu-missing", REPLACE)]


def test_a_gpu_that_fell_off_the_bus_and_is_missing_after_the_reboot_is_replaced(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    node.judge(story)
    story.gpus[5].on_bus = False
    xid(story, 86450, 79, OFF, gpu=5)
    story.uptime += 100
    health = node.judge(story)
    assert (verdicts(health), only(health).folded) == ([("gpu-xid", REBOOT)], ("gpu-missing",))
    reboot(story)
    health = node.judge(story)
    assert (verdicts(health), only(health).part) == ([("gpu-missing", REPLACE)], "GPU 5 (0000:a3:00.0)")
    assert "An earlier boot also had this problem" in only(health).text


def test_other_problems_of_a_gpu_that_fell_off_the_bus_are_folded(tmp_path: Path) -> None:
    story = lean(A100)
    story.gpus[2].links_down = set(range(12))
    story.gpus[2].elements.update({"gpu_recovery_action": "Reboot", "utilization/gpu_util": "Unknown Error"})
    story.gpus[2].answers_bus = False
    xid(story, 80000, 79, OFF, gpu=2)
    health = Node(tmp_path).judge(story)
    assert verdicts(health) == [("gpu-xid", REBOOT)]
    assert only(health).folded == ("gpu-unreadable", "gpu-recovery-action", "gpu-nvlink-down")


def test_a_gpu_that_falls_off_the_bus_again_after_a_reboot_is_replaced(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    node.judge(story)
    story.uptime += 100
    fault(story, 86450, 79, OFF, gpu=5)
    assert node.judge(story).verdict == REBOOT
    reboot(story)
    clear_faults(story)
    assert node.judge(story).verdict == FIT
    story.uptime += 7200
    fault(story, story.uptime - 60, 79, OFF, gpu=5)
    health = node.judge(story)
    assert verdicts(health) == [("gpu-xid", REPLACE)]


def test_a_gpu_that_fell_off_the_bus_makes_another_missing_one_no_repeat(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    fault(story, 80000, 79, OFF, gpu=5)
    node.judge(story)
    reboot(story)
    clear_faults(story)
    story.gpus[2].on_bus = False
    assert verdicts(node.judge(story)) == [("gpu-missing", REBOOT)]


def test_a_gpu_that_was_never_seen_is_missing_by_the_count_of_the_type(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    story.gpus[7].on_bus = False
    health = node.judge(story)
    assert verdicts(health) == [("gpu-missing", REBOOT)]
    assert only(health).text == "7 of 8 GPUs are present (expected by the collection's table, for g5.48xlarge)."
    assert Node(tmp_path / "ec2").judge(story, wanted=expected("g5.48xlarge", gpus=7)).verdict == FIT
    reboot(story)
    assert verdicts(node.judge(story)) == [("gpu-missing", REPLACE)]


def test_a_gpu_that_the_kernel_lists_but_not_the_driver_is_missing(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    full = smi.document(story)
    begin, end = full.index('\t<gpu id="00000000:C3'), full.index("</nvidia_smi_log>")
    story.tools["nvidia-smi"] = full[:begin] + full[end:]
    health = Node(tmp_path).judge(story)
    assert verdicts(health) == [("gpu-missing", REBOOT)]
    assert "is listed by the kernel, but not by the driver" in only(health).text


INIT = "RmInitAdapter failed! (0x62:0x40:2363)"


def test_a_gpu_that_the_driver_could_not_initialize_is_missing_with_the_reason(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    full = smi.document(story)
    begin, end = full.index('\t<gpu id="00000000:C3'), full.index("</nvidia_smi_log>")
    story.tools["nvidia-smi"] = full[:begin] + full[end:]
    story.say(40, f"NVRM: GPU 0000:c3:00.0: {INIT}", f"NVRM: GPU 0000:53:00.0: {INIT[:-5]}1)", "NVRM: No NVIDIA GPU found.")
    health = Node(tmp_path).judge(story)
    assert (verdicts(health), only(health).evidence, only(health).part) == ([("gpu-missing", REBOOT)], INIT, "GPU 7 (0000:c3:00.0)")


def test_a_driver_that_finds_no_gpu_has_the_reason_as_evidence(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge", tools={"nvidia-smi": "No devices were found"}, statuses={"nvidia-smi": 6})
    story.say(40, f"NVRM: {INIT}")
    assert only(Node(tmp_path).judge(story)).evidence == f"No devices were found; {INIT}"


def test_a_fall_off_the_bus_over_three_lines_is_one_record(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    node.judge(story)
    story.gpus[6].on_bus = False
    words = "NVRM: The NVIDIA GPU 0000:b3:00.0\nNVRM: (PCI ID: 10de:2237) installed in this system has\nNVRM: fallen off the bus and is not"
    story.say(86450, f"{words} responding to commands.")
    story.uptime += 100
    problem = only(node.judge(story))
    assert (problem.code, problem.verdict, problem.key, problem.folded) == ("gpu-xid", REBOOT, "1650522003806 Xid 79", ("gpu-missing",))


def test_a_node_without_any_gpu_is_unfit_if_its_type_has_some(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    story.gpus = []
    assert verdicts(node.judge(story)) == [("gpu-missing", REBOOT)]
    assert node.judge(story, wanted=expected("m5.new")).verdict == UNKNOWN


SETTLING = [
    ("gpu", "gpu-missing"),
    ("efa", "efa-missing"),
    ("port", "efa-down"),
    ("fabric", "gpu-fabric"),
    ("link", "gpu-nvlink-down"),
    ("manager", "fabric-manager-down"),
    ("driver", "driver-not-loaded"),
    ("neuron", "neuron-missing"),
    ("unfound", "gpu-missing"),
]


@pytest.mark.parametrize(("what", "code"), SETTLING)
def test_devices_may_be_missing_while_the_node_settles(what: str, code: str, tmp_path: Path) -> None:
    kind = {"fabric": H100, "neuron": "ml.trn1.32xlarge", "efa": A100, "port": A100}.get(what, A100)
    story = healthy(kind, uptime=60) if what in ("efa", "port", "neuron") else lean(kind, uptime=60)
    if what == "gpu":
        story.gpus[0].on_bus = False
    elif what == "efa":
        story.efa.pop()
    elif what == "port":
        story.efa[0].state = "1: DOWN"
    elif what == "fabric":
        story.gpus[0].elements.update({"fabric/state": "In Progress", "fabric/status": "N/A"})
    elif what == "link":
        story.gpus[0].links_down = {4}
    elif what == "manager":
        story.services["nvidia-fabricmanager"] = "activating"
    elif what == "neuron":
        story.neuron.pop()
    else:
        story.tools["nvidia-smi"] = REFUSALS[1 if what == "driver" else 3][0]
    node = Node(tmp_path)
    for uptime, verdict in ((60, UNKNOWN), (299, UNKNOWN), (300, REBOOT)):
        story.uptime = uptime
        health = node.judge(story)
        assert (health.verdict, verdicts(health)) == (verdict, [(code, verdict)])
        assert settles_in(node.look, health) == 300 - uptime


def test_waiting_happens_only_for_problems_that_may_settle(tmp_path: Path) -> None:
    fit, blind, unfit = (lean("ml.g5.48xlarge", uptime=60) for _kind in range(3))
    blind.tools["nvidia-smi"] = "Failed to initialize NVML: Unknown Error"
    unfit.gpus[0].on_bus = False
    unfit.gpus[1].elements["ecc_errors/aggregate/sram_threshold_exceeded"] = "Yes"
    for number, (story, verdict) in enumerate([(fit, FIT), (blind, UNKNOWN), (unfit, REPLACE)]):
        node = Node(tmp_path / str(number))
        health = node.judge(story)
        assert (health.verdict, settles_in(node.look, health)) == (verdict, 0)
    node, missing = Node(tmp_path / "waived"), lean("ml.g5.48xlarge", uptime=60)
    missing.gpus[0].on_bus = False
    health = node.judge(missing, profile=_waived("gpu-missing"))
    assert (health.verdict, settles_in(node.look, health)) == (FIT, 0)


def test_the_time_to_settle_is_that_of_the_profile(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge", uptime=400)
    story.gpus[0].on_bus = False
    health = node.judge(story, profile=Profile(settle_seconds=600))
    assert (health.verdict, settles_in(node.look, health)) == (UNKNOWN, 200)


def test_a_hanging_tool_is_no_reason_to_wait(tmp_path: Path) -> None:
    node = Node(tmp_path)
    node.now = time.time()
    health = node.judge(lean("ml.p5.4xlarge", uptime=60, tools={"nvidia-smi": HANGS}), after=1, seconds=0.3)
    assert (health.verdict, settles_in(node.look, health)) == (UNKNOWN, 0)


def test_a_gpu_that_was_missing_in_an_earlier_boot_may_settle(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    node.judge(story)
    story.gpus[0].on_bus = False
    assert node.judge(story).verdict == REBOOT
    reboot(story, uptime=60)
    assert verdicts(node.judge(story)) == [("gpu-missing", UNKNOWN)]
    story.uptime = 400
    assert verdicts(node.judge(story)) == [("gpu-missing", REPLACE)]


def test_devices_missing_only_while_settling_are_no_repeat(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge", uptime=60)
    story.gpus.pop()
    assert verdicts(node.judge(story)) == [("gpu-missing", UNKNOWN)]
    reboot(story)
    assert verdicts(node.judge(story)) == [("gpu-missing", REBOOT)]


FABRICS = [
    ({"fabric/state": "In Progress"}, "550.163.01", "gpu-fabric", REBOOT, "fabric", "state: In Progress"),
    ({"fabric/state": "Not Started", "fabric/status": "N/A"}, "535.183.01", "gpu-fabric", REBOOT, "fabric", "state: Not Started"),
    ({"fabric/status": "Insufficient Resources"}, "570.172.08", "gpu-fabric", REBOOT, "fabric", "status: Insufficient Resources"),
    ({"fabric/health/bandwidth": "Degraded"}, "550.163.01", "gpu-fabric-health", REBOOT, "fabric", "bandwidth: Degraded"),
    ({"fabric/health/route_unhealthy": "True"}, "570.172.08", "gpu-fabric-health", REBOOT, "fabric", "route_unhealthy: True"),
    (
        {"fabric/health/route_recovery_in_progress": "True"},
        "570.172.08",
        "gpu-fabric-health",
        REBOOT,
        "fabric",
        "in_progress: True",
    ),
    (
        {"fabric/health/access_timeout_recovery": "True"},
        "595.91.07",
        "gpu-fabric-health",
        REBOOT,
        "fabric",
        "access_timeout_recovery: True",
    ),
    ({"fabric/status": "Unknown Error"}, "570.172.08", "gpu-fabric", REBOOT, "fabric", "status: Unknown Error"),
    ({"fabric/state": "Not Supported"}, "570.172.08", "gpu-fabric", REBOOT, "fabric", "state: Not Supported"),
    ({"fabric/health/summary": "Unhealthy"}, "595.91.07", "gpu-fabric-health", REBOOT, "fabric", "summary: Unhealthy"),
    (
        {"fabric/health/summary": "Unhealthy", "fabric/health/bandwidth": "Degraded"},
        "595.91.07",
        "gpu-fabric-health",
        REBOOT,
        "fabric",
        "summary: Unhealthy, bandwidth: Degraded",
    ),
    ({"fabric/health/summary": "Limited Capacity"}, "595.91.07", "gpu-fabric-health", WATCH, "fabric", "summary: Limited Capacity"),
    (
        {"fabric/health/incorrect_configuration": "SysGuid"},
        "595.91.07",
        "gpu-fabric-health",
        WATCH,
        "config",
        "configuration: SysGuid",
    ),
]


@pytest.mark.parametrize(("values", "driver", "code", "verdict", "cause", "words"), FABRICS)
def test_a_gpu_that_is_not_registered_with_the_fabric_is_a_problem(
    values: dict[str, str | None], driver: str, code: str, verdict: str, cause: str, words: str, tmp_path: Path
) -> None:
    node, story = Node(tmp_path), lean(H100, driver=driver)
    story.gpus[6].elements.update(values)
    problem = only(node.judge(story))
    assert (problem.code, problem.verdict, problem.cause) == (code, verdict, cause)
    assert words in problem.evidence
    reboot(story)
    assert node.judge(story).verdict == (REPLACE if verdict == REBOOT else WATCH)


@pytest.mark.parametrize("missing", [("-s",), ("-s", "-e")], ids=["only errors", "nothing"])
def test_unreadable_nvlinks_make_the_node_unknown(missing: tuple[str, ...], tmp_path: Path) -> None:
    health = Node(tmp_path).judge(lean(A100, links_missing=missing))
    assert (health.verdict, verdicts(health)) == (UNKNOWN, [])
    (unseen,) = health.not_looked_at
    assert unseen.what == "NVLink" and unseen.why.startswith("nvidia-smi nvlink -s printed no valid values for GPU 0 (")


@pytest.mark.parametrize("down", [{4}, set(range(12))], ids=["one", "all"])
def test_nvlinks_that_are_down_are_a_problem(down: set[int], tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(A100)
    story.gpus[2].links_down = down
    problem = only(node.judge(story))
    assert (problem.code, problem.verdict, problem.cause) == ("gpu-nvlink-down", REBOOT, "fabric")
    assert problem.evidence == "links without speed: " + ", ".join(map(str, sorted(down)))
    assert f"{12 - len(down)} of 12 NVLinks" in problem.text
    reboot(story)
    assert node.judge(story).verdict == REPLACE


@pytest.mark.parametrize(("seconds", "verdict"), [((0, 30), WATCH), ((0, 90), REBOOT)])
def test_a_repeated_nvlink_error_makes_the_node_unfit(seconds: tuple[int, int], verdict: str, tmp_path: Path) -> None:
    story = lean(A100)
    for second in seconds:
        fault(story, 80000 + second, 74, "NVLink: fatal error detected on link 6(0x10000, 0x0)", gpu=4)
    problem = only(Node(tmp_path).judge(story))
    assert (problem.verdict, problem.cause) == (verdict, "fabric")
    assert ("2 times" in problem.text) == (verdict == REBOOT)


def test_repeated_nvlink_errors_in_two_boots_require_a_replacement(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(A100)
    for verdict in (REBOOT, REPLACE):
        for second in (310, 400):
            fault(story, second, 74, "NVLink: fatal error detected on link 6", gpu=4)
        assert node.judge(story).verdict == verdict
        reboot(story)


@pytest.mark.parametrize(
    ("name", "more", "verdict"),
    [
        ("Replay Errors", 1, WATCH),
        ("Effective Errors", 1, WATCH),
        ("Symbol Errors", 90_000, FIT),
        ("Recovery Errors", 1, WATCH),
        ("CRC Errors", 360_000, WATCH),
        ("CRC Errors", 359_999, FIT),
        ("Replay Errors", 0, FIT),
    ],
)
def test_nvlink_errors_since_the_previous_check_are_watched(name: str, more: int, verdict: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(A100)
    story.gpus[2].link_errors = {3: {name: 900}}
    assert node.judge(story).verdict == FIT
    story.uptime += 3600
    story.gpus[2].link_errors = {3: {name: 900 + more}}
    health = node.judge(story)
    assert health.verdict == verdict
    words = f"{name.lower().replace(' ', '_')}: {more} in 3600 s"
    assert [(each.code, each.evidence) for each in health.problems] == ([] if verdict == FIT else [("gpu-nvlink-errors", words)])


def test_uncorrected_errors_of_links_of_the_fifth_generation_are_watched(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean(B300, driver="595.91.07")
    wanted = Expected(8, None, 0, 18, "a test")
    for effective, verdict in ((0, FIT), (2, WATCH), (2, FIT)):
        story.gpus[2].link_errors = {3: {"Effective Errors": effective, "Effective BER": "3e-12", "Symbol Errors": 7 * effective}}
        health = node.judge(story, wanted=wanted)
        words = "effective_errors: 2 in 3600 s, symbol_errors: 14 in 3600 s"
        assert [(each.code, each.evidence) for each in health.problems] == ([("gpu-nvlink-errors", words)] if verdict == WATCH else [])
        story.uptime += 3600


REGISTERS = [
    ("0x10000", "possibly the hardware of the link"),
    ("0x110", "an ECC or parity error, likely of the hardware; possibly the hardware of the link"),
    ("0x200000", "a weak signal on the link"),
    ("0x2", "a consequence of another error"),
    ("0x0", ""),
    ("0x8000000", ""),
]


@pytest.mark.parametrize(("register", "words"), REGISTERS)
def test_the_text_of_an_nvlink_error_explains_its_first_register(register: str, words: str, tmp_path: Path) -> None:
    story = lean(A100)
    xid(story, 80000, 74, f"NVLink: fatal error detected on link 6({register}, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)", gpu=4)
    problem = only(Node(tmp_path).judge(story))
    assert problem.verdict == WATCH
    assert problem.text.partition(" Meaning of the Xid's first register: ")[2] == (f"{words}." if words else "")


@pytest.mark.parametrize(
    "words",
    [
        "on link 6(0x40000001, 0x0, 0x1, 0x0)",
        "on link 6",
        "on link 6(0x40000001",
        "pid=7, name=a, link 6(0x40000001), NVLink: fatal error detected on link 6(0x10000, 0x0)",
    ],
)
def test_an_nvlink_error_with_more_than_notes_counts(words: str, tmp_path: Path) -> None:
    story = lean(A100)
    xid(story, 80000, 74, words if words.startswith("pid=") else f"NVLink: fatal error detected {words}", gpu=4)
    assert verdicts(Node(tmp_path).judge(story)) == [("gpu-xid", WATCH)]


MANAGERS = [
    ("inactive", {}, "fabric-manager-down", REBOOT, "service"),
    ("failed", {}, "fabric-manager-down", REBOOT, "service"),
    ("failed", {"nv-fabricmanager": "Fabric Manager version is : 570.86.15"}, "fabric-manager-down", REBOOT, "config"),
    ("active", {"nv-fabricmanager": "Fabric Manager version is : 570.86.15"}, "fabric-manager-version", WATCH, "config"),
]


@pytest.mark.parametrize(("state", "tools", "code", "verdict", "cause"), MANAGERS)
def test_a_fabric_manager_that_is_down_or_of_another_version_is_a_problem(
    state: str, tools: dict[str, str], code: str, verdict: str, cause: str, tmp_path: Path
) -> None:
    story = lean(A100, tools=tools)
    story.services["nvidia-fabricmanager"] = state
    problem = only(Node(tmp_path).judge(story))
    assert (problem.code, problem.verdict, problem.cause, problem.part) == (code, verdict, cause, "nvidia-fabricmanager")
    assert problem.evidence == (f"nvidia-fabricmanager: {state}" if state != "active" else "")
    assert ("570.86.15" in problem.text) == bool(tools)


EFA = [
    ("rx_drops", 3601, WATCH),
    ("rx_drops", 3600, FIT),
    ("rdma_read_wr_err", 4000, WATCH),
    ("rdma_write_wr_err", 4000, WATCH),
    ("no_completion_cmds", 4000, WATCH),
]


@pytest.mark.parametrize(("name", "more", "verdict"), EFA)
def test_efa_errors_since_the_previous_check_are_watched(name: str, more: int, verdict: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), healthy("ml.g5.48xlarge")
    counters = story.efa[0].counters if name == "no_completion_cmds" else story.efa[0].port
    counters[name] = 77
    assert node.judge(story).verdict == FIT
    story.uptime += 3600
    counters[name] += more
    health = node.judge(story)
    assert health.verdict == verdict
    assert [(each.code, each.evidence) for each in health.problems] == (
        [] if verdict == FIT else [("efa-errors", f"{name}: {more} in 3600 s")]
    )


def test_a_burst_of_efa_errors_is_watched_above_its_limit(tmp_path: Path) -> None:
    node, story = Node(tmp_path), healthy("ml.g5.48xlarge")
    for drops, verdict in ((0, FIT), (100, FIT), (201, WATCH)):
        story.efa[0].port["rx_drops"] = drops
        assert node.judge(story).verdict == verdict
        story.uptime += 10


def test_an_efa_device_that_is_missing_or_down_in_two_boots_is_replaced(tmp_path: Path) -> None:
    node, story = Node(tmp_path), healthy(A100)
    story.efa[0].state = "1: DOWN"
    gone = story.efa.pop()
    for verdict in (REBOOT, REPLACE):
        health = node.judge(story)
        assert verdicts(health) == [("efa-down", verdict), ("efa-missing", verdict)]
        assert [each.evidence for each in health.problems] == ["state: DOWN", ""]
        assert "3 of 4 EFA devices" in health.problems[1].text
        reboot(story)
    story.efa.append(gone)
    story.efa[0].state = "4: ACTIVE"
    assert node.judge(story).verdict == FIT


PORTS = [
    *((state, REBOOT) for state in ("0: NOP", "1: DOWN", "2: INIT", "3: ARMED", "5: ACTIVE_DEFER")),
    *((state, UNKNOWN) for state in ("", "6: SLEEPING", "ACTIVE?", "4: active")),
]


@pytest.mark.parametrize(("state", "verdict"), PORTS)
def test_only_a_port_that_is_active_is_up(state: str, verdict: str, tmp_path: Path) -> None:
    story = healthy("ml.g5.48xlarge")
    story.efa[0].state = state
    problem = only(Node(tmp_path).judge(story))
    assert (problem.code, problem.verdict) == ("efa-down", verdict)
    assert problem.evidence == f"state: {state.rpartition(':')[2].strip() or 'not read'}"


def test_an_efa_device_that_libfabric_does_not_offer_is_watched(tmp_path: Path) -> None:
    story = healthy(A100)
    blocks = [f"provider: efa\n    fabric: efa\n    domain: {each.name}-rdm\n    type: FI_EP_RDM" for each in story.efa[1:]]
    story.tools["fi_info"] = "\n".join(blocks)
    problem = only(Node(tmp_path).judge(story))
    assert (problem.code, problem.verdict, problem.cause) == ("efa-not-offered", WATCH, "config")
    assert problem.evidence == "not in fi_info: rdmap64s0"


@pytest.mark.parametrize(
    ("service", "locked", "verdict"),
    [
        ("slurmd", "65536", WATCH),
        ("containerd", "8388608", WATCH),
        ("slurmd", str(16 * 2**30), FIT),
        ("slurmd", str(16 * 2**30 - 1), WATCH),
    ],
)
def test_a_service_with_too_little_locked_memory_is_watched(service: str, locked: str, verdict: str, tmp_path: Path) -> None:
    story = healthy("ml.g5.48xlarge")
    story.locked_memory = {service: locked}
    health = Node(tmp_path).judge(story)
    assert health.verdict == verdict
    assert [(each.code, each.cause, each.evidence) for each in health.problems] == (
        [] if verdict == FIT else [("locked-memory", "config", f"Max locked memory: {locked}")]
    )


NEURON = ["SRAM_UNCORRECTABLE_ERROR", "NC_UNCORRECTABLE_ERROR", "HBM_UNCORRECTABLE_ERROR", "DMA_ERROR", "SOME_OTHER_ERROR"]


@pytest.mark.parametrize("shown", [False, True])
@pytest.mark.parametrize("word", NEURON)
def test_errors_reported_by_the_neuron_runtime_are_hints(word: str, shown: bool, tmp_path: Path) -> None:
    """Any process that may open a device can make its driver write them. Only the counters of the device make the node unfit."""
    story = lean("ml.trn1.32xlarge")
    story.say(80000, f"NEURON_HW_ERR={word} instance-id=i-0123 hostname=n1 nd-id=3 nc-id=0 serial-num=0 action=TERMINATE_INSTANCE")
    if shown:
        story.neuron[3].errors["mem_ecc_uncorrected"] = 1
    health = Node(tmp_path).judge(story)
    assert verdicts(health) == [*([("neuron-memory", REPLACE)] if shown else []), ("neuron-error", WATCH)]
    assert (health.problems[-1].cause, health.problems[-1].evidence) == ("hardware", word)


@pytest.mark.parametrize("name", ["mem_ecc_uncorrected", "sram_ecc_uncorrected"])
def test_uncorrected_memory_errors_of_a_neuron_device_require_a_replacement(name: str, tmp_path: Path) -> None:
    story = lean("ml.trn2.48xlarge", neuron_release="2.34")
    story.neuron[3].errors[name] = 1
    problem = only(Node(tmp_path).judge(story))
    assert (problem.code, problem.verdict, problem.evidence) == ("neuron-memory", REPLACE, f"{name}: 1")
    assert problem.part == "Neuron device 3"


def test_a_neuron_device_without_error_counters_makes_the_node_unknown(tmp_path: Path) -> None:
    story = lean("ml.trn1.32xlarge")
    story.tools["neuron-monitor"] = present.replies(story)["neuron-monitor"][""][0].replace('"mem_ecc_uncorrected": 0', '"mem": 0', 1)
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == (UNKNOWN, [])
    assert [(each.what, each.why) for each in health.not_looked_at] == [
        ("neuron-monitor", "the output has no counters of uncorrected errors of device 0")
    ]


def test_a_neuron_device_that_is_missing_in_two_boots_is_replaced(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.trn1.32xlarge")
    story.neuron.pop()
    for verdict in (REBOOT, REPLACE):
        health = node.judge(story)
        assert verdicts(health) == [("neuron-missing", verdict)]
        assert "15 of 16" in only(health).text
        reboot(story)


@pytest.mark.parametrize("tool", ["neuron-ls", "neuron-monitor"])
def test_a_missing_neuron_tool_makes_the_node_unknown(tool: str, tmp_path: Path) -> None:
    health = Node(tmp_path).judge(lean("ml.trn1.32xlarge", tools={tool: MISSING}))
    assert (health.verdict, verdicts(health)) == (UNKNOWN, [])
    assert [each.what for each in health.not_looked_at] == [tool]


REASON, COUNTED = "clocks_event_reasons", "clocks_event_reasons_counters"


@pytest.mark.parametrize(
    ("name", "reason", "more", "verdict"),
    [
        ("hw_therm_slowdown", "hw_thermal_slowdown", 360_000_000, WATCH),
        ("sw_therm_slowdown", "sw_thermal_slowdown", 360_000_000, WATCH),
        ("sw_therm_slowdown", "sw_thermal_slowdown", 350_000_000, FIT),
        ("hw_power_brake", "hw_power_brake_slowdown", 3_600_000_000, WATCH),
        ("hw_therm_slowdown", "hw_thermal_slowdown", 350_000_000, FIT),
        ("sw_power_cap", "sw_power_cap", 3_600_000_000, FIT),
    ],
)
def test_a_gpu_held_back_for_a_tenth_of_the_time_is_watched(name: str, reason: str, more: int, verdict: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    for number, counted in enumerate((5_000_000, 5_000_000 + more)):
        story.gpus[1].processes = ("python3",)
        story.gpus[1].elements[f"{COUNTED}/{COUNTED}_{name}"] = f"{counted} us"
        health = node.judge(story)
        assert health.verdict == (verdict if number else FIT)
        story.uptime += 3600
    assert [(each.code, each.evidence) for each in health.problems] == ([] if verdict == FIT else [("gpu-held-back", reason)])
    assert all(("by its driver" in each.text) == (name == "sw_therm_slowdown") for each in health.problems)


@pytest.mark.parametrize("driver", ["515.105.01", "550.163.01"])
def test_without_counters_a_gpu_held_back_in_two_checks_is_watched(driver: str, tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge", driver=driver)
    word = "throttle" if driver.startswith("515") else "event"
    story.gpus[1].processes = ("python3",)
    path = f"clocks_{word}_reasons/clocks_{word}_reason_hw_slowdown"
    for now, verdict in (("Active", FIT), ("Active", WATCH), ("Not Active", FIT), ("Active", FIT)):
        story.gpus[1].elements[path] = now
        health = node.judge(story)
        assert health.verdict == verdict
        story.uptime += 600


@pytest.mark.parametrize(
    ("seconds", "verdict"),
    [((0, 300, 900), WATCH), ((0, 300, 899), FIT), ((0, 10, 20), FIT), ((0, 700), FIT)],
    ids=["jobs", "in a row", "one job", "twice"],
)
@pytest.mark.parametrize("code", [13, 31])
def test_a_repeated_application_xid_of_only_one_gpu_is_watched(
    code: int, seconds: tuple[int, ...], verdict: str, tmp_path: Path
) -> None:
    story = lean("ml.g5.48xlarge")
    for second in seconds:
        xid(story, 80000 + second, code, "pid=7, name=python3, Words", gpu=4)
    health = Node(tmp_path).judge(story)
    assert health.verdict == verdict
    assert verdicts(health) == [*([("gpu-xid", WATCH)] if verdict == WATCH else []), ("job-xid", FIT)]
    assert {each.evidence for each in health.problems} == {"Words (python3)"}


def test_an_application_xid_of_several_gpus_is_caused_by_the_job(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    for second in (0, 300, 900):
        for gpu in (2, 4):
            xid(story, 80000 + second, 31, "pid=7, name=python3, Words", gpu=gpu)
    health = Node(tmp_path).judge(story)
    assert health.verdict == FIT and {each.code for each in health.problems} == {"job-xid"}


def test_application_xids_in_separate_checks_are_added_up(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge", uptime=10_000)
    found = []
    for number in range(3):
        xid(story, 10_000 + 3600 * number - 5, 31, "MMU Fault", gpu=4)
        found.append(node.judge(story).verdict)
        story.uptime += 3600
    assert found == [FIT, FIT, WATCH]


CLEANUP = "pid=4711, name=python3, Ch 00000008"


def test_repeated_cleanup_of_a_running_process_is_watched(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    for second in (0, 700, 1400):
        xid(story, 80000 + second, 45, CLEANUP, gpu=4)
    health = Node(tmp_path).judge(story)
    assert verdicts(health) == [("gpu-xid", WATCH), ("job-xid", FIT)]
    assert (health.verdict, health.problems[0].key) == (WATCH, "1650522003804 Xid 45")
    assert "reported only Xid 45, 3 times for one process that still runs." in health.problems[0].text


def test_a_waiver_applies_until_its_last_day(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    story.gpus[3].elements["ecc_errors/aggregate/sram_threshold_exceeded"] = "Yes"
    day = datetime.timedelta(days=1)
    for until, verdict in ((TODAY + day, FIT), (TODAY, FIT), (TODAY - day, REPLACE)):
        health = Node(tmp_path / str(until)).judge(story, profile=_waived("gpu-sram", story.gpus[3].serial, until))
        assert health.verdict == verdict
        assert [problem.code for problem, _waiver in health.waived] == (["gpu-sram"] if verdict == FIT else [])
        assert [each.code for each in health.problems] == ([] if verdict == FIT else ["gpu-sram"])


@pytest.mark.parametrize(("code", "serial"), [("gpu-sram", "1650522003804"), ("gpu-hot", "1650522003803")])
def test_a_waiver_of_another_part_or_finding_changes_nothing(code: str, serial: str, tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    story.gpus[3].elements["ecc_errors/aggregate/sram_threshold_exceeded"] = "Yes"
    health = Node(tmp_path).judge(story, profile=_waived(code, serial))
    assert (health.verdict, health.waived) == (REPLACE, ())


def test_a_waived_problem_is_kept_in_memory(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    fault(story, 5000, 48, "DBE", gpu=3)
    assert node.judge(story, profile=_waived("gpu-xid", f"{story.gpus[3].serial} Xid 48")).verdict == FIT
    story.uptime += 3600
    assert node.judge(story).verdict == REBOOT, "a check with a waived problem does not prove that the node is fit"
    reboot(story)
    fault(story, 100, 48, "DBE", gpu=3)
    assert node.judge(story).verdict == REPLACE


def test_a_waiver_does_not_hide_xids_of_jobs(tmp_path: Path) -> None:
    story = lean("ml.p5.4xlarge")
    xid(story, 80000, 43, "Ch 1")
    health = Node(tmp_path).judge(story, profile=_waived("job-xid"))
    assert (verdicts(health), health.waived) == ([("job-xid", FIT)], ())


def test_a_waiver_of_one_finding_leaves_the_others(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    story.gpus[3].elements.update({"ecc_errors/aggregate/sram_threshold_exceeded": "Yes", "temperature/gpu_temp_tlimit": "-1 C"})
    health = Node(tmp_path).judge(story, profile=_waived("gpu-sram"))
    assert (health.verdict, verdicts(health)) == (WATCH, [("gpu-hot", WATCH)])


@pytest.mark.parametrize(
    "name",
    [
        f"Unable to determine the device handle for GPU0000:53:00.0: {LOST}",
        f"Unable to determine the device handle for GPU0: 0000:53:00.0: {LOST}",
        "WARNING: infoROM is corrupted at gpu 0000:53:00.0",
        "GPU requires reset",
        "GPU is lost",
        "</process_name><gpu_recovery_action>Reboot</gpu_recovery_action>",
        "\x1b[31m No devices were found",
    ],
)
def test_names_of_processes_have_no_effect(name: str, tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    story.gpus[0].processes = (name.replace("\x1b", "?"),)
    health = Node(tmp_path).judge(story)
    assert (health.verdict, verdicts(health)) == (FIT, [])


def test_an_inforom_that_is_damaged_in_two_boots_is_replaced(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    words = "WARNING: infoROM is corrupted at gpu 0000:63:00.0"
    story.tools["nvidia-smi"] = f"{smi.document(story)}\n{words}"
    story.statuses["nvidia-smi"] = 14
    for verdict in (REBOOT, REPLACE):
        problem = only(node.judge(story))
        assert (problem.code, problem.verdict, problem.key) == ("gpu-inforom", verdict, "1650522003801")
        assert problem.evidence == "nvidia-smi: infoROM is corrupted"
        reboot(story)


def test_values_that_need_permission_make_the_node_unknown(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    denied = "Insufficient Permissions"
    story.gpus[1].elements.update({"temperature/gpu_temp": denied, "utilization/gpu_util": denied, "performance_state": denied})
    health = Node(tmp_path).judge(story)
    assert verdicts(health) == [("gpu-unreadable", UNKNOWN)]
    assert denied in only(health).evidence


def test_problems_are_ordered_from_the_worst_to_the_mildest(tmp_path: Path) -> None:
    story: Story = healthy("ml.p4d.24xlarge", driver="550.163.01")
    story.gpus[0].elements["ecc_errors/aggregate/sram_threshold_exceeded"] = "Yes"
    story.gpus[1].elements["temperature/gpu_temp_tlimit"] = "-1 C"
    fault(story, 80000, 95, gpu=2)
    xid(story, 80000, 43, "Ch 1", gpu=3)
    story.efa[0].state = "1: DOWN"
    health = Node(tmp_path).judge(story)
    assert health.verdict == REPLACE
    assert verdicts(health) == [
        ("gpu-sram", REPLACE),
        ("efa-down", REBOOT),
        ("gpu-xid", REBOOT),
        ("gpu-hot", WATCH),
        ("job-xid", FIT),
    ]


def test_a_swapped_gpu_is_recognized_by_its_serial_number(tmp_path: Path) -> None:
    node, story = Node(tmp_path), lean("ml.g5.48xlarge")
    fault(story, 80000, 48, gpu=2)
    node.judge(story)
    reboot(story)
    here = story.gpus[2]
    story.gpus[2] = Gpu(9, here.address)
    fault(story, 400, 48, gpu=2)
    assert verdicts(node.judge(story)) == [("gpu-xid", REBOOT)]
