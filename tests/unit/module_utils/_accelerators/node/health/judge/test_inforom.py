# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Damaged infoROMs as nvidia-smi reports them: a warning on either stream, or the exit status."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import smi as parser
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.options import Places
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.tools import Answer
from lab.accelerators import present, smi

from .nodes import Node, SimulatedTools, lean

UNKNOWN, REBOOT = "unknown", "unfit-reboot"
FIRST, SECOND = "0000:53:00.0", "0000:63:00.0"
WARNING = "WARNING: infoROM is corrupted at gpu "


@pytest.mark.parametrize(
    ("warned", "status", "verdict"),
    [(FIRST, 0, REBOOT), (FIRST, 14, REBOOT), ("", 14, REBOOT), ("", 0, UNKNOWN), (SECOND, 14, UNKNOWN), ("", 255, UNKNOWN)],
)
def test_a_missing_warning_does_not_deny_a_record(warned: str, status: int, verdict: str, tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge", statuses={"nvidia-smi": status})
    story.tools["nvidia-smi"] = smi.document(story) + (f"{WARNING}{warned}\n" if warned else "")
    story.say(80_000, f"NVRM: GPU at PCI:{FIRST[:-2]}: {WARNING}{FIRST}")
    found = [each.verdict for each in Node(tmp_path).judge(story).problems if each.code == "gpu-inforom" and FIRST in each.part]
    assert found == [verdict]


@pytest.mark.parametrize(("status", "verdicts"), [(0, []), (14, [REBOOT]), (255, [])])
def test_the_exit_status_alone_is_a_problem_of_the_node(status: int, verdicts: list[str], tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge", statuses={"nvidia-smi": status})
    story.tools["nvidia-smi"] = smi.document(story)
    assert [each.verdict for each in Node(tmp_path).judge(story).problems if each.code == "gpu-inforom"] == verdicts


def test_a_document_that_cannot_be_read_does_not_hide_the_exit_status(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge", statuses={"nvidia-smi": 14}, tools={"nvidia-smi": "garbled"})
    story.say(80_000, f"NVRM: GPU at PCI:{FIRST[:-2]}: {WARNING}{FIRST}")
    assert [each.verdict for each in Node(tmp_path).judge(story).problems if each.code == "gpu-inforom"] == [REBOOT]


def test_a_warning_on_the_standard_error_counts() -> None:
    document = smi.document(lean("ml.g5.48xlarge"))
    found = parser.parse(document, f"{WARNING}{SECOND}\n")
    assert (found.inforom, found.remarks) == ((SECOND,), (f"{WARNING}{SECOND}",))
    assert parser.parse(document).inforom == ()


class _OneLost(SimulatedTools):
    """The exit status for a single GPU belongs to that GPU."""

    def run(self, *argv: str, seconds: float | None = None, grace: float = 0) -> Answer:
        answer = super().run(*argv)
        return dataclasses.replace(answer, status=14) if SECOND in argv else answer


def test_the_exit_status_for_a_single_gpu_names_it(tmp_path: Path) -> None:
    story = lean("ml.g5.48xlarge")
    story.gpus[0].lost = "GPU is lost"
    present.present(story, tmp_path, tools=False)
    document = Observer(Places(str(tmp_path), str(tmp_path / "sys"), str(tmp_path / "proc")), _OneLost(story)).observe().smi
    assert document and document.inforom == (SECOND,) and len(document.gpus) == 7
