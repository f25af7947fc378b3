# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The return values of ``slurm_nodes``. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import typing as t
from dataclasses import asdict

from .model import State

_LISTS = ("features", "partitions", "reservations", "gres")


def result(state: State) -> dict[str, t.Any]:
    nodes = [{**asdict(node), **{name: list(getattr(node, name)) for name in _LISTS}, "ours": node.ours} for node in state.nodes]
    jobs = [{**asdict(job), "nodes": list(job.nodes)} for job in state.jobs]
    return {"slurm_nodes": {"nodes": nodes, "jobs": jobs, "unknown": list(state.unknown)}}
