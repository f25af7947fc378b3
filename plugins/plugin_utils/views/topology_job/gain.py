# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The gain of nearby nodes, measured by a Slurm controller node or by Pods of an EKS cluster."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible.module_utils.parsing.convert_bool import boolean
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.answers import NO_ANSWER, outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import NOT_RUN, Outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import topology_job as rules
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import gain as of_gain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet

from .. import Variables, view
from ..accelerator_health import seen as of_types
from ..topology import cluster as of_topology

REQUEST, SEEN, TYPES, GAIN, PLACES = (
    f"__topology_job_{name}" for name in ("gain_asked", "gain_seen", "gain_types_seen", "gain_measured", "gain_places")
)
"""Names of the facts of a cluster's inventory host. ``PLACES`` exists for EKS clusters only."""
NCCL = "__topology_job_nccl"
"""The fact with the result of the last test."""
NO_IMAGE = "On an EKS cluster, Pods run the test, so set topology_job_gain_image to their image."
NO_PLACES = "The topology of the nodes is unknown, because no controller node was reached."
NO_TEST = "No controller node has run the test."


@dataclass(frozen=True)
class GainRequested:
    """The requested measurement on one cluster."""

    refusals: Findings
    requested: dict[str, t.Any] | None
    """The request, with ``nodes``, ``instance_type``, ``program`` and ``image``; None if no measurement is requested."""
    by_pods: bool
    """Whether Pods of this cluster run the test."""


@view
def gain_requested(variables: Variables) -> GainRequested:
    known = variables["hostvars"][variables["inventory_hostname"]]
    wanted = boolean(variables["topology_job_measure_gain"], strict=False)
    requested = {
        "nodes": int(variables["topology_job_gain_nodes"]),
        "instance_type": str(variables["topology_job_gain_instance_type"]),
        "program": str(variables["topology_job_nccl_program"]),
        "image": str(variables["topology_job_gain_image"]),
    }
    wrong = refused(rules.gain_problems(variables, known))
    return GainRequested(wrong, requested if wanted else None, by_pods=wanted and bool(requested["image"]) and _with_eks(variables))


def _with_eks(variables: Variables) -> bool:
    return variables["inventory_hostname"] in variables["groups"].get(fleet.EKS, ())


@view
def gain_types(variables: Variables) -> list[str]:
    """Instance types of the cluster's compute nodes. In an EKS cluster, all nodes are compute nodes."""
    hosts = (host for host in variables["groups"][variables["hyperpod_cluster_group"]] if host != variables["inventory_hostname"])
    nodes = (variables["hostvars"][host] for host in hosts)
    compute = (each for each in nodes if _with_eks(variables) or each.get("hyperpod_node_type") == of_topology.COMPUTE)
    return sorted({str(each["hyperpod_instance_type"]) for each in compute})


@dataclass(frozen=True)
class Gain:
    """The measurement, on the host of a controller node or of an EKS cluster."""

    cluster_host: str
    test: dict[str, t.Any] | None
    """The next test, with ``addresses`` or ``instance_ids``, ``instance_type``, ``gpus``, ``efa``, ``program`` and ``image``, or
    None.
    """
    seen: list[dict[str, t.Any]]
    """Results of completed tests, with the ``ids`` of the plan."""


@view
def gain(variables: Variables) -> Gain:
    own = of_types.of_cluster(variables)
    here = not variables["ansible_check_mode"] and bool(own.get(REQUEST)) and _runs_tests(variables, own)
    addresses = {each["instance_id"]: each["ip"] for each in plain(own.get(of_topology.NODES) or [])}
    answer = plain(variables.get(NCCL) or {}).get("nccl_test")
    return _next(own, answer, lambda ids: {"addresses": [addresses[each] for each in ids]}, here=here)


@view
def gain_by_pods(variables: Variables) -> Gain:
    requested = plain(variables.get(REQUEST) or {})
    here = not variables["ansible_check_mode"] and bool(requested.get("image"))
    return _next(variables, _of_pods(plain(variables.get(NCCL) or {})), lambda ids: {"instance_ids": ids}, here=here)


def _of_pods(result: Variables) -> dict[str, t.Any]:
    """The result of the test. For a failed module, the result is built from the module's message."""
    failed = {"verdict": NOT_RUN, "failure": NO_ANSWER, "text": printable(str(result.get("msg") or "").partition("\n")[0])}
    return dict(result.get("nccl_test") or failed)


