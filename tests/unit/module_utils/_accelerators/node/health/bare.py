# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""States of a node, built without files or tools. Each test sets the values that it needs; the others are those of a fit node."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node import model
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.look import Look
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.memory import Memory, Sample
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.profile import Profile
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.expected_devices import Expected

UPTIME, NOW = 1000, 1_793_000_000.0
NO_LINK = model.Link(None, None, None, None)
GOOD_MEMORY = model.Memory(True, {}, {}, False, False, False, model.Rows(0, 0, False, False), None, None)
UNKNOWN_TYPE = Expected(None, None, None, None, "nobody")


def address(number: int) -> str:
    return f"0000:0{number}:00.0"


def gpu(number: int = 0, *, memory: t.Mapping[str, t.Any] | None = None, **values: t.Any) -> model.Gpu:
    fit = model.Gpu(
        pci=address(number),
        uuid=f"GPU-{number}",
        serial=f"S{number}",
        name="NVIDIA",
        architecture="Hopper",
        module_id=str(number),
        mig=False,
        persistence=True,
        recovery_action="None",
        reset_required=False,
        link=NO_LINK,
        memory=dataclasses.replace(GOOD_MEMORY, **(memory or {})),
        fabric=None,
        held_back=(),
        not_held_back=(),
        held_back_us={},
        temperature=30,
        margin=50,
        utilization=90,
        processes=1,
        broken={},
    )
    return dataclasses.replace(fit, **values)


def efa(number: int = 0, **values: t.Any) -> model.EfaDevice:
    counters = {"cmds_err": 0, "no_completion_cmds": 0}
    fit = model.EfaDevice(f"rdmap{number}s0", f"0000:a{number}:00.0", "1d0f:efa2", "efa", "ACTIVE", {"rx_drops": 0}, counters)
    return dataclasses.replace(fit, **values)


def pci(kind: str, number: int = 0, *, answers: bool | None = True) -> model.PciDevice:
    return model.PciDevice(address(number), kind, "10de:2330", "nvidia", NO_LINK, answers)


def event(kind: str, code: int = 0, *, at: float = 500, number: int = 0, detail: str = "Words", **values: t.Any) -> model.KernelEvent:
    return dataclasses.replace(model.KernelEvent(kind, code, address(number), "", at, "", detail), **values)


def state(gpus: t.Sequence[model.Gpu] | None = (), **values: t.Any) -> model.State:
    """:param gpus: None if nvidia-smi printed no document."""
    smi = None if gpus is None else model.SmiDocument("595.71", "13.0", len(gpus), tuple(gpus), ())
    quiet = model.State(
        boot_id="this",
        uptime_seconds=UPTIME,
        smi=smi,
        refusal="",
        lost={},
        nvlinks={},
        pci=(),
        efa=(),
        efa_domains=None,
        neuron=(),
        log=model.KernelLog(()),
        software={},
        services={},
        modules={},
        limits=(),
        huge_pages=(),
    )
    return dataclasses.replace(quiet, **values)


def look(seen: model.State, *, wanted: Expected = UNKNOWN_TYPE, profile: Profile = Profile(), memory: Memory = Memory("i-1")) -> Look:
    return Look(seen, wanted, profile, memory, NOW)


def sample(*, boot_id: str = "this", uptime: float = 900.0, **values: t.Any) -> Sample:
    return Sample(boot_id, uptime, **{"efa": {}, "links": {}, "held_back_us": {}, "held_back": {}, **values})
