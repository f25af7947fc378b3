# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of the role topology_job: their limits and combinations, and the choice of the one cluster."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed, refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.parts import INSTANCE_TYPE, INSTANCE_TYPE_ALLOWED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.names import (
    IMAGE,
    IMAGE_ALLOWED,
    OWN_NAMESPACE,
    OWN_NAMESPACE_ALLOWED,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.nodes.layers import LAYER
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.allowed_rights import TEAM
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.job.model import PREFERRED, REQUIRED, UNCONSTRAINED

from . import limits
from .variables import Known

CLUSTER = "topology_job_cluster"
NUMBERS = {"topology_job_timeout": (1, 604_800), "topology_job_slice_size": (0, 100_000)}
GAIN_NUMBERS = {"topology_job_gain_nodes": (2, 1024)}
GAIN_TEXTS = {
    "topology_job_gain_instance_type": {"pattern": rf"({INSTANCE_TYPE})?\Z", "allowed": f"{INSTANCE_TYPE_ALLOWED}, or ''"},
    "topology_job_nccl_program": {"pattern": r"(/.*)?\Z", "allowed": "an absolute path, or ''"},
    "topology_job_gain_image": {"pattern": rf"({IMAGE})?\Z", "allowed": f"{IMAGE_ALLOWED}, or ''"},
    "topology_job_gain_namespace": {"pattern": rf"{OWN_NAMESPACE}\Z", "allowed": OWN_NAMESPACE_ALLOWED},
}
SLURM_NUMBERS = {
    "topology_job_timeout": (1, 604_800),
    "topology_job_nodes": (1, 10_000),
    "topology_job_switches": (1, 1000),
    "topology_job_switches_wait": (0, 604_800),
}
OF_EKS: dict[str, t.Any] = {
    **{f"topology_job_{name}": "" for name in ("layer", "slice_layer", "team", "namespace", "queue", "priority_class")},
    "topology_job_manifest": {},
    "topology_job_pod_rights": [],
    "topology_job_slice_size": 0,
}
OF_SLURM: dict[str, t.Any] = {
    **{f"topology_job_{name}": "" for name in ("name", "user", "partition", "working_directory")},
    "topology_job_nodes": 1,
    "topology_job_switches": 1,
    "topology_job_switches_wait": 0,
}
"""Variables for jobs on one orchestrator only, and their defaults."""
_NUMBER = re.compile("[1-9][0-9]?")


def layer(given: t.Any) -> str | None:
    """The label of a layer, given its label or number; None without a layer."""
    text = str(given)
    return f"{LAYER}{text}" if _NUMBER.fullmatch(text) else text or None


def namespace(team: str, given: str) -> str | None:
    return given or (f"{TEAM}{team}" if team else None)


def queue(team: str, given: str) -> str | None:
    return given or (f"{TEAM}{team}-localqueue" if team else None)


def problems(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    """The problems of a job on an EKS cluster, one sentence each."""
    foreign = _foreign(values, OF_SLURM, "Slurm", "EKS")
    return [*foreign, *limits.range_problems(values, NUMBERS, known), *sources(values), *_placement(values), *_team(values)]


def slurm_problems(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    """The problems of a job on a Slurm cluster, one sentence each."""
    foreign = _foreign(values, OF_EKS, "EKS", "Slurm")
    return [*foreign, *limits.range_problems(values, SLURM_NUMBERS, known), *slurm_sources(values), *_slurm(values)]


def _foreign(values: t.Mapping[str, t.Any], others: t.Mapping[str, t.Any], whose: str, here: str) -> t.Iterator[str]:
    for name, default in others.items():
        if values[name] and str(values[name]) != str(default):
            shown = "an object" if isinstance(default, dict) else repr(str(values[name]))
            yield refusal_text(name, shown, f"no value on a cluster with {here}", f"this variable is for clusters with {whose}")


def slurm_sources(values: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    """Missing variables of a job on a Slurm cluster."""
    for name, what in (("topology_job_name", "a name"), ("topology_job_user", "an account that it runs as")):
        if not values[name]:
            yield f"{name}: missing; a job on a cluster with Slurm requires {what}."
    if not values["topology_job_src"] and values["topology_job_state"] == "present":
        yield "topology_job_src: missing; a job on a cluster with Slurm requires a file with a batch script."


def _slurm(values: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    mode, stage, wait = (values[f"topology_job_{name}"] for name in ("placement", "wait", "switches_wait"))
    if mode == UNCONSTRAINED:
        yield not_allowed("topology_job_placement", mode, "required, preferred or none on a cluster with Slurm")
    if stage == "admitted":
        yield not_allowed("topology_job_wait", stage, "none, running or finished on a cluster with Slurm")
    if mode not in (REQUIRED, PREFERRED) and int(wait or 0):
        yield not_allowed("topology_job_switches_wait", wait, f"0 with topology_job_placement={mode}")


def offline(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    """The problems of numbers and texts, for both orchestrators."""
    numbers = {**NUMBERS, **SLURM_NUMBERS, **GAIN_NUMBERS}
    return [*limits.range_problems(values, numbers, known), *limits.text_problems(values, GAIN_TEXTS, known)]


def gain_problems(values: t.Mapping[str, t.Any], known: Known) -> list[str]:
    """Problems of the variables for the measured gain."""
    return [*limits.range_problems(values, GAIN_NUMBERS, known), *limits.text_problems(values, GAIN_TEXTS, known)]


def sources(values: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    """Missing variables of a job on an EKS cluster."""
    if bool(values["topology_job_manifest"]) == bool(values["topology_job_src"]):
        yield "topology_job_manifest: exactly one of topology_job_manifest and topology_job_src must define the job."


def _placement(values: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    mode, level = values["topology_job_placement"], values["topology_job_layer"]
    if mode in (REQUIRED, PREFERRED) and not level:
        yield f"topology_job_layer: missing; topology_job_placement={mode} requires a layer, such as 3."
    if mode not in (REQUIRED, PREFERRED) and level:
        why = f"only the placements {REQUIRED} and {PREFERRED} use a layer"
        yield not_allowed("topology_job_layer", str(level), f"no value with topology_job_placement={mode}", why)
    if bool(values["topology_job_slice_layer"]) != bool(values["topology_job_slice_size"]):
        yield "topology_job_slice_size: set both topology_job_slice_layer and topology_job_slice_size, or neither."


def _team(values: t.Mapping[str, t.Any]) -> t.Iterator[str]:
    team, given = values["topology_job_team"], values["topology_job_namespace"]
    if team and given:
        why = "topology_job_team determines the namespace"
        yield not_allowed("topology_job_namespace", str(given), "no value with topology_job_team", why)


def cluster_problems(named: t.Collection[str], run: t.Sequence[str]) -> list[str]:
    """Problems of the choice of the job's cluster.

    ``named``: values of ``topology_job_cluster`` in the run, without duplicates. ``run``: keys of all clusters.
    """
    keys = ", ".join(sorted(run))
    why = "a job is submitted to one cluster"
    if len(named) > 1:
        return [refusal_text(CLUSTER, ", ".join(sorted(named)), f"one of {keys}", why)]
    if not named and len(run) > 1:
        return [
            f"{CLUSTER}: missing; {why}, and this run has {keys}. Set {CLUSTER} to one of these keys, or select one cluster with "
            "-e hyperpod_only=KEY."
        ]
    return [not_allowed(CLUSTER, each, keys, "no cluster of this run has this key") for each in named if each not in run]
