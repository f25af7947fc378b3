# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What accelerator_health returns besides problems."""

from __future__ import annotations

from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.result import result
from lab.accelerators.story import healthy

from .judge.nodes import Node


def test_each_gpu_has_its_worst_verdict(tmp_path: Path) -> None:
    story, node = healthy("ml.p5.48xlarge"), Node(tmp_path)
    story.gpus[3].lost, story.gpus[5].elements["pci/pci_gpu_link_info/link_widths/current_link_width"] = "Unable to determine", "8x"
    returned = result(node.judge(story), node.look)["health"]
    verdicts = {each["part"].split()[1]: each["verdict"] for each in returned["gpus"]}
    assert len(verdicts) == 8 and {name for name, verdict in verdicts.items() if verdict != "fit"} == {"3", "5"}, returned
    assert returned["gpus"][5]["key"] == story.gpus[5].serial
    assert {name: returned["versions"][name] for name in ("driver", "cuda")} == {"driver": "570.172.08", "cuda": "12.8"}
    assert "" not in returned["versions"].values()
