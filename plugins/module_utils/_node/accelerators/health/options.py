# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The options of ``accelerator_health``, checked. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t

from ...._core.failure import refuse_option
from ..pci import word
from .expected import Expected, expected

PRODUCT = "class/dmi/id/product_name"
"""Of the machine: on EC2 the instance type, on some nodes of HyperPod too."""


def wanted(params: t.Mapping[str, t.Any], sysfs: str) -> Expected:
    gpus, efa, neuron = params["expected_gpus"], params["expected_efa_devices"], params["expected_neuron_devices"]
    for option, count in (("expected_gpus", gpus), ("expected_efa_devices", efa), ("expected_neuron_devices", neuron)):
        if count is not None and count < 0:
            refuse_option(option, count, "a number from 0")
    return expected(params["instance_type"] or word(f"{sysfs}/{PRODUCT}"), gpus=gpus, efa=efa, neuron=neuron)


def memory_file(params: t.Mapping[str, t.Any]) -> str:
    if not params["memory_file"].startswith("/"):
        refuse_option("memory_file", params["memory_file"], "an absolute path")
    return str(params["memory_file"])
