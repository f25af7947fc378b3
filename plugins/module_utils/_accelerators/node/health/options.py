# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Validates the options of modules that assess a node. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from ...._core.expected_devices import Expected, expected
from ...._core.failure import refuse_option
from ..pci import word

_WAIVER: dict[str, dict[str, t.Any]] = {
    "code": {"type": "str", "required": True},
    "part": {"type": "str", "default": ""},
    "until": {"type": "str", "required": True},
    "why": {"type": "str", "required": True},
}
_PROFILE: dict[str, dict[str, t.Any]] = {
    "settle_seconds": {"type": "int"},
    "hung_seconds": {"type": "int"},
    "repeat_days": {"type": "int"},
    "held_back_percent": {"type": "int"},
    "efa_errors": {"type": "int"},
    "crc_per_second": {"type": "int"},
    "pages_retired": {"type": "int"},
    "locked_memory_gib": {"type": "int"},
    "waivers": {"type": "list", "elements": "dict", "options": _WAIVER},
}
SPEC: dict[str, dict[str, t.Any]] = {
    "instance_type": {"type": "str", "default": ""},
    "instance_id": {"type": "str", "default": ""},
    "expected_gpus": {"type": "int"},
    "expected_efa_devices": {"type": "int"},
    "expected_neuron_devices": {"type": "int"},
    "profile": {"type": "dict", "options": _PROFILE},
}
PRODUCT = "class/dmi/id/product_name"
"""The file with the instance type on EC2, and on some HyperPod nodes."""


def wanted(params: t.Mapping[str, t.Any], sysfs: str) -> Expected:
    gpus, efa, neuron = params["expected_gpus"], params["expected_efa_devices"], params["expected_neuron_devices"]
    for option, count in (("expected_gpus", gpus), ("expected_efa_devices", efa), ("expected_neuron_devices", neuron)):
        if count is not None and count < 0:
            refuse_option(option, count, "a number from 0")
    return expected(params["instance_type"] or word(f"{sysfs}/{PRODUCT}"), gpus=gpus, efa=efa, neuron=neuron)


def memory_file(params: t.Mapping[str, t.Any]) -> str:
    if not params["_memory_file"].startswith("/"):
        refuse_option("_memory_file", params["_memory_file"], "an absolute path")
    return str(params["_memory_file"])
