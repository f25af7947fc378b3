# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A driver that does not answer, and tools that hang in it."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health import driver
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import Problem

from .bare import NOW, event, look, pci, state

UNKNOWN, REBOOT, REPLACE = "unknown", "unfit-reboot", "unfit-replace"
NOT_LOADED = "The NVIDIA driver is not loaded. The driver may not be built for this kernel."
OTHER_VERSION = "The NVIDIA libraries and the loaded driver have different versions. Reboot the node when it is idle."
NONE_FOUND = "The driver finds none of the GPUs that the kernel lists."
WITH_GPU = (pci("gpu"),)


@pytest.mark.parametrize(
    ("refusal", "on_bus", "expected"),
    [
        ("", WITH_GPU, []),
        ("Something else", WITH_GPU, []),
        *(
            (f"Failed: {words}.", (), [Problem("driver-not-loaded", REBOOT, "config", NOT_LOADED, evidence=f"Failed: {words}.")])
            for words in ("couldn't communicate with the NVIDIA driver", "Driver Not Loaded")
        ),
        (
            "Driver/library version mismatch",
            (),
            [Problem("driver-mismatch", REBOOT, "config", OTHER_VERSION, evidence="Driver/library version mismatch")],
        ),
        (
            "No devices were found",
            WITH_GPU,
            [Problem("gpu-missing", REBOOT, "hardware", NONE_FOUND, evidence="No devices were found", again=REPLACE)],
        ),
        ("No devices were found", (pci("neuron"),), []),
    ],
)
def test_a_refusal_of_the_driver_is_a_problem(refusal: str, on_bus: tuple[model.PciDevice, ...], expected: list[Problem]) -> None:
    assert list(driver.problems(look(state(None, refusal=refusal, pci=on_bus)))) == expected


@pytest.mark.parametrize("tool", ["nvidia-smi", "neuron-ls", "neuron-monitor"])
@pytest.mark.parametrize(("seconds", "verdict"), [(599, UNKNOWN), (600, REBOOT)])
def test_a_tool_that_hangs_for_ten_minutes_makes_the_node_unfit(tool: str, seconds: int, verdict: str) -> None:
    text = f"{tool} has been hanging in the driver for 10 min."
    seen = state(None, hung={tool: NOW - seconds, "fi_info": NOW - 9000})
    assert list(driver.problems(look(seen))) == [Problem("driver-hangs", verdict, "hardware", text, tool, tool)]


@pytest.mark.parametrize(
    ("record", "on_bus", "verdict"),
    [
        *((event("xid", code), WITH_GPU, REBOOT) for code in (62, 79, 119, 120)),
        (event("xid", 31), WITH_GPU, UNKNOWN),
        (event("sxid", 119), (pci("nvswitch"),), UNKNOWN),
        (event("xid", 119, number=3), WITH_GPU, UNKNOWN),
        (event("xid", 119, hint=True), WITH_GPU, UNKNOWN),
        (event("xid", 119), (pci("gpu"), pci("neuron", 7)), UNKNOWN),
    ],
)
def test_a_record_of_a_stuck_driver_makes_a_hanging_tool_unfit_at_once(record: model.KernelEvent, on_bus: tuple[model.PciDevice, ...], verdict: str) -> None:
    seen = state(None, hung={"nvidia-smi": NOW - 60}, pci=on_bus, log=model.KernelLog((record,)))
    (problem,) = driver.problems(look(seen))
    assert problem.verdict == verdict
