# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVLinks that are up, down or unreadable, on known and unknown instance types."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected, expected
from lab.accelerators.story import Story

from .judge.nodes import Node, lean, verdicts

FIT, UNKNOWN, REBOOT = "fit", "unknown", "unfit-reboot"
UNKNOWN_TYPE = Expected(None, None, None, None, "nobody")
A100, GB200, PCIE = "ml.p4d.24xlarge", "ml.p6e-gb200.36xlarge", "ml.g5.48xlarge"
Change = t.Callable[[Story], None]


def unchanged(_story: Story) -> None:
    """Change nothing."""


def link_output(words: str) -> Change:
    """Set the output of nvidia-smi nvlink after the line of each GPU."""
    return lambda story: story.link_texts.update({gpu.index: words for gpu in story.gpus})


def down(*gpus: int) -> Change:
    def change(story: Story) -> None:
        for index in gpus:
            story.gpus[index].links_down = set(range(story.board.links))

    return change


def without_links(story: Story) -> None:
    story.links_missing = ("-s", "-e")


CASES: list[tuple[str, str, Expected | None, Change, str, list[str]]] = [
    ("known and up", A100, None, unchanged, FIT, []),
    ("known, and all of one GPU down", A100, None, down(2), REBOOT, ["gpu-nvlink-down"]),
    ("known, and all of all GPUs down", A100, None, down(*range(8)), REBOOT, ["gpu-nvlink-down"] * 8),
    ("known and not read", A100, None, without_links, UNKNOWN, []),
    ("known, and a GPU without links", A100, None, link_output(""), UNKNOWN, []),
    ("known, and an error instead", A100, None, link_output("NVML: Unable to retrieve NVLink information: Unknown Error"), UNKNOWN, []),
    ("known, and an unknown word", A100, None, link_output("\t Link 0: <disabled?>"), REBOOT, ["gpu-nvlink-down"] * 8),
    ("unknown and up", GB200, UNKNOWN_TYPE, unchanged, FIT, []),
    ("unknown, and all of one GPU down", GB200, UNKNOWN_TYPE, down(1), REBOOT, ["gpu-nvlink-down"]),
    ("unknown and not read", GB200, UNKNOWN_TYPE, without_links, UNKNOWN, []),
    ("unknown, without NVLinks", PCIE, UNKNOWN_TYPE, unchanged, FIT, []),
    ("unknown, without NVLinks, not read", PCIE, UNKNOWN_TYPE, without_links, UNKNOWN, []),
    ("unknown, and no link of the node up", PCIE, UNKNOWN_TYPE, link_output("\t Link 0: <inactive>"), UNKNOWN, ["gpu-nvlink-down"] * 8),
    ("unknown, and no link listed", PCIE, UNKNOWN_TYPE, link_output("NVML: all links are inActive"), UNKNOWN, []),
    ("a type without NVLinks, not read", PCIE, None, without_links, FIT, []),
    ("a type without NVLinks, with links down", PCIE, None, link_output("\t Link 0: <inactive>"), FIT, []),
]


@pytest.mark.parametrize(("kind", "wanted", "change", "verdict", "codes"), [each[1:] for each in CASES], ids=[each[0] for each in CASES])
def test_links_are_judged(kind: str, wanted: Expected | None, change: Change, verdict: str, codes: list[str], tmp_path: Path) -> None:
    story = lean(kind)
    story.tools["systemctl"] = "inactive\ninactive" if kind == PCIE else "active\nactive"
    change(story)
    health = Node(tmp_path).judge(story, wanted=wanted)
    assert (health.verdict, [each.code for each in health.problems]) == (verdict, codes)
    assert ("NVLink" in [each.what for each in health.not_looked_at]) == (verdict == UNKNOWN and not codes)


def without_link_errors(story: Story) -> None:
    story.links_missing = ("-e",)


