# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where login nodes present their host keys, what each is to present there, and what was seen. Pure."""

from __future__ import annotations

import typing as t


def login_endpoints(nodes: t.Iterable[t.Mapping[str, t.Any]], port: int = 22) -> list[dict[str, t.Any]]:
    """The Running login nodes with a known address, named by their instance ids."""
    return [
        {"name": node["instance_id"], "host": node["ip"], "port": int(port)}
        for node in nodes
        if node.get("node_type") == "login" and node.get("ip") and node.get("status") == "Running"
    ]


def identified_endpoints(
    endpoints: t.Iterable[t.Mapping[str, t.Any]], identities: t.Mapping[str, t.Mapping[str, t.Any]]
) -> list[dict[str, t.Any]]:
    """The endpoints whose own keys and certificates are known, with them."""
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
    """The endpoints that could not be looked at."""
    missed = {(each["name"], each["port"]) for each in seen if each["verdict"] == "unverified"}
    return [endpoint for endpoint in endpoints if (endpoint["name"], endpoint["port"]) in missed]


def endpoint_verdicts(
    here: t.Iterable[t.Mapping[str, t.Any]], from_nodes: t.Iterable[t.Any] = ()
) -> dict[str, t.Any]:
    """Nodes of which every endpoint agrees, and endpoints that differ.

    What login nodes report counts for an endpoint that was not seen from here, and for no other. It agrees where one of them
    says so: a node that lies keeps no other node out of service.
    """
    verdicts = {(each["name"], each["port"]): each["verdict"] for each in here}
    unseen = {endpoint for endpoint, verdict in verdicts.items() if verdict == "unverified"}
    for node in from_nodes:
        for endpoint, verdict in _told_by(node):
            if endpoint in unseen and verdicts[endpoint] != "agrees":
                verdicts[endpoint] = verdict
    doubtful = {name for (name, _port), verdict in verdicts.items() if verdict != "agrees"}
    return {
        "agree": sorted({name for name, _port in verdicts} - doubtful),
        "differ": [
            {"name": name, "port": port} for (name, port), verdict in sorted(verdicts.items()) if verdict == "differs"
        ],
    }


def _told_by(node: t.Iterable[t.Any]) -> t.Iterator[tuple[tuple[str, int], str]]:
    """What has the form of a verdict; a stranger may say anything."""
    for each in node if isinstance(node, (list, tuple)) else ():
        told = each if isinstance(each, t.Mapping) else {}
        name, port, verdict = (told.get(key) for key in ("name", "port", "verdict"))
        if isinstance(name, str) and isinstance(port, int) and verdict in ("agrees", "differs"):
            yield (name, port), verdict


def alike_identities(identities: t.Mapping[str, t.Mapping[str, t.Any]]) -> list[str]:
    """The nodes that have a host key which another one has, too."""
    owners: dict[str, list[str]] = {}
    for name, identity in identities.items():
        for key in identity["host_keys"]:
            owners.setdefault(key, []).append(name)
    return sorted({name for names in owners.values() if len(names) > 1 for name in names})
