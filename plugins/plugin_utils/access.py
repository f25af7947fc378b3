# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The users who can log in to clusters: accounts that nodes report, compared with declarations and records. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declared_people

DECLARED, ABSENT, OFFBOARDED, OPERATIONS, UNDECLARED = (
    "declared",
    "declared absent",
    "offboarded",
    "operations",
    "not declared",
)
Row = dict[str, t.Any]


def of_cluster(
    nodes: t.Mapping[str, t.Any],
    *,
    users: t.Sequence[t.Mapping[str, t.Any]],
    files: t.Sequence[str],
    offboarded: t.Mapping[str, t.Mapping[str, t.Any]],
    operations_user: str,
) -> dict[str, t.Any]:
    """One cluster's part of the report. ``nodes``: the nodes' answers, keyed by instance ID; empty for a node that was not read."""
    read = {iid: said for iid, said in nodes.items() if said}
    declared = {str(user["name"]): user for user in declared_people.declared(users, files)}
    sources = declared_people.source_of(users, files)
    found = {account["name"] for said in read.values() for account in said["accounts"]}
    people = []
    for name in sorted(found | {name for name, user in declared.items() if not _absent(user)}):
        status = _status(name, declared, offboarded, operations_user)
        person = _person(name, read)
        if not person["uids"] and name in declared and declared[name].get("uid") is not None:
            person["uids"] = [int(declared[name]["uid"])]
        people.append({**person, "status": status, "source": _source(name, status, sources, offboarded)})
    return {
        "people": people,
        "nodes_read": sorted(read),
        "nodes_not_read": sorted(set(nodes) - set(read)),
        "logins_known_since": {iid: said["history_since"] for iid, said in sorted(read.items())},
        "unread": [f"{iid}: {sentence}" for iid, said in sorted(read.items()) for sentence in said["unread"]],
    }


def by_person(clusters: t.Mapping[str, t.Mapping[str, t.Any]]) -> list[dict[str, t.Any]]:
    """The users of all clusters. Each user is listed once, with the clusters."""
    people: dict[str, list[dict[str, t.Any]]] = {}
    for key, cluster in sorted(clusters.items()):
        for person in cluster["people"]:
            rest = {name: value for name, value in person.items() if name != "name"}
            people.setdefault(str(person["name"]), []).append({"cluster": key, **rest})
    return [{"name": name, "clusters": found} for name, found in sorted(people.items())]


def _person(name: str, read: t.Mapping[str, t.Mapping[str, t.Any]]) -> dict[str, t.Any]:
    accounts = {
        iid: account for iid, said in sorted(read.items()) for account in said["accounts"] if account["name"] == name
    }
    return {
        "name": name,
        "uids": sorted({int(account["uid"]) for account in accounts.values()}),
        "nodes": list(accounts),
        "closed_on": [iid for iid, account in accounts.items() if account["closed"]],
        "password_on": [iid for iid, account in accounts.items() if account["password_login"]],
        "keys": _keys(accounts),
        "last_login": _last_login(accounts),
    }


def _keys(accounts: t.Mapping[str, t.Mapping[str, t.Any]]) -> list[Row]:
    """The keys, each listed once with its options and the nodes that have the key."""
    found: dict[tuple[t.Any, ...], Row] = {}
    for iid, account in accounts.items():
        for key in account["authorized_keys"]:
            shown = {name: key[name] for name in ("type", "fingerprint", "comment", "options", "expires", "place")}
            row = found.setdefault(tuple(shown.values()), {**shown, "nodes": []})
            if iid not in row["nodes"]:
                row["nodes"].append(iid)
    return sorted(found.values(), key=lambda row: (row["place"] != "managed", row["fingerprint"]))


def _last_login(accounts: t.Mapping[str, t.Mapping[str, t.Any]]) -> Row | None:
    logins = [
        {**account["last_login"], "node": iid} for iid, account in accounts.items() if account["last_login"] is not None
    ]
    return max(logins, key=lambda login: login["time"], default=None)


def _status(
    name: str,
    declared: t.Mapping[str, t.Mapping[str, t.Any]],
    offboarded: t.Mapping[str, t.Any],
    operations_user: str,
) -> str:
    if name == operations_user:
        return OPERATIONS
    if name in offboarded:
        return OFFBOARDED
    if name in declared:
        return ABSENT if _absent(declared[name]) else DECLARED
    return UNDECLARED


def _source(
    name: str, status: str, sources: t.Mapping[str, str], offboarded: t.Mapping[str, t.Mapping[str, t.Any]]
) -> str:
    declared = sources.get(name, "")
    if status == OFFBOARDED:
        record = offboarded[name]
        gone = f"offboarded {str(record.get('since'))[:10]} by {record.get('owner')}"
        return f"{gone}, still declared in {declared}" if declared else gone
    return {OPERATIONS: "the account of these playbooks", UNDECLARED: ""}.get(status, declared)


def _absent(user: t.Mapping[str, t.Any]) -> bool:
    return user.get("state", "present") == "absent"
