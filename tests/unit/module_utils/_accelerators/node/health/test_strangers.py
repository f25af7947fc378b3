# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records about devices that the node does not have, and forged records about its own devices."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.accelerators.story import healthy

from .judge.nodes import Node, lean, only, reboot, verdicts, xid

WATCH, STRANGER = "watch", "kernel-log-stranger"
P5, TRN = "ml.p5.48xlarge", "ml.trn1.32xlarge"
STRANGERS = [
    (P5, "NVRM: Xid (PCI:0000:99:00): 79, GPU has fallen off the bus."),
    (P5, "NVRM: Xid (PCI:0001:53:00): 79, another domain"),
    (P5, "NVRM: Xid (PCI:0000:53:00.1): 79, another function"),
    (P5, "NVRM: Xid (PCI:0000:0a:00): 79, an NVSwitch"),
    (P5, "NVRM: GPU 0000:99:00.0: GPU has fallen off the bus."),
    (P5, "nvidia-nvswitch0: SXid (PCI:0000:53:00.0): 22003, Fatal, a GPU"),
    (P5, "nvidia-nvswitch0: SXid (PCI:0000:99:00.0): 22003, Fatal"),
    (P5, "infiniband rdmap99s0: Admin queue is closed"),
    (P5, "efa 0000:53:00.0: Admin queue is closed"),
    (P5, "WARNING: infoROM is corrupted at gpu 0000:99:00.0"),
    (P5, "NEURON_HW_ERR=SRAM_UNCORRECTABLE_ERROR"),
    (P5, "NVRM: Xid (PCI:0000:53:00): 79, pid=7, name=a\nb, GPU has fallen off the bus."),
    (TRN, "NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus."),
    (TRN, "NVRM: Xid (PCI:0002:10:00): 79, a Neuron device"),
    (TRN, "efa 0002:10:00.0: Admin queue is closed"),
]


@pytest.mark.parametrize(("kind", "line"), STRANGERS)
def test_records_about_unknown_devices_are_watched(kind: str, line: str, tmp_path: Path) -> None:
    story = lean(kind)
    story.say(80_000, line, line)
    health = Node(tmp_path).judge(story)
    problem = only(health)
    assert (health.verdict, problem.code, problem.verdict, problem.again) == (WATCH, STRANGER, WATCH, "")
    assert "2 records" in problem.text


def test_records_about_several_unknown_devices_are_one_problem(tmp_path: Path) -> None:
    story = lean(P5)
    story.say(80_000, *(f"NVRM: Xid (PCI:0000:{number:02x}:00): 79" for number in range(0x80, 0x83)))
    assert "3 records" in only(Node(tmp_path).judge(story)).text


def test_a_device_that_this_instance_had_is_not_unknown(tmp_path: Path) -> None:
    """The PCI function of a GPU that fell off the bus may be gone."""
    node, story = Node(tmp_path), lean("ml.g5.48xlarge", uptime=50_000)
    xid_of = "GPU has fallen off the bus."
    assert node.judge(story).verdict == "fit"
    for uptime in (60_000, 70_000):
        story.uptime, story.gpus[3].on_bus = uptime, False
        if uptime == 60_000:
            xid(story, 55_000, 79, xid_of, gpu=3)
        assert verdicts(node.judge(story)) == [("gpu-xid", "unfit-reboot")]
    reboot(story)
    assert verdicts(node.judge(story)) == [("gpu-missing", "unfit-replace")]


def test_a_device_that_only_another_instance_had_is_unknown(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    story.gpus[3].on_bus = False
    xid(story, 55_000, 79, "GPU has fallen off the bus.", gpu=3)
    health = Node(tmp_path).judge(story)
    assert verdicts(health) == [("gpu-missing", "unfit-reboot"), (STRANGER, WATCH)], "the missing GPU is reported as well"


FORGED = [
    "NVRM: Xid (PCI:0000:53:00): 79, GPU has fallen off the bus.",
    "NVRM: Xid (PCI:0000:53:00): 54, x",
    "NVRM: Xid (PCI:0000:53:00): 48, x",
    "NVRM: Xid (PCI:0000:53:00): 119, x",
    "NVRM: Xid (PCI:0000:53:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)",
    "NVRM: Xid (PCI:0000:53:00): 149, NETIR_LINK_EVT Fatal XC0 i0 Link 08 (0x00f00006 0x00000000)",
    "NVRM: GPU 0000:53:00.0: GPU has fallen off the bus.",
    "nvidia-nvswitch0: SXid (PCI:0000:0a:00.0): 22003, Fatal, Link 3",
    "infiniband rdmap64s0: Admin queue is closed",
    "WARNING: infoROM is corrupted at gpu 0000:53:00.0",
]


@pytest.mark.parametrize("facility", [0, 1])
def test_exact_but_forged_records_make_no_node_unfit(facility: int, tmp_path: Path) -> None:
    """With facility 0, as a process can forge them that starts a record with its own text; with 1, as root of a container writes them."""
    story = healthy(P5)
    story.say(80_000, *FORGED)
    for line in story.log:
        object.__setattr__(line, "facility", facility)
    health = Node(tmp_path).judge(story)
    unread = [each.code for each in health.problems if each.verdict != WATCH]
    assert (health.verdict, unread) == (("unknown", ["gpu-inforom"]) if facility == 0 else ("fit", []))
    assert bool(health.problems) == (facility == 0)


def test_on_a_node_with_neuron_devices_all_records_are_hints(tmp_path: Path) -> None:
    """A process can make their driver write any record. It can also make commands of an EFA device fail."""
    story = healthy(TRN)
    story.say(80_000, "infiniband rdmap64s0: Admin queue is closed")
    story.efa[0].counters["cmds_err"] = 5
    assert verdicts(Node(tmp_path / "forged").judge(story)) == [("efa-error", WATCH)]
    story.efa[0].state = "1: DOWN"
    assert verdicts(Node(tmp_path / "real").judge(story)) == [("efa-down", "unfit-reboot"), ("efa-error", WATCH)]
