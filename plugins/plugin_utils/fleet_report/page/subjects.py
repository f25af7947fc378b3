# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One section for each subject: health, topology, quotas, cost and drift. A missing value is never shown as good."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import Content, Html, element, joined
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, section

from ..latest import FOUND
from .words import NO_VALUE, SOURCE, Row, Said, dim, link, mark, source, table, unknown, when


def health(document: Said) -> Html:
    found = [each["health"]["found"] for each in document["clusters"].values() if each["health"]["found"]]
    verdicts = list(found[0]["verdicts"]) if found else []
    rows = [
        [link(document, key), *_verdicts(each["health"], verdicts), _of(document, each, "health")]
        for key, each in document["clusters"].items()
    ]
    note = dim("Number of nodes for each verdict of the latest verify. A node that could not be checked is unknown.")
    return section("health", "Health of accelerators", note, table("Health", ("Cluster", *verdicts, SOURCE), rows))


def _verdicts(facts: Said, verdicts: t.Sequence[str]) -> list[Content]:
    found = (facts["found"] or {}).get("verdicts", {})
    return [found.get(name, NO_VALUE) for name in verdicts]


def topology(document: Said) -> Html:
    head = ("Cluster", "Free", "Used", "Unhealthy", "Without data", "Spread jobs", "Largest free block by layer", SOURCE)
    rows = [_topology(document, key, each) for key, each in document["clusters"].items()]
    note = dim(
        "The largest block is the largest number of free nodes below one network node, of all free nodes of this layer. A small "
        "part means that free nodes are fragmented."
    )
    return section("topology", "Topology and fragmentation", note, table("Topology", head, rows))


def _topology(document: Said, key: str, cluster: Said) -> Row:
    found = cluster["topology"]["found"]
    if found is None:
        return [link(document, key), *[NO_VALUE] * 6, _of(document, cluster, "topology")]
    nodes = [found["nodes"].get(state, 0) for state in ("free", "used", "unhealthy")]
    blocks = "; ".join(f"layer {each['layer']}: {each['largest']} of {each['free']}" for each in found["free"]) or "no free node"
    jobs = f"{found['spread_jobs']} of {found['jobs']}"
    return [link(document, key), *nodes, found["without_data"], jobs, blocks, _of(document, cluster, "topology")]


def quotas(document: Said) -> Html:
    rows = [row for key, each in _on(document, "eks") for row in _quotas(document, key, each)]
    note = dim(
        "The quota of each team, and its use at the end of the latest task_governance, as Kueue reported it. The use includes what "
        "the team borrows from other teams."
    )
    head = ("Cluster", "Team", "Guaranteed", "In use", "Admitted jobs", "Waiting jobs", SOURCE)
    return section("quotas", "Quotas and use", note, _or_none(rows, head))


def _quotas(document: Said, key: str, cluster: Said) -> list[Row]:
    found, origin = cluster["quotas"]["found"], _of(document, cluster, "quotas")
    if found is None:
        return [[link(document, key), *[NO_VALUE] * 5, origin]]
    if not found["teams"]:
        return [[link(document, key), "no team has a quota", *["none"] * 4, origin]]
    return [[link(document, key), each["team"], _guaranteed(each), *_use(each["use"]), origin] for each in found["teams"]]


def _guaranteed(team: Said) -> str:
    parts = [f"{_amount(each['amount'])} {each['unit']} of {each['instance_type']}" for each in team["quota"]]
    return ("disabled: " if team["disabled"] else "") + (", ".join(parts) or "nothing")


def _use(use: Said) -> list[Content]:
    if use["state"] == "read":
        counts = [_amount(use[name]) for name in ("admitted", "pending")]
        return [", ".join(map(_used, _main(use["resources"]))) or "nothing", *counts]
    why = "HyperPod has not created the queue of the team" if use["state"] == "no queue" else f"could not be read: {use['why']}"
    return [unknown(why), NO_VALUE, NO_VALUE]


def _main(resources: t.Sequence[Said]) -> list[Said]:
    """The accelerators, or the CPUs of a team without accelerators."""
    accelerators = [each for each in resources if "/" in each["resource"] and not each["resource"].endswith("/efa")]
    return accelerators or [each for each in resources if each["resource"] == "cpu"]


def _used(resource: Said) -> str:
    borrowed = f" ({_amount(resource['borrowed'])} borrowed)" if resource["borrowed"] else ""
    return f"{_amount(resource['used'])} of {_amount(resource['quota'])} {resource['resource']} in {resource['flavor']}{borrowed}"


def _amount(value: float | None) -> str:
    return NO_VALUE if value is None else f"{value:.15g}"


def cost(document: Said) -> Html:
    rows = [_cost(document, key, each) for key, each in _on(document, "eks")]
    note = dim("The price of Karpenter's nodes for an hour, by the latest karpenter_status.")
    head = ("Cluster", "Nodes", "Price for an hour", "Without a price", "Waiting Pods", SOURCE)
    return section("cost", "Cost of Karpenter's nodes", note, _or_none(rows, head))


def _cost(document: Said, key: str, cluster: Said) -> Row:
    found = cluster["karpenter"]["found"]
    origin = _of(document, cluster, "karpenter")
    if found is None:
        return [link(document, key), *[NO_VALUE] * 4, origin]
    price = NO_VALUE if found["per_hour"] is None else f"{found['per_hour']:.2f} {found['currency']}"
    return [link(document, key), found["nodes"], price, ", ".join(found["without_price"]) or "none", found["waiting_pods"], origin]


def drift(document: Said) -> Html:
    rows = [_result(document, key, each, "drift", "check") for key, each in _on(document, "slurm")]
    note = dim("The latest check of drift. A cluster that differs has the changes that login_access and client_vpn would make.")
    return section("drift", "Drift", note, _or_none(rows, ("Cluster", "Result", "Findings", SOURCE)))


def _result(document: Said, key: str, cluster: Said, verb: str, mode: str) -> Row:
    each = cluster["verbs"].get(verb)
    latest = each[mode] if each else None
    if each is None or latest is None or latest["state"] != FOUND:
        return [link(document, key), unknown(each["why"] if each else "never run"), NO_VALUE, "none"]
    shown = joined(mark(each["state"]), f" {each['why']}, ", count(latest["changes"], "change"))
    found = ", ".join(f"{kind} {many}" for kind, many in latest["findings"].items() if many) or "none"
    return [link(document, key), shown, found, when(latest["started"], document["created"])]


def _on(document: Said, orchestrator: str) -> list[tuple[str, Said]]:
    return [(key, each) for key, each in document["clusters"].items() if each["orchestrator"] == orchestrator]


def _or_none(rows: list[Row], head: t.Sequence[str]) -> Html:
    return table(head[1], head, rows) if rows else element("p", "The report has no such cluster.")


def _of(document: Said, cluster: Said, name: str) -> Html:
    return source(cluster[name], document["created"])