def _next(own: Variables, answer: t.Any, nodes: t.Callable[[list[str]], dict[str, t.Any]], *, here: bool) -> Gain:
    """The next test.

    :param nodes: builds the module's option from instance IDs.
    :param here: whether this host runs the tests.
    """
    host, before = own["inventory_hostname"], plain(own.get(SEEN) or [])
    planned = _planned(own) if here else None
    side = of_gain.next_side(_done(planned, own)) if isinstance(planned, of_gain.Plan) else ""
    if not side or not isinstance(planned, of_gain.Plan):
        return Gain(host, None, before)
    ids, requested = list(planned.sides[side].ids), plain(own[REQUEST])
    test = {
        **nodes(ids),
        "instance_type": planned.instance_type,
        "gpus": planned.kind.gpus,
        "efa": planned.kind.efa,
        "program": requested["program"],
        "image": requested["image"],
    }
    return Gain(host, test, [*before, {"side": side, "ids": ids, "answer": answer}])


def _runs_tests(variables: Variables, own: Variables) -> bool:
    """Whether this host is the first controller node that was reached and has read Slurm's nodes."""
    hostvars, controllers = variables["hostvars"], variables["groups"].get(fleet.CONTROLLERS, ())
    own_controllers = [host for host in variables["groups"][own["hyperpod_cluster_group"]] if host in controllers]
    reached = [host for host in own_controllers if (hostvars[host].get("hyperpod_run") or {}).get("reached")]
    return [host for host in reached if hostvars[host].get(of_topology.SLURM)][:1] == [variables["inventory_hostname"]]


def _planned(own: Variables) -> of_gain.Plan | of_gain.Unmeasured:
    """The plan. It depends only on facts that were read before the first test, so it is the same for all tests."""
    rows = _rows(own)
    if rows is None:
        return of_gain.Unmeasured(NO_PLACES, later=True)
    requested, types = plain(own[REQUEST]), plain(own.get(TYPES) or [])
    devices = {each["name"]: of_types.devices(types, each["name"]) for each in types}
    kinds = {name: of_gain.Kind(each["gpus"], bool(each["efa_devices"])) for name, each in devices.items()}
    return of_gain.plan([of_topology.place_of(each) for each in rows], requested["nodes"], requested["instance_type"], kinds)


def _rows(own: Variables) -> list[dict[str, t.Any]] | None:
    """The nodes that HyperPod created; None if they could not be read."""
    if not _with_eks(own):
        return of_topology.places(own)
    rows = plain(own.get(PLACES))
    return None if rows is None else [each for each in rows if each["instance_id"]]


def _done(planned: of_gain.Plan, own: Variables) -> dict[str, Outcome]:
    """The outcomes of the planned tests, keyed by side of the comparison."""
    made = {each["side"]: outcome(each["ids"], each["answer"]) for each in plain(own.get(SEEN) or [])}
    return {side: each for side, each in made.items() if each.ids == planned.sides[side].ids}


@dataclass(frozen=True)
class Gained:
    """The result, on a cluster's inventory host."""

    document: dict[str, t.Any] | None
    """The result in the report; None if no measurement was requested."""
    findings: Findings


@view
def gained(variables: Variables) -> Gained:
    if not variables.get(REQUEST):
        return Gained(None, [])
    found = _gained(variables)
    if not isinstance(found, of_gain.Unmeasured):
        return Gained(found, _findings(found))
    return Gained(of_gain.unmeasured(found.why), _not_measured(found))


def _gained(variables: Variables) -> dict[str, t.Any] | of_gain.Unmeasured:
    if _with_eks(variables) and not plain(variables[REQUEST]).get("image"):
        return of_gain.Unmeasured(NO_IMAGE)
    planned = _planned(variables)
    if isinstance(planned, of_gain.Unmeasured):
        return planned
    if variables["ansible_check_mode"]:
        return of_gain.Unmeasured(of_gain.foreseen(planned))
    done = _done(planned, variables)
    return of_gain.measured(planned, done) if done else of_gain.Unmeasured(NO_TEST, later=True)


def _findings(document: dict[str, t.Any]) -> Findings:
    """The finding about the gain, or that it was not measured. A failed test proves nothing about the nodes."""
    if document["ratio"] is not None:
        return finding("topology-gain", figures=of_gain.line(document))
    whole = all(document[side] and document[side]["bandwidth"] for side in of_gain.SIDES)
    return _not_measured(of_gain.Unmeasured(document["not_measured"], later=not whole))


def _not_measured(found: of_gain.Unmeasured) -> Findings:
    return finding("topology-gain-not-measured-yet" if found.later else "topology-gain-not-measured", why=found.why)
