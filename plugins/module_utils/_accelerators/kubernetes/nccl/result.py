# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The result of ``nccl_jobs``. It is the result of ``nccl_test`` with instance IDs instead of addresses."""

from __future__ import annotations

import typing as t

from ...._kubernetes.made import RUN, Row, would_create
from ...node.nccl.model import Outcome
from ...node.nccl.result import result as of_test
from . import manifest
from .model import Desired


def result(desired: Desired, outcome: Outcome) -> dict[str, t.Any]:
    found = of_test(desired.test, outcome)
    test = {name: value for name, value in found["nccl_test"].items() if name != "addresses"}
    return {**found, "nccl_test": {**test, "instance_ids": list(desired.test.addresses)}}


def planned_objects(desired: Desired, *, new_namespace: bool) -> list[Row]:
    """The objects that the test creates."""
    jobs = [(manifest.job_name(RUN, number), node) for number, node in enumerate(desired.nodes)]
    objects = [("Service", manifest.name(RUN)), *(("Job", name) for name, _node in jobs)]
    return would_create(desired.namespace, objects, jobs, new_namespace=new_namespace)
