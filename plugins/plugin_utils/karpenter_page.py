# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of managed Karpenter on one cluster, as one page. No I/O."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.quantity import shown

Found = t.Mapping[str, t.Any]
"""The result of ``karpenter_info``."""
WIDTH = 11
MOST = 20
"""Maximum number of nodes, and of pending Pods, that the page lists individually. The page must stay short."""
INDENT = "    "


def page(found: Found, *, now: str) -> list[str]:
    rows: list[tuple[str, t.Sequence[str]]] = [
        ("autoscaler", _autoscaler(found)),
        ("NodeClasses", [_class(each) for each in found["node_classes"]] or ["none"]),
        ("NodePools", [_pool(each) for each in found["node_pools"]] or ["none"]),
        ("nodes", _nodes(found, now)),
        ("waiting", _waiting(found["waiting"], now)),
        ("an hour", _price(found["price"])),
    ]
    return [
        f"{name if index == 0 else '':<{WIDTH}} {line}" for name, lines in rows for index, line in enumerate(lines)
    ]


def _autoscaler(found: Found) -> list[str]:
    scaler = found["autoscaling"]
    status = scaler["status"] or "off"
    failure = [f"failure: {scaler['failure_message']}"] if scaler["failure_message"] else []
    unknown = [] if found["defined"] else ["the API server has no Karpenter resource types"]
    return [f"{status}, role {scaler['cluster_role'] or 'none'}", *failure, *unknown]


def _class(each: Found) -> str:
    missing = f" (not in the cluster: {', '.join(each['missing_groups'])})" if each["missing_groups"] else ""
    return f"{each['name']}  {_ready(each)}  instance groups {', '.join(each['groups']) or 'none'}{missing}"


def _pool(each: Found) -> str:
    limits = ", ".join(_limit(name, limit, each["used"].get(name, 0)) for name, limit in each["limits"].items())
    spare = "" if each["consolidation_policy"] == "WhenEmpty" else " or underused"
    after = f"nodes are removed {each['consolidate_after']} after they are empty{spare}"
    stay = "empty nodes stay" if each["consolidate_after"] == "Never" else after
    parts = [f"NodeClass {each['node_class']}", _count(each["nodes"], "node"), limits or "no limits", stay]
    return f"{each['name']}  {_ready(each)}  {'; '.join(parts)}"


def _limit(name: str, limit: float, used: float) -> str:
    return f"{name} {shown(name, used)} of {shown(name, limit)}"


def _ready(each: Found) -> str:
    if each["leaving"]:
        return "leaving"
    return "Ready" if each["ready"] else f"not Ready ({each['message'] or 'no message yet'})"


def _nodes(found: Found, now: str) -> list[str]:
    prices = {each["instance_type"]: each["price_per_hour"] for each in found["price"]["prices"]}
    claims = sorted(found["node_claims"], key=lambda each: (each["created"], each["name"]))
    lines = [line for claim in claims[:MOST] for line in _node(claim, prices, found["price"]["currency"], now)]
    return [*lines, *_more([claim["state"] for claim in claims[MOST:]])] or ["none"]


def _node(claim: Found, prices: t.Mapping[str, float | None], currency: str, now: str) -> t.Iterator[str]:
    each = prices.get(claim["instance_type"])
    price = "price unknown" if each is None else f"{each:.2f} {currency}"
    if claim["instance_type"] not in prices:
        price = "no price yet"
    where = [claim["instance_type"] or "type unknown", claim["zone"] or "zone unknown", claim["instance_group"] or "-"]
    state = f"{claim['state']} ({_age(claim['created'], now)} old)"
    parts = [claim["node"] or claim["name"], *where, state, price, _count(len(claim["pods"]), "Pod")]
    yield "  ".join(parts)
    held = "blocked by: " if claim["state"] == "leaving" else "would be blocked by: "
    yield from (f"{INDENT}{held}{each['text']}" for each in claim["holding"])


def _waiting(found: t.Sequence[Found], now: str) -> list[str]:
    lines = [line for each in found[:MOST] for line in _pod(each, now)]
    return [*lines, *_more([each["cause"] for each in found[MOST:]])] or ["none"]


def _pod(each: Found, now: str) -> t.Iterator[str]:
    yield f"{each['pod']}  for {_age(each['since'], now)}  {each['cause']}: {each['text']}"
    yield f"{INDENT}{each['next_step']}"


def _more(names: t.Sequence[str]) -> list[str]:
    return [f"and {len(names)} more: {counted(names)}"] if names else []


def counted(names: t.Iterable[str]) -> str:
    """The names with their counts, such as ``2 capacity, 1 limits``."""
    return ", ".join(f"{count} {name}" for name, count in sorted(collections.Counter(names).items()))


def _price(price: Found) -> list[str]:
    also = ["list prices, without Spot Instances, discounts and reservations"] if price["prices"] else []
    return [price["told"], *also, *price["notes"]]


def _age(since: str, now: str) -> str:
    """The age as ``5m``, ``2h 5m`` or ``3d 2h``; ``?`` if it is unknown."""
    try:
        minutes = int((moment_of(now) - moment_of(since)).total_seconds()) // 60
    except (ValueError, TypeError):
        return "?"
    hours, days = minutes // 60, minutes // 1440
    if days > 0:
        return f"{days}d {hours % 24}h"
    return f"{hours}h {minutes % 60}m" if hours > 0 else f"{max(minutes, 0)}m"


def _count(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"
