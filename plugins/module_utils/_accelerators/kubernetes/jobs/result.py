# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``accelerator_jobs``."""

from __future__ import annotations

import typing as t

from ...._kubernetes.made import RUN, Row, would_create
from ...._kubernetes.nodes.model import State
from ...._kubernetes.nodes.result import as_result
from . import manifest
from .model import Answer, Desired, Target


def result(desired: Desired, state: State, answers: t.Mapping[str, Answer]) -> dict[str, t.Any]:
    nodes = [
        {
            "instance_id": each.instance_id,
            "kubernetes": as_result(state.nodes.get(each.node)),
            "health": answers[each.instance_id].health,
            "why": answers[each.instance_id].why,
        }
        for each in desired.nodes
    ]
    return {"nodes": nodes, "pods_seen": state.pods_seen}


def planned_objects(desired: Desired, nodes: t.Sequence[Target], *, new_namespace: bool) -> list[Row]:
    """The objects that a check of these nodes creates."""
    jobs = [(manifest.job_name(RUN, each), each.node) for each in nodes]
    objects = [("ConfigMap", manifest.name(RUN)), *(("Job", name) for name, _node in jobs)] if jobs else []
    return would_create(desired.namespace, objects, jobs, new_namespace=new_namespace and bool(jobs))
