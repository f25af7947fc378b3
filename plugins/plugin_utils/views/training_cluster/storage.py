# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file system and its objects in Kubernetes, and the kubeconfig."""

from __future__ import annotations

import os
import typing as t
from dataclasses import dataclass

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx import volumes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.model import DELETING
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.observed import FILE_SYSTEM, SECURITY_GROUP
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.plan import LUSTRE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.variables import STORAGE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain

from .. import Variables, view
from .build import cluster_made
from .declared import names, observed, this, values
from .network import COMPONENT, place

SMALLEST = 1200
"""GiB that the claim requests. Kubernetes cannot change the request of a static claim when the file system grows."""
LUSTRE_PORTS = ((988, 988), (1018, 1023))
MADE = "__training_cluster_made_file_system"
"""The variable with the result of ``fsx_lustre_file_system``."""


@dataclass(frozen=True)
class Storage:
    """The file system, its security group, and its objects in Kubernetes."""

    needed: bool
    """In check mode, only if the file system and its security group exist. Otherwise the plan lists them."""
    security_group: dict[str, t.Any]
    options: dict[str, t.Any]
    """Options of ``fsx_lustre_file_system``; None for those that are not declared."""
    namespace: list[dict[str, t.Any]]
    """The namespace of the claim, which may belong to someone else."""
    objects: list[dict[str, t.Any]]
    """The volume and the claim. Empty until the file system can be mounted."""


@view
def storage(variables: Variables) -> Storage:
    given, where, called = values(variables), place(variables), names(variables)
    name, made = called.part(LUSTRE), plain(variables.get(MADE) or {}).get("fsx_lustre_file_system") or {}
    group = {
        "name": name,
        "vpc_id": where.vpc_id,
        "rules": _rules(name, cluster_made(variables)),
        "tags": {**this(variables).tags, COMPONENT: SECURITY_GROUP},
    }
    return Storage(
        needed=bool(given["file_system"]) and (not variables["ansible_check_mode"] or _exists(variables)),
        security_group=group,
        options={**dict.fromkeys(STORAGE), "name": called.cluster, "subnet_id": where.nodes, **given["file_system"]},
        namespace=[_namespace(str(given["namespace"]))] if given["claim"] else [],
        objects=_objects(variables, made) if made.get("mount_name") and given["claim"] else [],
    )


def _exists(variables: Variables) -> bool:
    there, called = observed(variables), names(variables)
    found = there.named(FILE_SYSTEM, called.cluster), there.named(SECURITY_GROUP, called.part(LUSTRE))
    return all(each is not None and each["status"] != DELETING for each in found)


def _namespace(name: str) -> dict[str, t.Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def _rules(name: str, cluster: Variables) -> list[dict[str, t.Any]]:
    """Lustre's ports, from the file system's own group and from the nodes.

    Source: FSx for Lustre User Guide, limit-access-security-groups.
    """
    sources = [{"group_name": name}, {"group_id": (cluster.get("vpc") or {}).get("cluster_security_group") or ""}]
    return [{"proto": "tcp", "from_port": low, "to_port": high, **source} for low, high in LUSTRE_PORTS for source in sources]


def _objects(variables: Variables, file_system: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    given = values(variables)
    namespace, claim = str(given["namespace"]), str(given["claim"])
    volume = volume_name(namespace, claim)
    return [
        volumes.persistent_volume(file_system, name=volume, claim=claim, namespace=namespace),
        volumes.persistent_volume_claim(name=claim, namespace=namespace, capacity=SMALLEST, volume=volume),
    ]


def volume_name(namespace: str, claim: str) -> str:
    return f"{namespace}-{claim}"


@dataclass(frozen=True)
class Kubeconfig:
    """A kubeconfig whose credentials come from the AWS CLI. The path is empty if none is written."""

    path: str
    text: str


@view
def kubeconfig(variables: Variables) -> Kubeconfig:
    made = cluster_made(variables)
    path, cluster = str(values(variables)["kubeconfig"]), this(variables)
    profile = str(variables.get("hyperpod_profile") or "")
    arguments = ["eks", "get-token", "--cluster-name", cluster.name, "--region", str(variables["hyperpod_region"])]
    program = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "aws",
        "args": [*arguments, *(["--profile", profile] if profile else [])],
        "interactiveMode": "IfAvailable",
    }
    server = {"server": made.get("endpoint"), "certificate-authority-data": made.get("certificate_authority")}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": cluster.arn, "cluster": server}],
        "users": [{"name": cluster.arn, "user": {"exec": program}}],
        "contexts": [{"name": cluster.name, "context": {"cluster": cluster.arn, "user": cluster.arn}}],
        "current-context": cluster.name,
    }
    return Kubeconfig(os.path.expanduser(path), yaml.safe_dump(config, sort_keys=False))
