# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that the login balancer uses now, which can differ from the declared ports during a change of ports. No I/O."""

from __future__ import annotations

import ipaddress
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate.options import HIGHEST_PORT

SSHD = 22
"""The port at which the nodes' own sshd always answers."""
DEFAULTS = {"people": 222, "gate": 223}
HEALTH_CHECK = {"interval": 10, "healthy_threshold": 2, "unhealthy_threshold": 2}
"""Settings of the target group's health check, whatever its port."""
Vars = t.Mapping[str, t.Any]


def ports_in_effect(targets: t.Mapping[str, t.Any], adopted: t.Mapping[str, t.Any] | None = None) -> dict[str, t.Any]:
    """Ports at which nodes must keep answering: ``health`` for the health check, ``targets`` for users.

    AWS sends users to a draining target for some minutes and does not report when this ends. The result omits ports that an
    adopted target group had before the adoption, because other software answers there. It also omits ports that no readiness gate
    can use; targets at such ports were registered by other means.

    :param targets: the result of ``login_targets``.
    :param adopted: the record of an adopted load balancer.
    """
    if not targets.get("target_group_arn"):
        return {}
    theirs = _found(adopted)
    used = sorted(port for port in {*targets["ports"], *targets["draining_ports"]} if port <= HIGHEST_PORT)
    in_effect: dict[str, t.Any] = {"targets": [port for port in used if str(port) not in theirs]}
    health = str(targets["health_check_port"])
    if health.isdigit() and health not in theirs | {str(SSHD)}:
        in_effect["health"] = int(health)
    return in_effect


def ports_passed(
    targets: t.Mapping[str, t.Any], declared: t.Iterable[int], adopted: t.Mapping[str, t.Any] | None = None
) -> list[int]:
    """The ports that security groups must admit: the declared ports, and other ports while they are in use. The result omits
    ports that an adopted load balancer had before the adoption, because rules of their owners admit them.
    """
    used = {*targets["ports"], *targets["draining_ports"], targets["health_check_port"]}
    ours = {int(port) for port in used if str(port).isdigit() and str(port) not in _found(adopted)}
    return sorted(ours | {int(port) for port in declared})


def _found(adopted: t.Mapping[str, t.Any] | None) -> set[str]:
    """The ports that an adopted target group had before the adoption."""
    group = (adopted or {}).get("target_group", {})
    return {str(group.get("port", "")), str(group.get("health_check", {}).get("port", ""))}


def unused_rules(results: t.Iterable[t.Mapping[str, t.Any]], kept: t.Iterable[int]) -> list[dict[str, t.Any]]:
    """Our rules for ports that are no longer used.

    :param results: the results of ``security_group_rule`` for each security group and port.
    :param kept: ports whose rules stay.
    """
    kept = {int(port) for port in kept}
    rules = [result["security_group_rule"] for result in results if "security_group_rule" in result]
    found = {
        (rule["group_id"], rule["peer"], port) for rule in rules for port in rule["other_ports"] if port not in kept
    }
    return [{"group_id": group, "peer": peer, "port": port} for group, peer, port in sorted(found)]


def is_moving(targets: t.Mapping[str, t.Any], people: int, health: int) -> bool:
    """Whether users or the health check still use a port other than the declared one."""
    if not targets.get("target_group_arn"):
        return False
    return bool({*targets["ports"]} - {int(people)}) or str(targets["health_check_port"]) != str(health)


def shut_ports(
    groups: t.Iterable[t.Mapping[str, t.Any]],
    ports: t.Iterable[int],
    *,
    of_balancer: t.Collection[str],
    addresses: t.Collection[str],
) -> list[int]:
    """The ports at which no inbound rule of the nodes' security groups admits the load balancer.

    The entries of a prefix list are unknown here, so a rule with a prefix list counts as admitting the load balancer.

    :param groups: the nodes' security groups, as ``ec2_security_group_info`` returns them.
    :param of_balancer: IDs of the load balancer's security groups.
    :param addresses: the load balancer's private addresses.
    """
    rules = [rule for group in groups for rule in group["ip_permissions"]]
    return sorted(
        port for port in map(int, ports) if not _passes([each for each in rules if _is_for(each, port)], of_balancer, addresses)
    )


def _is_for(rule: t.Mapping[str, t.Any], port: int) -> bool:
    if rule["ip_protocol"] == "-1":
        return True
    return rule["ip_protocol"] in ("tcp", "6") and rule["from_port"] <= port <= rule["to_port"]


def _passes(rules: t.Sequence[t.Mapping[str, t.Any]], of_balancer: t.Collection[str], addresses: t.Collection[str]) -> bool:
    peers = {pair.get("group_id") for rule in rules for pair in rule.get("user_id_group_pairs") or ()}
    if peers & {*of_balancer} or any(rule.get("prefix_list_ids") for rule in rules):
        return True
    ranges = [ipaddress.ip_network(each["cidr_ip"], strict=False) for rule in rules for each in rule.get("ip_ranges") or ()]
    return bool(addresses) and all(any(ipaddress.ip_address(each) in known for known in ranges) for each in addresses)


def port_disagreements(cluster: Vars, nodes: t.Mapping[str, Vars]) -> list[str]:
    """Sentences about login nodes whose port would differ from the login balancer's port.

    :param cluster: variables of the cluster's inventory host, which apply to the load balancer and to the check of host keys.
    :param nodes: variables of the cluster's login nodes, keyed by host.
    """
    found = []
    for kind, default in DEFAULTS.items():
        wanted = _declared(cluster, "login_balancer", kind, default)
        others = {
            name: port
            for name, known in {"the cluster's own inventory host": cluster, **nodes}.items()
            if (port := _declared(known, "login_nodes", kind, default)) != wanted
        }
        if others:
            where = ", ".join(f"{port} for {name}" for name, port in others.items())
            found.append(
                f"hyperpod_{kind}_port: the load balancer uses port {wanted}, but login nodes would open a different port: "
                f"{where}. Set hyperpod_{kind}_port once, for the group of the cluster, and remove login_balancer_{kind}_port "
                f"and login_nodes_{kind}_port."
            )
    return found


def _declared(known: Vars, role: str, kind: str, default: int) -> int:
    return int(known.get(f"{role}_{kind}_port", known.get(f"hyperpod_{kind}_port", default)))
