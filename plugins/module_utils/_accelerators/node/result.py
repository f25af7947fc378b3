# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``accelerator_info``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from ..._core.text import printable
from .model import Gpu, KernelEvent, State
from .xids import xid

Answer = dict[str, t.Any]


def result(state: State) -> Answer:
    document = state.smi
    return {
        "boot_id": printable(state.boot_id),
        "uptime_seconds": state.uptime_seconds,
        "driver": {
            "version": printable(state.software.get("driver") or (document.driver if document else "")),
            "kind": printable(state.software.get("driver_kind", "")),
            "cuda": printable(document.cuda if document else ""),
            "attached_gpus": document.attached if document else None,
            "remarks": [printable(line) for line in document.remarks] if document else [],
        },
        "lost_gpus": _plain(dict(state.lost)),
        "gpus": [_gpu(gpu, state) for gpu in (document.gpus if document else ())],
        "neuron_devices": [_plain(device) for device in state.neuron],
        "efa_devices": [_plain(device) for device in state.efa],
        "efa_domains": None if state.efa_domains is None else [printable(name) for name in state.efa_domains],
        "pci_devices": [_plain(device) for device in state.pci],
        "kernel_events": [_event(each) for each in state.log.events],
        "kernel_log_complete": state.log.complete,
        "software": _plain(dict(state.software)),
        "services": _plain(dict(state.services)),
        "kernel_modules": _plain(dict(state.modules)),
        "limits": [_plain(each) for each in state.limits],
        "huge_pages": [_plain(each) for each in state.huge_pages],
        "unseen": [_plain(each) for each in state.unseen],
        "hung": {tool: _time(since) for tool, since in state.hung.items()},
        "children_seconds": round(state.children_seconds, 2),
    }


def _gpu(gpu: Gpu, state: State) -> Answer:
    links = state.nvlinks.get(gpu.uuid)
    return {
        **_plain(gpu),
        "nvlinks": [
            {"link": link, "gigabytes_per_second": speed, "errors": dict(links.errors.get(link, {}))}
            for link, speed in sorted((links.speeds or {}).items())
        ]
        if links
        else [],
    }


def _event(event: KernelEvent) -> Answer:
    sources = xid(event.code) if event.kind == "xid" else None
    by_nvidia = {"name": sources.name, "nvidia": sources.nvidia, "nvidia_later": sources.nvidia_later} if sources else {}
    by_eks = {"eks_repair": sources.eks_repair, "eks_agent": sources.eks_agent} if sources else {}
    return {**_plain(event), "at": round(event.at, 3), **by_nvidia, **by_eks}


def _plain(value: t.Any) -> t.Any:
    """Values of the model as JSON types, with all text printable."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, t.Mapping):
        return {printable(name): _plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


def _time(epoch: float) -> str:
    return datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
