# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values for the tasks of the role adoption."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.names import security_group_name
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import adoption, declared_people
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.declared_people import plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, of_texts
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.login_endpoints import login_endpoints

from . import Variables, view

PLANNED = (
    *("__login_balancer_rules", "__login_balancer_target_group_made", "__login_balancer_made"),
    *("__login_targets_registered", "__login_targets_health_check_made"),
)
"""Variables with results of tasks in check mode."""
OPTIONS = ("load_balancer", "target_group")
"""Options of the module that the operator sets as variables with the prefix ``adopt_``."""
ADOPTED = {"balancer": "load balancer", "host_keys": "host keys"}
"""The adopted part that a record is about, keyed by the name of the record."""


@dataclass(frozen=True)
class Asked:
    """The requested adoption, from variables only."""

    refusals: Findings
    host_keys: bool
    """Whether host keys are adopted. False if variables declare the host keys, or if each login node keeps its own."""
    balancer: bool


@view
def asked(variables: Variables) -> Asked:
    # adopt writes this record last, so enforce is refused after an interrupted adoption
    expected = "balancer" if variables.get("adopt_load_balancer", "-") else "host_keys"
    adopted = ((variables.get("hyperpod_run") or {}).get("records") or {}).get("adopted") or {}
    cluster = variables["hyperpod_cluster_key"]
    declared = variables.get("host_keys_vaulted") or _certified(variables)
    return Asked(
        refusals=[] if expected in adopted else finding("not-adopted", cluster=cluster, expected=ADOPTED[expected]),
        host_keys=bool(variables["adoption_host_keys"] and not declared),
        balancer=bool(variables.get("login_balancer_adopt_load_balancer")),
    )


@dataclass(frozen=True)
class Balancer:
    """The load balancer and the target group, if they can be adopted."""

    refusals: Findings
    record: dict[str, t.Any]
    """The settings to record, which ``give_back`` restores later."""


@view
def balancer(variables: Variables) -> Balancer:
    read = variables["__adoption_balancer_read"]
    if "balancer_adoption" not in read:
        option = (read.get("hyperpod_failure") or {}).get("subject")
        refused = finding("balancer-not-adoptable", reason=read.get("msg", ""), option=f"adopt_{option}")
        return Balancer(refused if option in OPTIONS else [], {})
    return Balancer(_another(variables, read["balancer_adoption"]["load_balancer"]["load_balancer_arn"]), _record(variables))


@dataclass(frozen=True)
class Nodes:
    reached: list[str]
    unseen: list[str]
    """Instance IDs of nodes that were not reached."""
    login_unseen: bool
    """Whether a login node was not reached."""


@view
def nodes(variables: Variables) -> Nodes:
    reached = [each["instance_id"] for each in _found(variables)]
    listed = _listed(variables)
    unseen = sorted(each for each in listed if each not in reached)
    return Nodes(reached, unseen, any(listed[each] == "login" for each in unseen))


@view
def unreached(variables: Variables) -> list[dict[str, t.Any]]:
    """Endpoints of login nodes that were not reached. The control node reads their host keys."""
    listed, reached = plain(variables["__adoption_addresses"]["nodes"]), nodes(variables).reached
    found = login_endpoints(listed, variables["login_nodes_ssh_port"])
    return [each for each in found if each["name"] not in reached]


@dataclass(frozen=True)
class HostKeys:
    """The host keys of the login nodes."""

    refusals: Findings
    public_keys: list[str]
    source: str
    """The instance ID of the node whose host keys are adopted."""
    source_host: str


@view
def host_keys(variables: Variables) -> HostKeys:
    judged = _judged(variables)
    hosts = (host for host in variables["groups"][variables["hyperpod_cluster_group"]])
    of_source = [host for host in hosts if variables["hostvars"][host].get("hyperpod_instance_id") == judged["source"]]
    problem = [judged["problem"]] if judged["problem"] else []
    return HostKeys(
        refusals=[each.to_result() for each in of_texts("keys-not-adoptable", None, problem)],
        public_keys=judged["public_keys"],
        source=judged["source"],
        source_host=of_source[0] if of_source and judged["source"] else variables["inventory_hostname"],
    )


@dataclass(frozen=True)
class Foreseen:
    """Changes to the adopted load balancer that ``login_access_mode=enforce`` would make."""

    running: list[str]
    changes: list[str]


@view
def foreseen(variables: Variables) -> Foreseen:
    results = [variables.get(each) or {} for each in PLANNED]
    flat = [each for result in results for each in plain(result.get("results", [result]))]
    group = security_group_name(variables["hyperpod_cluster_key"], variables["hyperpod_cluster_arn"])
    made = (variables.get("__login_balancer_group_planned") or {}).get("changed")
    return Foreseen(
        running=[each["instance_id"] for each in variables["__login_balancer_nodes"]["nodes"] if each["status"] == "Running"],
        changes=[
            *([f"enforce would create security group {group} or change its rules."] if made else []),
            *adoption.changes(flat),
        ],
    )


