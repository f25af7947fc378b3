# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The second witness of EFA's traffic, besides NCCL's log: the bytes that EFA devices sent, by the kernel's counters. No I/O."""

from __future__ import annotations

import typing as t

from .._accelerators.node.nccl.model import EFA, SOCKETS
from .events import End, PodLog
from .history import History
from .model import GREW, NO_DEVICES, UNCHANGED, UNKNOWN, Desired, EfaTraffic, Figures, Problem, named


def traffic(desired: Desired, seen: History, carrier: str) -> tuple[EfaTraffic, ...]:
    """The traffic of each node, from its first process. Only the last attempt counts.

    :param carrier: what carried the traffic, by NCCL's log.
    """
    expected = desired.efa or carrier == EFA
    first = [rank for rank in range(0, desired.ranks, desired.processes) if rank in seen.pods]
    return tuple(_of_node(seen.pods[rank], seen.ends.get(rank), expected=expected) for rank in first)


def _of_node(pod: str, end: End | None, *, expected: bool) -> EfaTraffic:
    """:param expected: whether the node must have EFA devices. If a Pod sees none of them, their counters are unknown."""
    devices, sent = (end.efa_devices, end.efa_sent) if end else (None, None)
    if devices == 0 and not expected:
        return EfaTraffic(pod, NO_DEVICES, devices)
    if not devices or sent is None:
        return EfaTraffic(pod, UNKNOWN, devices)
    return EfaTraffic(pod, GREW if sent else UNCHANGED, devices, sent)


def unused(desired: Desired, figures: Figures, pods: t.Sequence[PodLog]) -> t.Iterator[Problem]:
    """The problem of nodes whose EFA devices sent nothing. If sockets carried the traffic, NCCL's log already explains this."""
    described = {pod.place.pod: pod.place.described for pod in pods}
    silent = [described.get(each.pod, each.pod) for each in figures.efa if each.counters == UNCHANGED]
    expected = desired.nodes > 1 and (desired.efa or figures.carrier == EFA) and figures.carrier != SOCKETS
    if silent and expected:
        claims = "NCCL's log shows EFA" if figures.carrier == EFA else "EFA must carry the traffic"
        text = f"EFA devices sent no bytes during the training, although {claims}: {named(silent)}."
        yield Problem("efa-unused", f"{text} Check the EFA devices, and read NCCL's log of each rank.")
