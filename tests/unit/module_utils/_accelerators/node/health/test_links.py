# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVLinks that are up, that are down, and that could not be read, with and without a type that the collection knows."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected, expected
from lab.accelerators.story import Story

from .judge.nodes import Node, lean, told

FIT, UNKNOWN, REBOOT = "fit", "unknown", "unfit-reboot"
NOBODY = Expected(None, None, None, None, "nobody")
A100, GB200, PCIE = "ml.p4d.24xlarge", "ml.p6e-gb200.36xlarge", "ml.g5.48xlarge"
Change = t.Callable[[Story], None]


def well(_story: Story) -> None:
    """Nothing has happened."""


def says(words: str) -> Change:
    """Each GPU has a line of its own, and these words after it."""
    return lambda story: story.link_words.update({gpu.index: words for gpu in story.gpus})


def down(*gpus: int) -> Change:
    def change(story: Story) -> None:
        for index in gpus:
            story.gpus[index].links_down = set(range(story.board.links))

    return change


def untold(story: Story) -> None:
    story.links_missing = ("-s", "-e")


CASES: list[tuple[str, str, Expected | None, Change, str, list[str]]] = [
    ("known and up", A100, None, well, FIT, []),
    ("known and all of one down", A100, None, down(2), REBOOT, ["gpu-nvlink-down"]),
    ("known and all of all down", A100, None, down(*range(8)), REBOOT, ["gpu-nvlink-down"] * 8),
    ("known and not read", A100, None, untold, UNKNOWN, []),
    ("known and a GPU without links", A100, None, says(""), UNKNOWN, []),
    ("known and an error instead", A100, None, says("NVML: Unable to retrieve NVLink information: Unknown Error"), UNKNOWN, []),
    ("known and a word of no list", A100, None, says("\t Link 0: <disabled?>"), REBOOT, ["gpu-nvlink-down"] * 8),
    ("unknown and up", GB200, NOBODY, well, FIT, []),
    ("unknown and all of one down", GB200, NOBODY, down(1), REBOOT, ["gpu-nvlink-down"]),
    ("unknown and not read", GB200, NOBODY, untold, UNKNOWN, []),
    ("unknown, without NVLinks", PCIE, NOBODY, well, FIT, []),
    ("unknown, without NVLinks, not read", PCIE, NOBODY, untold, UNKNOWN, []),
    ("unknown, and none of the node is up", PCIE, NOBODY, says("\t Link 0: <inactive>"), UNKNOWN, ["gpu-nvlink-down"] * 8),
    ("unknown, and the tool lists none of them", PCIE, NOBODY, says("NVML: all links are inActive"), UNKNOWN, []),
    ("a type without NVLinks, not read", PCIE, None, untold, FIT, []),
    ("a type without NVLinks, whose links are down", PCIE, None, says("\t Link 0: <inactive>"), FIT, []),
]


@pytest.mark.parametrize(("kind", "wanted", "change", "verdict", "codes"), [each[1:] for each in CASES], ids=[each[0] for each in CASES])
def test_links(kind: str, wanted: Expected | None, change: Change, verdict: str, codes: list[str], tmp_path: Path) -> None:
    story = lean(kind)
    story.tools["systemctl"] = "inactive\ninactive" if kind == PCIE else "active\nactive"
    change(story)
    health = Node(tmp_path).judge(story, wanted=wanted)
    assert (health.verdict, [each.code for each in health.problems]) == (verdict, codes)
    assert ("NVLink" in [each.what for each in health.not_looked_at]) == (verdict == UNKNOWN and not codes)


def errors_untold(story: Story) -> None:
    story.links_missing = ("-e",)


@pytest.mark.parametrize(("kind", "wanted", "missed"), [(A100, None, 8), (A100, NOBODY, 8), (GB200, None, 4), (PCIE, None, 0), (PCIE, NOBODY, 0)])
def test_errors_of_links_that_could_not_be_read_are_missed(kind: str, wanted: Expected | None, missed: int, tmp_path: Path) -> None:
    story = lean(kind)
    errors_untold(story)
    health = Node(tmp_path).judge(story, wanted=wanted)
    assert (health.verdict, told(health)) == (FIT, [])
    assert "NVLink" in health.looked_at
    assert [each.what for each in health.not_looked_at] == ["NVLink errors"] * bool(missed)
    assert [each.why.count("GPU ") for each in health.not_looked_at] == [missed] * bool(missed)


def test_errors_of_links_that_nobody_uses_are_not_missed(tmp_path: Path) -> None:
    story = lean(A100)
    errors_untold(story)
    for gpu in story.gpus:
        gpu.mig = True
    assert Node(tmp_path).judge(story).not_looked_at == ()


def test_a_link_that_could_not_be_read_hides_no_link_that_is_down(tmp_path: Path) -> None:
    story = lean(A100)
    lines = [f"\t Link {link}: {'<inactive>' if link == 4 else '?' if link == 5 else '25 GB/s'}" for link in range(12)]
    story.link_words = {3: "\n".join(lines)}
    health = Node(tmp_path / "down").judge(story)
    assert told(health) == [("gpu-nvlink-down", REBOOT)] and health.problems[0].evidence == "links without speed: 4"
    story.link_words = {3: "\n".join(lines).replace("<inactive>", "25 GB/s")}
    health = Node(tmp_path / "unread").judge(story)
    assert (health.verdict, told(health)) == (UNKNOWN, [])


@pytest.mark.parametrize(("kind", "count"), [("p6e-gb200.36xlarge", 4), ("ml.p6e-gb300.36xlarge", 4)])
def test_types_whose_switches_are_outside_the_node(kind: str, count: int) -> None:
    known = expected(kind)
    assert (known.gpus, known.links, known.fabric, known.efa) == (count, 18, True, None)
    assert expected(kind, gpus=4).links == 18


@pytest.mark.parametrize(("kind", "fabric"), [("p4d.24xlarge", False), ("p5.48xlarge", True), ("p5.4xlarge", False), ("g9.new", None)])
def test_whether_a_type_registers_its_gpus(kind: str, fabric: bool | None) -> None:
    assert expected(kind).fabric is fabric


def test_one_gpu_of_which_nothing_is_known_but_that_it_is_well(tmp_path: Path) -> None:
    """A virtual machine that was given one GPU of a board, and no links."""
    story = lean("ml.p5en.48xlarge", gpus=1)
    story.switches, story.links_missing = [], ("-s", "-e")
    story.gpus[0].elements = {"fabric/state": "N/A", "fabric/status": "N/A", "fabric/health": None}
    health = Node(tmp_path).judge(story, wanted=NOBODY)
    assert (health.verdict, told(health)) == (FIT, [])


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
def test_words_instead_of_links_on_a_type_that_is_not_known(words: str, state: str, verdict: str, tmp_path: Path) -> None:
    story = lean(PCIE)
    story.tools["systemctl"] = "inactive\ninactive"
    says(words)(story)
    for gpu in story.gpus:
        gpu.elements = {"fabric/state": state}
    health = Node(tmp_path).judge(story, wanted=NOBODY)
    assert (health.verdict, told(health)) == (verdict, [])
    assert ("NVLink" in [each.what for each in health.not_looked_at]) == (verdict == UNKNOWN)