@view
def report(variables: Variables) -> Findings:
    """Findings about the adoption, and about changes that ``login_access_mode=enforce`` would make, in the order of the report."""
    return [
        *_of_balancer(variables),
        *_of_host_keys(variables),
        *_of_accounts(variables),
        *_of_nodes(variables),
        *_of_changes(variables),
        *finding("enforce-would-install"),
    ]


def _of_balancer(variables: Variables) -> Findings:
    if not asked(variables).balancer:
        return []
    adopted = variables["login_balancer_adopted"]
    names = {kind: adopted[kind]["name"] for kind in ("load_balancer", "target_group")}
    return finding("balancer-adopted", done="is" if _done(variables) else "would be", **names)


def _of_host_keys(variables: Variables) -> Findings:
    judged = _judged(variables)
    if not variables["adoption_host_keys"]:
        return finding("keys-not-adopted")
    if variables.get("host_keys_vaulted"):
        return finding("keys-declared")
    if _certified(variables):
        return finding("keys-of-each-node")
    if judged["problem"]:
        return finding("keys-refused", problem=judged["problem"])
    keys = [each["fingerprint"] for each in (variables.get("__adoption_secret") or {}).get("host_keys") or ()]
    return finding("keys-adopted", source=judged["source"], fingerprints=keys, done="are" if _done(variables) else "would be")


def _of_accounts(variables: Variables) -> Findings:
    if variables["accounts_source"] != "local":
        return []
    declared = plain(declared_people.declared(variables["accounts_users"], variables["accounts_users_files"]))
    people = adoption.people(_found(variables), declared, variables["accounts_operations_user"])
    return [each.to_result() for each in of_texts("accounts-differ", None, people)]


def _of_nodes(variables: Variables) -> Findings:
    unseen = nodes(variables).unseen
    refused = [each for each in _found(variables) if each["refused"]]
    replaced = _judged(variables)["replaced"] if asked(variables).host_keys else []
    return [
        *(finding("nodes-not-checked", nodes=unseen) if unseen else []),
        *(found for each in refused for found in finding("enforce-refused", node=each["instance_id"], reason=each["refused"])),
        *(found for each in replaced for found in finding("keys-replaced", node=each)),
    ]


def _of_changes(variables: Variables) -> Findings:
    results = [result for each in _found(variables) for result in each["results"]]
    foreseen = [*(variables["hyperpod_run"].get("balancer_foreseen") or ()), *adoption.changes(results)]
    return [each.to_result() for each in of_texts("enforce-would-change", None, foreseen)]


def _another(variables: Variables, arn: str) -> Findings:
    recorded = variables["login_balancer_adopted"].get("load_balancer") or {}
    if recorded.get("arn", arn) == arn:
        return []
    wanted, cluster = variables["login_balancer_adopt_load_balancer"], variables["hyperpod_cluster_key"]
    return finding("adopted-another-balancer", load_balancer=wanted, adopted=recorded["name"], cluster=cluster)


def _record(variables: Variables) -> dict[str, t.Any]:
    read = plain(variables["__adoption_balancer_read"]["balancer_adoption"])
    found, group = read["load_balancer"], read["target_group"]
    return {
        "load_balancer": {
            "name": found["name"],
            "arn": found["load_balancer_arn"],
            "security_groups": found["security_groups"],
        },
        "target_group": {
            "name": group["name"],
            "arn": group["target_group_arn"],
            "port": _used_port(variables, int(group["port"])),
            "health_check": group["health_check"],
        },
    }


def _used_port(variables: Variables, port: int) -> int:
    """The port for users: the target group's own port, unless no target uses that port."""
    used = (variables.get("__login_targets_read") or {}).get("ports") or [port]
    return port if port in used else int(min(used))


def _done(variables: Variables) -> bool:
    return bool(variables["adoption_mode"] == "adopt" and not variables["ansible_check_mode"])


def _certified(variables: Variables) -> bool:
    return bool(variables.get("host_keys_identity", "shared") == "certificates")


def _listed(variables: Variables) -> dict[str, str]:
    """The types of all nodes, keyed by instance ID."""
    return {instance: each["node_type"] for instance, each in variables["hyperpod_run"]["node_access"].items()}


def _found(variables: Variables) -> list[dict[str, t.Any]]:
    """The data that reachable nodes returned."""
    hosts = (variables["hostvars"][host] for host in variables["groups"][variables["hyperpod_cluster_group"]])
    return [plain(each["__adoption_here"]) for each in hosts if "__adoption_here" in each]


def _judged(variables: Variables) -> dict[str, t.Any]:
    seen = ((variables.get("__adoption_seen") or {}).get("ssh_endpoints") or {}).get("endpoints") or []
    types = plain(variables["host_keys_types"])
    return adoption.host_keys(_found(variables), _listed(variables), types, variables["adoption_from"], plain(seen))
