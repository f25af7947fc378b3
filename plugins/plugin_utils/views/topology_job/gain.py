# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What jobs gain by near nodes, measured where it is asked for: on clusters with Slurm."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import Outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.told import outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import topology_job as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import gain as of_gain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told_findings import Findings, refused, told

from .. import Variables
from ..accelerator_health import seen as of_types
from ..topology import cluster as of_topology

ASKED, SEEN, TYPES, GAIN = (f"__topology_job_{name}" for name in ("gain_asked", "gain_seen", "gain_types_seen", "gain_measured"))
"""Facts of a cluster's host."""
SLURM_ALONE = "It is measured on clusters with Slurm alone."
NOBODY_TOLD = "Nobody told where the nodes are: no controller was reached."
NO_TEST = "No controller has made the test."


@dataclass(frozen=True)
class GainAsked:
    """Of one cluster."""

    refusals: Findings
    asked: dict[str, t.Any] | None
    """``nodes``, ``instance_type`` and ``program``; None where it is not asked for."""


def gain_asked(variables: Variables) -> GainAsked:
    known = variables["hostvars"][variables["inventory_hostname"]]
    wanted = boolean(variables["topology_job_measure_gain"], strict=False)
    asked = {
        "nodes": int(variables["topology_job_gain_nodes"]),
        "instance_type": str(variables["topology_job_gain_instance_type"]),
        "program": str(variables["topology_job_nccl_program"]),
    }
    wrong = refused(rules.gain_problems(variables, known))
    return GainAsked(wrong, asked if wanted else None)


def _with_eks(variables: Variables) -> bool:
    return variables["inventory_hostname"] in variables["groups"].get(fleet.EKS, ())


@dataclass(frozen=True)
class GainTypes:
    """Of the cluster's compute nodes."""

    names: list[str]


def gain_types(variables: Variables) -> GainTypes:
    nodes = (variables["hostvars"][host] for host in variables["groups"][variables["hyperpod_cluster_group"]])
    compute = (each for each in nodes if each.get("hyperpod_node_type") == of_topology.COMPUTE)
    return GainTypes(sorted({str(each["hyperpod_instance_type"]) for each in compute}))


@dataclass(frozen=True)
class Gain:
    """On the host of a controller."""

    cluster_host: str
    test: dict[str, t.Any] | None
    """That comes next: ``addresses``, ``instance_type``, ``gpus``, ``efa`` and ``program``; None where none does."""
    seen: list[dict[str, t.Any]]
    """Of those that were made, as the module returned them, with the ``ids`` of the plan."""


def gain(variables: Variables) -> Gain:
    own = of_types.of_cluster(variables)
    host, before = own["inventory_hostname"], plain(own.get(SEEN) or [])
    if variables["ansible_check_mode"] or not own.get(ASKED) or not _asks_slurm(variables, own):
        return Gain(host, None, before)
    planned = _planned(own)
    side = of_gain.next_side(_done(planned, own)) if isinstance(planned, of_gain.Plan) else ""
    if not side or not isinstance(planned, of_gain.Plan):
        return Gain(host, None, before)
    ids = planned.sides[side].ids
    answer = plain(variables.get("__topology_job_nccl") or {}).get("nccl_test")
    addresses = {each["instance_id"]: each["ip"] for each in plain(own[of_topology.NODES])}
    test = {
        "addresses": [addresses[each] for each in ids],
        "instance_type": planned.instance_type,
        "gpus": planned.kind.gpus,
        "efa": planned.kind.efa,
        "program": plain(own[ASKED])["program"],
    }
    return Gain(host, test, [*before, {"side": side, "ids": list(ids), "told": answer}])


def _asks_slurm(variables: Variables, own: Variables) -> bool:
    """The first controller that was reached and has told of Slurm's nodes."""
    hostvars, controllers = variables["hostvars"], variables["groups"].get(fleet.CONTROLLERS, ())
    asked = [host for host in variables["groups"][own["hyperpod_cluster_group"]] if host in controllers]
    reached = [host for host in asked if (hostvars[host].get("hyperpod_run") or {}).get("reached")]
    return [host for host in reached if hostvars[host].get(of_topology.SLURM)][:1] == [variables["inventory_hostname"]]


def _planned(own: Variables) -> of_gain.Plan | of_gain.Unmeasured:
    """By what the last look has told, so it stays the same from test to test."""
    rows = of_topology.places(own).places
    if rows is None:
        return of_gain.Unmeasured(NOBODY_TOLD, later=True)
    asked, types = plain(own[ASKED]), plain(own.get(TYPES) or [])
    devices = {each["name"]: of_types.devices(types, each["name"]) for each in types}
    kinds = {name: of_gain.Kind(each["gpus"], bool(each["efa_devices"])) for name, each in devices.items()}
    return of_gain.plan([of_topology.place_of(each) for each in rows], asked["nodes"], asked["instance_type"], kinds)


def _done(planned: of_gain.Plan, own: Variables) -> dict[str, Outcome]:
    """Answers to tests of the plan, by side."""
    made = {each["side"]: outcome(each["ids"], each["told"]) for each in plain(own.get(SEEN) or [])}
    return {side: each for side, each in made.items() if each.ids == planned.sides[side].ids}


@dataclass(frozen=True)
class Gained:
    """On the host of a cluster."""

    document: dict[str, t.Any] | None
    """None where it was not asked for."""
    findings: Findings


def gained(variables: Variables) -> Gained:
    if not variables.get(ASKED):
        return Gained(None, [])
    found = _gained(variables)
    if not isinstance(found, of_gain.Unmeasured):
        return Gained(found, _findings(found))
    return Gained(of_gain.unmeasured(found.why), _not_measured(found))


def _gained(variables: Variables) -> dict[str, t.Any] | of_gain.Unmeasured:
    if _with_eks(variables):
        return of_gain.Unmeasured(SLURM_ALONE)
    planned = _planned(variables)
    if isinstance(planned, of_gain.Unmeasured):
        return planned
    if variables["ansible_check_mode"]:
        return of_gain.Unmeasured(of_gain.foreseen(planned))
    done = _done(planned, variables)
    return of_gain.measured(planned, done) if done else of_gain.Unmeasured(NO_TEST, later=True)


def _findings(document: dict[str, t.Any]) -> Findings:
    """A test that told no figure says nothing of nodes."""
    if document["ratio"] is not None:
        return told("topology-gain", figures=of_gain.line(document))
    whole = all(document[side] and document[side]["bandwidth"] for side in of_gain.SIDES)
    return _not_measured(of_gain.Unmeasured(document["not_measured"], later=not whole))


def _not_measured(found: of_gain.Unmeasured) -> Findings:
    return told("topology-gain-not-measured-yet" if found.later else "topology-gain-not-measured", why=found.why)
