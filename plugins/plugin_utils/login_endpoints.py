# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Endpoints: addresses and ports of login nodes, with the host keys that are expected and that were seen there. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass, field

AGREES, DIFFERS, DISPUTED, UNVERIFIED = "agrees", "differs", "disputed", "unverified"


def login_endpoints(nodes: t.Iterable[t.Mapping[str, t.Any]], port: int = 22) -> list[dict[str, t.Any]]:
    """The endpoints of login nodes that are Running and have a known address. Their names are the instance IDs."""
    return [
        {"name": node["instance_id"], "host": node["ip"], "port": int(port)}
        for node in nodes
        if node.get("node_type") == "login" and node.get("ip") and node.get("status") == "Running"
    ]


def identified_endpoints(
    endpoints: t.Iterable[t.Mapping[str, t.Any]], identities: t.Mapping[str, t.Mapping[str, t.Any]]
) -> list[dict[str, t.Any]]:
    """The endpoints whose host keys and certificates are known, with these keys and certificates."""
    return [
        {
            **endpoint,
            "host_keys": list(identities[endpoint["name"]]["host_keys"]),
            "certificates": list(identities[endpoint["name"]]["certificates"].values()),
        }
        for endpoint in endpoints
        if endpoint["name"] in identities
    ]


def unseen_endpoints(
    endpoints: t.Iterable[t.Mapping[str, t.Any]], seen: t.Iterable[t.Mapping[str, t.Any]]
) -> list[t.Mapping[str, t.Any]]:
    """The endpoints whose host keys could not be seen."""
    missed = {(each["name"], each["port"]) for each in seen if each["verdict"] == UNVERIFIED}
    return [endpoint for endpoint in endpoints if (endpoint["name"], endpoint["port"]) in missed]


@dataclass(frozen=True)
class Dispute:
    """An endpoint for which nodes report contradictory verdicts."""

    name: str
    port: int
    agree: list[str]
    """Nodes that saw the expected host keys at the endpoint."""
    differ: list[str]
    """Nodes that saw different host keys at the endpoint."""


@dataclass(frozen=True)
class EndpointVerdicts:
    """``agree`` has the nodes whose endpoints all present the expected host keys; the other fields have endpoints."""

    agree: list[str]
    differ: list[tuple[str, int]]
    disputed: list[Dispute]
    unverified: list[tuple[str, int]]


def endpoint_verdicts(
    here: t.Iterable[t.Mapping[str, t.Any]], from_nodes: t.Iterable[tuple[str, t.Any]] = ()
) -> EndpointVerdicts:
    """Combine the verdicts of the control node with the reports of nodes.

    A report counts only for endpoints that the control node could not see, and never for the reporting node itself.

    :param here: the verdicts of the control node.
    :param from_nodes: pairs of a reporting node's name and its answer.
    """
    verdicts = {(each["name"], each["port"]): each["verdict"] for each in here}
    reports = {endpoint: _Reports() for endpoint, verdict in verdicts.items() if verdict == UNVERIFIED}
    for node, answer in from_nodes:
        for endpoint, verdict in _verdicts_of(answer):
            if endpoint in reports and endpoint[0] != node:
                reports[endpoint].by[verdict].add(node)
    verdicts.update({endpoint: found.verdict for endpoint, found in reports.items()})
    doubtful = {name for (name, _port), verdict in verdicts.items() if verdict != AGREES}
    disputed = [endpoint for endpoint, verdict in sorted(verdicts.items()) if verdict == DISPUTED]
    return EndpointVerdicts(
        agree=sorted({name for name, _port in verdicts} - doubtful),
        differ=[endpoint for endpoint, verdict in sorted(verdicts.items()) if verdict == DIFFERS],
        disputed=[Dispute(*each, *(sorted(reports[each].by[verdict]) for verdict in (AGREES, DIFFERS))) for each in disputed],
        unverified=[endpoint for endpoint, verdict in sorted(verdicts.items()) if verdict == UNVERIFIED],
    )


@dataclass(frozen=True)
class _Reports:
    """The reports of other nodes about one endpoint."""

    by: dict[str, set[str]] = field(default_factory=lambda: {AGREES: set(), DIFFERS: set()})
    """The reporting nodes, keyed by their verdict."""

    @property
    def verdict(self) -> str:
        found = [verdict for verdict, nodes in self.by.items() if nodes]
        return DISPUTED if len(found) > 1 else next(iter(found), UNVERIFIED)


def _verdicts_of(node: t.Iterable[t.Any]) -> t.Iterator[tuple[tuple[str, int], str]]:
    """The entries of an untrusted answer that have the form of a verdict."""
    for each in node if isinstance(node, (list, tuple)) else ():
        row = each if isinstance(each, t.Mapping) else {}
        name, port, verdict = (row.get(key) for key in ("name", "port", "verdict"))
        if isinstance(name, str) and isinstance(port, int) and verdict in (AGREES, DIFFERS):
            yield (name, port), verdict


def alike_identities(identities: t.Mapping[str, t.Mapping[str, t.Any]]) -> list[str]:
    """The nodes that have the same host key as another node."""
    owners: dict[str, list[str]] = {}
    for name, identity in identities.items():
        for key in identity["host_keys"]:
            owners.setdefault(key, []).append(name)
    return sorted({name for names in owners.values() if len(names) > 1 for name in names})
