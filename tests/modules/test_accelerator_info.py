# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""accelerator_info on nodes whose kernel lists accelerators, without the tools of their vendors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from lab.accelerators import present
from lab.accelerators.story import healthy
from simulated.shape import reads

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may have an /etc of its own")


def places(root: Path) -> dict[str, str]:
    return {"sysfs_root": str(root / "sys"), "proc_root": str(root / "proc"), "kernel_log": str(root / present.KMSG)}


@pytest.mark.parametrize("check", [True, False])
def test_accelerators_are_read_from_the_kernel_without_tools(node, tmp_path, check):
    present.present(healthy("ml.p5.48xlarge"), tmp_path)
    found = reads(node, "accelerator_info", check=check, **places(tmp_path))["accelerators"]
    assert (len(found["pci_devices"]), len(found["efa_devices"]), found["gpus"]) == (8 + 4 + 32, 32, [])
    assert found["driver"] == {"version": "570.172.08", "kind": "open", "cuda": "", "attached_gpus": None, "remarks": []}
    assert {"what": "nvidia-smi", "why": "nvidia-smi is not on this node"} in found["unseen"]
    assert found["hung"] == {} and found["huge_pages"] == [{"size_kib": 2048, "total": 5128, "free": 5128}]


def test_a_node_without_accelerators(node, tmp_path):
    present.present(healthy("ml.m5.xlarge"), tmp_path)
    found = reads(node, "accelerator_info", **places(tmp_path))["accelerators"]
    assert (found["pci_devices"], found["gpus"], found["neuron_devices"], found["efa_domains"], found["unseen"]) == ([], [], [], None, [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"timeout": 0}, "timeout: 0 is not allowed. Allowed: a number of seconds from 1 to 300."),
        ({"timeout": 301}, "timeout: 301 is not allowed."),
        ({"sysfs_root": "sys"}, "sysfs_root: 'sys' is not allowed. Allowed: an absolute path."),
        ({"proc_root": ""}, "proc_root: '' is not allowed."),
        ({"host_root": "host"}, "host_root: 'host' is not allowed."),
        ({"kernel_log": "kmsg"}, "kernel_log: 'kmsg' is not allowed. Allowed: an absolute path, or an empty string."),
    ],
)
def test_bad_input_is_refused(node, options, message):
    result = node.run("accelerator_info", **options)
    assert result.get("failed") and message in result["msg"], result
