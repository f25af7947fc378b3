# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""PCI and RDMA devices as sysfs lists them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import efa, pci
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.model import EfaDevice, Link, PciDevice

NEURON = ("7064", "7065", "7066", "7067", "7164", "7264", "7364")


@pytest.mark.parametrize(
    ("device", "device_class", "kind"),
    [
        ("10de:2330", "030200", "gpu"),
        ("10de:1eb8", "030000", "gpu"),
        ("10de:22a3", "068000", "nvswitch"),
        ("10de:22bd", "040300", ""),
        ("1d0f:efa1", "020000", "efa"),
        *((f"1d0f:{model}", "088000", "neuron") for model in NEURON),
        ("1d0f:7068", "088000", ""),
        ("1d0f:ec20", "020000", ""),
        ("15b3:1021", "020700", ""),
        ("8086:0302", "030200", ""),
    ],
)
def test_the_kind_depends_on_device_and_class(device: str, device_class: str, kind: str) -> None:
    assert pci.kind(device, device_class) == kind


def device(sysfs: Path, address: str, files: dict[str, str], *, driver: str = "", config: bytes | None = None) -> Path:
    folder = sysfs / "bus" / "pci" / "devices" / address
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(f"{text}\n")
    if driver:
        (folder / "driver").symlink_to(f"../../drivers/{driver}")
    if config is not None:
        (folder / "config").write_bytes(config)
    return folder


GPU = {"vendor": "0x10de", "device": "0x2330", "class": "0x030200"}
LINK = {
    "current_link_width": "8",
    "max_link_width": "16",
    "current_link_speed": "2.5 GT/s PCIe",
    "max_link_speed": "32.0 GT/s PCIe",
}


def test_devices_are_ordered_by_their_address(tmp_path: Path) -> None:
    device(tmp_path, "0000:83:00.0", {**GPU, **LINK}, driver="nvidia", config=b"\xde\x10\x30\x23")
    device(tmp_path, "0000:53:00.0", GPU, config=b"\xff\xff\xff\xff")
    device(tmp_path, "0000:01:00.0", {**GPU, "vendor": "0x8086"})
    nothing = Link(None, None, None, None)
    assert pci.devices(str(tmp_path)) == (
        PciDevice("0000:53:00.0", "gpu", "10de:2330", "", nothing, answers=False),
        PciDevice("0000:83:00.0", "gpu", "10de:2330", "nvidia", Link(1, 8, 5, 16), answers=True),
    )
    assert pci.are_there(str(tmp_path))


def test_other_devices_are_not_listed(tmp_path: Path) -> None:
    device(tmp_path, "0000:01:00.0", {**GPU, "vendor": "0x8086"})
    assert not pci.are_there(str(tmp_path)) and pci.devices(str(tmp_path)) == ()


@pytest.mark.parametrize(
    ("config", "answers"),
    [(None, None), (b"", None), (b"\xff\xff\xff", None), (b"\xff\xff\xff\xff\x00", False), (b"\xff\xff\xff\x00", True)],
)
def test_a_device_with_only_ones_in_its_configuration_does_not_answer(config: bytes | None, answers: bool | None, tmp_path: Path) -> None:
    device(tmp_path, "0000:53:00.0", GPU, config=config)
    assert [each.answers for each in pci.devices(str(tmp_path))] == [answers]


@pytest.mark.parametrize(
    ("speed", "generation"),
    [
        *((f"{speed} GT/s PCIe", number) for number, speed in enumerate(("2.5", "5.0", "8.0", "16.0", "32.0", "64.0"), 1)),
        ("128.0 GT/s PCIe", None),
        ("Unknown", None),
        ("", None),
    ],
)
def test_the_generation_of_pcie_depends_on_the_speed(speed: str, generation: int | None, tmp_path: Path) -> None:
    device(tmp_path, "0000:53:00.0", {**GPU, "current_link_speed": speed})
    assert [each.link.generation for each in pci.devices(str(tmp_path))] == [generation]


@pytest.mark.parametrize(("files", "ids"), [(GPU, "10de:2330"), ({"vendor": "0x10de"}, ""), ({"device": "0x2330"}, ""), ({}, "")])
def test_ids_need_a_vendor_and_a_device(files: dict[str, str], ids: str, tmp_path: Path) -> None:
    assert pci.ids(str(device(tmp_path, "0000:53:00.0", files))) == ids


def test_rdma_devices_of_amazon_are_listed_with_their_counters(tmp_path: Path) -> None:
    vendors = {"rdmap1s0": ("1d0f", "efa2"), "rdmap0s0": ("1d0f", "efa1"), "mlx5_0": ("15b3", "1021"), "other": ("1d0f", "efax")}
    for number, (name, (vendor, model)) in enumerate(vendors.items()):
        files = {"vendor": f"0x{vendor}", "device": f"0x{model}"}
        pci_folder = device(tmp_path, f"0000:0{number}:00.0", files, driver="efa")
        folder = tmp_path / "class" / "infiniband" / name
        (folder / "ports" / "1" / "hw_counters").mkdir(parents=True)
        (folder / "device").symlink_to(os.path.relpath(pci_folder, folder))
    ours = tmp_path / "class" / "infiniband" / "rdmap0s0"
    (ours / "ports" / "1" / "state").write_text("4: ACTIVE\n")
    for name, text in {"rx_drops": "7", "lifespan": "12", "broken": "many"}.items():
        (ours / "ports" / "1" / "hw_counters" / name).write_text(f"{text}\n")
    (ours / "hw_counters").mkdir()
    (ours / "hw_counters" / "cmds_err").write_text("1\n")
    assert efa.devices(str(tmp_path)) == (
        EfaDevice("rdmap0s0", "0000:01:00.0", "1d0f:efa1", "efa", "ACTIVE", {"rx_drops": 7}, {"cmds_err": 1}),
        EfaDevice("rdmap1s0", "0000:00:00.0", "1d0f:efa2", "efa", "", {}, {}),
    )
    assert efa.devices(str(tmp_path / "nothing")) == ()
