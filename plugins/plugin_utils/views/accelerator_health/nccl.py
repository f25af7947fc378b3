# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NCCL tests, which measure how fast GPUs exchange data."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl import merge, model as of_nccl, plan
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.answers import outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from . import seen
from .cluster import cluster


@dataclass(frozen=True)
class Nccl:
    """The NCCL tests, for a node, after all nodes were checked."""

    runs: bool
    """Whether the current host is the controller node that runs the tests."""
    tests: list[dict[str, t.Any]]
    """The next tests, with ``addresses``, ``instance_type``, ``gpus``, ``efa``, ``ids`` of the nodes, and ``look`` of the check."""
    outcomes: list[dict[str, t.Any]]
    """The module's results for tests that ran, each with the ``ids`` of the plan."""


@view
def nccl(variables: Variables) -> Nccl:
    wanted = boolean(variables["accelerator_health_nccl"], strict=False) and not variables["ansible_check_mode"]
    if not wanted or not _queries_slurm(variables):
        return Nccl(False, [], [])
    own = seen.of_cluster(variables)
    stamp = own.get(seen.LOOK)
    before = seen.now(variables, seen.NCCL, own) or []
    read = plain((variables.get("__accelerator_health_nccl_read") or {}).get("results") or [])
    made = [(each["__accelerator_health_test"], each.get("nccl_test")) for each in read]
    new = [{"ids": test["ids"], "answer": answer} for test, answer in made if test["look"] == stamp]
    known = [each["ids"] for each in before]
    done = [*before, *(each for each in new if each["ids"] not in known)]
    tests = plan.next_tests(_idle(own), [outcome(each["ids"], each["answer"]) for each in done])
    return Nccl(True, [{**each.to_task(), "look": stamp} for each in tests], done)


def _queries_slurm(variables: Variables) -> bool:
    """Whether this is the first controller node that returned the states of Slurm's nodes."""
    own, hostvars = seen.of_cluster(variables), variables["hostvars"]
    controllers = variables["groups"].get(fleet.CONTROLLERS, ())
    candidates = [host for host in variables["groups"][own["hyperpod_cluster_group"]] if host in controllers]
    return next((host for host in candidates if seen.now(hostvars[host], seen.SLURM, own)), "") == variables["inventory_hostname"]


def _idle(own: Variables) -> list[of_nccl.Node]:
    """Idle nodes with GPUs and without a known problem."""
    slurm = seen.slurm(own)
    rows = [(each, seen.expected(own, each["instance_type"])) for each in cluster(own).health if merge.may_be_tested(each, slurm)]
    return [
        of_nccl.Node(
            instance_id=each["instance_id"],
            address=each["private_ip"],
            instance_type=each["instance_type"],
            gpus=expected["gpus"],
            efa=bool(expected["efa_devices"]),
        )
        for each, expected in rows
        if expected["gpus"]
    ]