@pytest.mark.parametrize(("kind", "wanted", "missed"), [(A100, None, 8), (A100, UNKNOWN_TYPE, 8), (GB200, None, 4), (PCIE, None, 0), (PCIE, UNKNOWN_TYPE, 0)])
def test_link_errors_that_could_not_be_read_are_reported_as_not_checked(kind: str, wanted: Expected | None, missed: int, tmp_path: Path) -> None:
    story = lean(kind)
    without_link_errors(story)
    health = Node(tmp_path).judge(story, wanted=wanted)
    assert (health.verdict, verdicts(health)) == (FIT, [])
    assert "NVLink" in health.looked_at
    assert [each.what for each in health.not_looked_at] == ["NVLink errors"] * bool(missed)
    assert [each.why.count("GPU ") for each in health.not_looked_at] == [missed] * bool(missed)


def test_link_errors_are_not_required_with_mig(tmp_path: Path) -> None:
    story = lean(A100)
    without_link_errors(story)
    for gpu in story.gpus:
        gpu.mig = True
    assert Node(tmp_path).judge(story).not_looked_at == ()


def test_an_unreadable_link_hides_no_link_that_is_down(tmp_path: Path) -> None:
    story = lean(A100)
    lines = [f"\t Link {link}: {'<inactive>' if link == 4 else '?' if link == 5 else '25 GB/s'}" for link in range(12)]
    story.link_texts = {3: "\n".join(lines)}
    health = Node(tmp_path / "down").judge(story)
    assert verdicts(health) == [("gpu-nvlink-down", REBOOT)] and health.problems[0].evidence == "links without speed: 4"
    story.link_texts = {3: "\n".join(lines).replace("<inactive>", "25 GB/s")}
    health = Node(tmp_path / "unread").judge(story)
    assert (health.verdict, verdicts(health)) == (UNKNOWN, [])


@pytest.mark.parametrize(("kind", "count"), [("p6e-gb200.36xlarge", 4), ("ml.p6e-gb300.36xlarge", 4)])
def test_types_with_switches_outside_the_node_have_links_and_a_fabric(kind: str, count: int) -> None:
    known = expected(kind)
    assert (known.gpus, known.links, known.fabric, known.efa) == (count, 18, True, None)
    assert expected(kind, gpus=4).links == 18


@pytest.mark.parametrize(("kind", "fabric"), [("p4d.24xlarge", False), ("p5.48xlarge", True), ("p5.4xlarge", False), ("g9.new", None)])
def test_the_table_has_whether_a_type_registers_its_gpus(kind: str, fabric: bool | None) -> None:
    assert expected(kind).fabric is fabric


def test_a_single_healthy_gpu_of_an_unknown_type_is_fit(tmp_path: Path) -> None:
    """A virtual machine with one GPU of a board and no links."""
    story = lean("ml.p5en.48xlarge", gpus=1)
    story.switches, story.links_missing = [], ("-s", "-e")
    story.gpus[0].elements = {"fabric/state": "N/A", "fabric/status": "N/A", "fabric/health": None}
    health = Node(tmp_path).judge(story, wanted=UNKNOWN_TYPE)
    assert (health.verdict, verdicts(health)) == (FIT, [])


FAILED, NONE = "NVML: Unable to retrieve NVLink state: Unknown Error", "NVML: Unable to retrieve NVLink information: Not Supported"


@pytest.mark.parametrize(
    ("words", "state", "verdict"),
    [
        (FAILED, "N/A", UNKNOWN),
        ("What is on no list", "N/A", UNKNOWN),
        (f"{NONE}\n{FAILED}", "N/A", UNKNOWN),
        (" ", "N/A", FIT),
        (NONE, "N/A", FIT),
        (NONE, "Not Supported", FIT),
        ("", "Not Supported", UNKNOWN),
    ],
)
def test_errors_instead_of_links_on_an_unknown_type(words: str, state: str, verdict: str, tmp_path: Path) -> None:
    story = lean(PCIE)
    story.tools["systemctl"] = "inactive\ninactive"
    link_output(words)(story)
    for gpu in story.gpus:
        gpu.elements = {"fabric/state": state}
    health = Node(tmp_path).judge(story, wanted=UNKNOWN_TYPE)
    assert (health.verdict, verdicts(health)) == (verdict, [])
    assert ("NVLink" in [each.what for each in health.not_looked_at]) == (verdict == UNKNOWN)
