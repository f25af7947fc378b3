# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of nvidia-smi nvlink."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import nvlink
from lab.accelerators import present
from lab.accelerators.story import Story, healthy


def outputs(story: Story, tmp_path: Path) -> tuple[str, str]:
    """The outputs for the status and the errors of all links."""
    present.present(story, tmp_path)
    files = {path.name: path.read_text() for path in (tmp_path / "said").iterdir() if "Link" in path.read_text() or "NVML" in path.read_text()}
    errors = next(text for text in files.values() if "Replay" in text)
    return next(text for text in files.values() if text is not errors and "GB/s" in text), errors


def test_links_that_are_up_have_a_speed(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge")
    found = nvlink.links(*outputs(story, tmp_path))
    assert list(found) == [gpu.uuid for gpu in story.gpus]
    assert set(found[story.gpus[0].uuid].speeds.values()) == {26.562} and len(found[story.gpus[0].uuid].speeds) == 18
    assert found[story.gpus[0].uuid].errors[17] == {"replay_errors": 0, "recovery_errors": 0, "crc_errors": 0}


def test_a_link_that_is_down_and_one_with_errors_are_read(tmp_path: Path) -> None:
    story = healthy("ml.p5.48xlarge")
    story.gpus[3].links_down = {5}
    story.gpus[4].link_errors = {2: {"CRC Errors": 7}}
    found = nvlink.links(*outputs(story, tmp_path))
    assert found[story.gpus[3].uuid].speeds[5] is None and found[story.gpus[3].uuid].speeds[6] == 26.562
    assert found[story.gpus[4].uuid].errors[2]["crc_errors"] == 7


def test_a_gpu_whose_links_are_all_down_has_none(tmp_path: Path) -> None:
    story = healthy("ml.p4d.24xlarge")
    story.gpus[6].links_down = set(range(12))
    found = nvlink.links(*outputs(story, tmp_path))
    assert found[story.gpus[6].uuid].speeds == {} and len(found[story.gpus[5].uuid].speeds) == 12


def test_other_output_has_no_links() -> None:
    assert nvlink.links("Unable to initialize", "") == {}
    assert nvlink.links("\t Link 0: 25 GB/s\n", "") == {}, "a link without a GPU"


@pytest.mark.parametrize(
    ("words", "garbled", "absent"),
    [
        ("", False, False),
        ("\t Link 0: 25 GB/s\n\t What is on no list", False, False),
        ("\t NVML: Unable to retrieve NVLink information as all links are inActive", False, False),
        ("\t NVML: Unable to retrieve NVLink information: Not Supported", False, True),
        ("\t NVML: Unable to retrieve NVLink state: Unknown Error", True, False),
    ],
)
def test_output_without_links_is_garbled_or_means_none(words: str, garbled: bool, absent: bool) -> None:
    (found,) = nvlink.links(f"GPU 0: NVIDIA X (UUID: GPU-0a)\n{words}\n\n", "").values()
    assert (found.garbled, found.absent) == (garbled, absent)
