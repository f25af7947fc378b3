# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node shows the capacity of its instance type."""

from __future__ import annotations

from pathlib import Path

import pytest
from lab.kubernetes.kubelets import Machine
from lab.pods import hardware


def test_files_show_processors_memory_and_huge_pages(tmp_path: Path) -> None:
    hardware.pretend(tmp_path, Machine("a", resources={"cpu": "4", "memory": "8Gi", hardware.HUGE: "64Mi"}).capacity)
    assert (tmp_path / "meminfo").read_text().startswith("MemTotal: 8388608 kB\n")
    cores = sorted((tmp_path / "numa/node0").glob("cpu*/topology/core_id"))
    assert [path.read_text() for path in cores] == ["0\n", "1\n", "2\n", "3\n"]
    pages = tmp_path / "huge/hugepages-2048kB"
    assert {path.name: path.read_text() for path in pages.iterdir()} == {"nr_hugepages": "32\n", "free_hugepages": "32\n"}


def test_only_existing_files_are_bound_over(tmp_path: Path) -> None:
    binds = hardware.pretend(tmp_path, Machine("a").capacity)
    assert binds["proc/meminfo"] == tmp_path / "meminfo"
    assert all(Path("/", path).exists() and source.exists() for path, source in binds.items())


@pytest.mark.parametrize(("quantity", "expected"), [("12", 12), ("4Ki", 4096), ("2Mi", 2**21), ("1Gi", 2**30), ("2Ti", 2**41)])
def test_sizes(quantity: str, expected: int) -> None:
    assert hardware.size(quantity) == expected


@pytest.mark.parametrize("quantity", ["1.5Gi", "1G", "", "x"])
def test_other_quantities_are_refused(quantity: str) -> None:
    with pytest.raises(ValueError, match="not a whole number with a binary suffix"):
        hardware.size(quantity)
