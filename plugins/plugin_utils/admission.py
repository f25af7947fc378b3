# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may connect to the login balancer, according to the declared variables. No I/O."""

from __future__ import annotations

import ipaddress
import re
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text

CIDRS, CONFIRM = "login_balancer_allowed_cidrs", "login_balancer_public_confirm"
SCHEME, PUBLIC = "login_balancer_scheme", "internet-facing"


def judged(
    cidrs: t.Any, groups: t.Sequence[str], *, scheme: str, confirmed: bool, cluster: str, without_groups: bool = False
) -> dict[str, list[str]]:
    """``problems`` that stop a run, and ``notes`` for every report.

    :param cidrs: None if the variable is not set, which differs from an empty list.
    :param without_groups: whether the load balancer is adopted and can't have security groups, so nothing limits who may connect.
    """
    ranges = _flat(cidrs)
    wrong = [each for each in ranges if not _is_range(each)]
    if wrong:
        return _problem(CIDRS, wrong, "IPv4 ranges, as in 10.40.0.0/16")
    if scheme == PUBLIC and (without_groups or _is_world(ranges)):
        why = "the whole internet could connect to sshd on the login nodes"
        if not confirmed and without_groups:
            allowed = f"a load balancer with security groups, or {CONFIRM}: true"
            return _problem(SCHEME, [PUBLIC], allowed, f"the adopted load balancer of {cluster} has no security groups, so {why}")
        if not confirmed:
            allowed = f"the CIDR ranges of your users, or {CONFIRM}: true"
            return _problem(CIDRS, ranges, allowed, f"with {SCHEME}: {PUBLIC}, {why}")
        return {"problems": [], "notes": [f"The whole internet may connect to the login balancer of {cluster} ({CONFIRM})."]}
    if cidrs is None or ranges or without_groups:
        return {"problems": [], "notes": []}
    others = f"only members of {', '.join(groups)}" if groups else "only users of a Client VPN"
    return {"problems": [], "notes": [f"{CIDRS} is empty, so {others} may connect to the login balancer of {cluster}."]}


def rules(
    cidrs: t.Any, groups: t.Sequence[str], *, vpn_groups: t.Sequence[str], vpc_cidrs: t.Sequence[str], port: int
) -> list[dict[str, t.Any]]:
    """The inbound rules of the load balancer's security group. Without peers there is no rule: AWS would admit all addresses."""
    ranges = list(vpc_cidrs) if cidrs is None and not groups else _flat(cidrs)
    members = list(dict.fromkeys([*groups, *vpn_groups]))
    peers = {**({"cidr_ip": ranges} if ranges else {}), **({"group_id": members} if members else {})}
    return [{"proto": "tcp", "ports": [int(port)], "rule_desc": "People log in", **peers}] if peers else []


def _problem(option: str, values: t.Sequence[str], allowed: str, why: str = "") -> dict[str, list[str]]:
    return {"problems": [refusal_text(option, ", ".join(values), allowed, why)], "notes": []}


def _flat(value: t.Any) -> list[str]:
    if isinstance(value, (list, tuple)):
        return [each for item in value for each in _flat(item)]
    return [] if value is None else [str(value)]


def _is_range(text: str) -> bool:
    try:
        ipaddress.IPv4Network(text, strict=False)
    except ValueError:
        return False
    return re.fullmatch(r"[0-9.]+/[0-9]+", text) is not None


def _is_world(ranges: t.Sequence[str]) -> bool:
    """Whether the ranges contain all IPv4 addresses, as one range or as several."""
    networks = [ipaddress.IPv4Network(each, strict=False) for each in ranges]
    return any(each.prefixlen == 0 for each in ipaddress.collapse_addresses(networks))
