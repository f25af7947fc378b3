# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The topology of one cluster's nodes."""

from __future__ import annotations

import base64
import binascii
import typing as t
from dataclasses import asdict, dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._topology.model import Place
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import slurm_states
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.topology import NUMBERS
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._topology import slurm, slurm_files
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.api_server import ApiServer, api_server
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run import fleet
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import rows

from .. import Variables, view

SEEN, PLACES, FILES = "__topology_seen", "__topology_places", "__topology_files"
NODES, CONFIG, SLURM = (f"__topology_{name}_seen" for name in ("nodes", "config", "slurm"))
"""Names of facts: ``SEEN`` of EKS clusters, ``PLACES`` of any cluster, ``NODES`` of Slurm clusters, and ``CONFIG`` and ``SLURM`` of
their controller nodes. ``FILES`` is the name of a task's result."""
FOLDERS = ("/opt/slurm/etc", "/etc/slurm")
"""Folders of Slurm's configuration, on HyperPod and elsewhere."""
COMPUTE = "compute"
CLUSTER = "{cluster}"
"""The placeholder for the key of a cluster in a file name."""


@view
def refusals(variables: Variables) -> Findings:
    known = variables["hostvars"][variables["inventory_hostname"]]
    return refused([*limits.range_problems(variables, NUMBERS, known), *_one_file(variables)])


def _one_file(variables: Variables) -> list[str]:
    """The refusal of a file name without placeholder for several clusters, because their files would overwrite each other."""
    path, clusters = str(variables["topology_mermaid"]), len(variables["ansible_play_hosts_all"])
    if not path or CLUSTER in path or clusters < 2:
        return []
    why = f"the run has {clusters} clusters"
    return [not_allowed("topology_mermaid", path, f"a name that contains {CLUSTER}, or '' for no file", why)]


@view
def kubernetes(variables: Variables) -> ApiServer:
    return api_server(variables, kubeconfig=variables["topology_kubeconfig"], context=variables["topology_context"])


@dataclass(frozen=True)
class SlurmNodes:
    """The nodes and files that a controller node reads from Slurm."""

    addresses: list[str]
    """Addresses of the cluster's compute nodes."""
    files: list[str]
    """Possible paths of Slurm's topology files."""


@view
def slurm_nodes(variables: Variables) -> SlurmNodes:
    own = variables["hostvars"][fleet.cluster_host(variables["group_names"], variables["groups"])]
    files = [f"{folder}/{name}" for folder in FOLDERS for name in (slurm_files.DOCUMENT, slurm_files.CONF)]
    return SlurmNodes([each.address for each in _machines(own, variables) if each.address], files)


@view
def places(variables: Variables) -> list[dict[str, t.Any]] | None:
    """The network locations of all nodes, as in the report, on a cluster's inventory host. None if no controller node answered."""
    seen = variables.get(SEEN)
    if seen is not None:
        return list(plain(seen))
    controllers = _controllers(variables)
    if not controllers:
        return None
    machines = _machines(variables, variables)
    states = {address: state for each in controllers for address, state in slurm_states.states(plain(each.get(SLURM))).items()}
    return [asdict(each) for each in slurm.places(machines, _layers(controllers, machines), states)]


def layers_by_node(variables: Variables) -> dict[str, tuple[str, ...]] | None:
    """The network nodes above each compute node of a Slurm cluster, keyed by Slurm's node name. None if no controller answered."""
    controllers = _controllers(variables)
    if not controllers:
        return None
    machines = _machines(variables, variables)
    layers, names = _layers(controllers, machines), _names(controllers)
    return {names[each.address]: layers.get(each.instance_id, ()) for each in machines if each.address in names}


def _controllers(variables: Variables) -> list[Variables]:
    """The variables of controller nodes that answered."""
    nodes = [variables["hostvars"][host] for host in variables["groups"][variables["hyperpod_cluster_group"]]]
    return [each for each in nodes if each.get(SLURM) is not None]


def _names(controllers: t.Sequence[Variables]) -> dict[str, str]:
    return {address: name for each in controllers for address, name in slurm_states.names(plain(each.get(SLURM))).items()}


def _layers(controllers: t.Sequence[Variables], machines: t.Sequence[slurm.Machine]) -> dict[str, tuple[str, ...]]:
    """The network nodes above each node, keyed by instance ID, from HyperPod's file, or else from Slurm's files."""
    layers = {iid: above for each in controllers for iid, above in slurm.layers(_text(each.get(CONFIG, ""))).items() if above}
    by_name = {name: above for each in controllers for name, above in slurm_files.layers(_files(each)).items()}
    names = _names(controllers)
    by_slurm = {each.instance_id: by_name.get(names.get(each.address, ""), ()) for each in machines}
    return {**by_slurm, **layers}


def place_of(row: t.Mapping[str, t.Any]) -> Place:
    """The network location in an entry of ``places``."""
    return Place(**{**row, "layers": tuple(row["layers"]), "jobs": tuple(row["jobs"])})


def _machines(cluster: Variables, variables: Variables) -> list[slurm.Machine]:
    """Compute nodes from the inventory, with the addresses from HyperPod."""
    listed = {each["instance_id"]: str(each.get("ip") or "") for each in plain(cluster.get(NODES) or ())}
    hosts = (variables["hostvars"][host] for host in variables["groups"][cluster["hyperpod_cluster_group"]])
    nodes = [each for each in hosts if each.get("hyperpod_node_type") == COMPUTE]
    return [
        slurm.Machine(
            instance_id=str(each["hyperpod_instance_id"]),
            address=listed.get(each["hyperpod_instance_id"], ""),
            instance_type=str(each["hyperpod_instance_type"]),
            instance_group=str(each["hyperpod_instance_group"]),
        )
        for each in nodes
    ]


def _files(controller: Variables) -> dict[str, str]:
    """The contents of Slurm's files, keyed by name."""
    found = rows(plain(controller.get(FILES) or {}).get("results"), len(FOLDERS) * 2)
    return {str(each["item"]).rpartition("/")[2]: _text(each["content"]) for each in found if "content" in each}


def _text(encoded: t.Any) -> str:
    """The decoded content from ansible.builtin.slurp."""
    try:
        return base64.b64decode(str(encoded)).decode(errors="replace")
    except binascii.Error:
        return ""
