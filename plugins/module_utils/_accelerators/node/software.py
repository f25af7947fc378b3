# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Versions of the software for training jobs, from files if possible. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import contextlib
import os
import re
import typing as t

from ..._core.text import lines_of
from ..._node.files import read_bytes
from .pci import word

MODULES = ("nvidia", "nvidia_uvm", "nvidia_peermem", "gdrdrv", "efa", "ib_core", "ib_uverbs", "neuron")
_DRIVER = re.compile(r"Kernel Module(?: for \S+)?\s+(\d[\d.]+)")
_LIBFABRIC = re.compile(r"^libfabric:\s*(\S+)", re.MULTILINE)
_MANAGER = re.compile(r"version\D+(\d[\d.]+)", re.IGNORECASE)
_OFI = re.compile(rb"NET/OFI Initializing aws-ofi-nccl (\d[\w.+-]*)")
_NCCL = re.compile(r"libnccl\.so\.(\d+\.\d+\.\d+)")
_EFA = re.compile(r"EFA installer version:\s*(\S+)")
_LARGEST = 64 * 1024 * 1024
OF_OFI = ("amazon/ofi-nccl/lib", "amazon/ofi-nccl/lib/x86_64-linux-gnu", "amazon/ofi-nccl/lib64", "aws-ofi-nccl/lib")
PLUGINS = ("libnccl-net-ofi.so", "libnccl-net.so")
OF_NCCL = ("lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64", "local/cuda/lib", "local/cuda/lib64")


def modules(proc: str, sysfs: str) -> dict[str, str]:
    """Loaded modules with their versions."""
    loaded = {line.split(" ", 1)[0] for line in lines_of(_text(f"{proc}/modules"))}
    return {name: word(f"{sysfs}/module/{name}/version") for name in MODULES if name in loaded}


def versions(root: str, proc: str) -> dict[str, str]:
    """Versions from files: ``driver``, ``driver_kind``, ``efa_installer``, ``ofi_nccl``, ``nccl``."""
    driver = _text(f"{proc}/driver/nvidia/version")
    found = {
        "driver": _first(_DRIVER, driver),
        "driver_kind": "" if not driver else "open" if "Open Kernel Module" in driver else "proprietary",
        "efa_installer": _first(_EFA, _text(f"{root}/opt/amazon/efa_installed_packages")),
        "ofi_nccl": _plugin(root),
        "nccl": _library(root),
    }
    return {name: version for name, version in found.items() if version}


def libfabric(text: str) -> str:
    """:param text: output of ``fi_info --version``."""
    return _first(_LIBFABRIC, text)


def fabric_manager(text: str) -> str:
    """:param text: output of ``nv-fabricmanager --version``."""
    return _first(_MANAGER, text)


def _plugin(root: str) -> str:
    for path in (f"{root}/opt/{folder}/{name}" for folder in OF_OFI for name in PLUGINS):
        with contextlib.suppress(OSError):
            if os.path.getsize(path) <= _LARGEST:
                match = _OFI.search(read_bytes(path) or b"")
                if match:
                    return match.group(1).decode("ascii", "replace")
    return ""


def _library(root: str) -> str:
    """The newest version if there are several."""
    names: list[str] = []
    for folder in OF_NCCL:
        with contextlib.suppress(OSError):
            names += os.listdir(f"{root}/usr/{folder}")
    found = [match.group(1) for match in map(_NCCL.fullmatch, names) if match]
    return max(found, key=_parts, default="")


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _first(pattern: t.Pattern[str], text: str) -> str:
    match = pattern.search(text)
    return match.group(1) if match else ""


def _text(path: str) -> str:
    return (read_bytes(path) or b"").decode(errors="replace")
