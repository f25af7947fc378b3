# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on users who can log in to clusters, as JSON, CSV and a table. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.access import by_person

from .forms import NOT_READ, csv_text, json_text, table

SCHEMA = 1
COLUMNS = (
    "person",
    "cluster",
    "uid",
    "status",
    "source",
    "key_place",
    "key_type",
    "key_fingerprint",
    "key_comment",
    "key_options",
    "key_expires",
    "key_nodes",
    "account_nodes",
    "account_closed_nodes",
    "password_nodes",
    "last_login",
    "last_login_node",
    "last_login_with",
)
HEAD = ("PERSON", "CLUSTER", "UID", "KEY", "EXPIRES", "LAST LOGIN", "DECLARED")
Clusters = t.Mapping[str, t.Any]
"""The parts of the report, keyed by cluster key; empty for a cluster that could not be read."""


def to_json(clusters: Clusters, *, created: str, not_read: t.Sequence[str] = ()) -> str:
    """The report as JSON. ``not_read``: parts that the inventory could not read; users with access there are missing."""
    read = _read(clusters)
    document = {
        "schema": SCHEMA,
        "created": created,
        "people": by_person(read),
        "clusters": {key: {n: v for n, v in one.items() if n != "people"} for key, one in sorted(read.items())},
        "clusters_not_read": sorted(set(clusters) - set(read)),
        "inventory_failures": list(not_read),
    }
    return json_text(document)


def to_csv(clusters: Clusters, *, not_read: t.Sequence[str] = ()) -> str:
    """The report as CSV. Each key and each account without a key has a line; a failed read has a line without a user."""
    missing = [{"cluster": key} for key in sorted(set(clusters) - set(_read(clusters)))]
    unread = [*missing, *({"source": sentence} for sentence in not_read)]
    return csv_text(COLUMNS, [*_rows(clusters), *({**part, "status": NOT_READ} for part in unread)])


def to_table(clusters: Clusters, *, not_read: t.Sequence[str] = ()) -> list[str]:
    """The report as lines for the screen. Lines about missing data follow the table."""
    lines = table(HEAD, map(_shown, _rows(clusters)))
    read = _read(clusters)
    notes = [f"{NOT_READ}: {sentence}" for sentence in not_read]
    notes += [f"{key}: {NOT_READ}" for key in sorted(set(clusters) - set(read))]
    for key, one in sorted(read.items()):
        notes += [f"{key}: {iid} could not be read" for iid in one["nodes_not_read"]]
        notes += [f"{key}: {sentence}" for sentence in one["unread"]]
    return lines + [printable(line) for line in notes]


def _rows(clusters: Clusters) -> list[dict[str, str]]:
    return [
        _row(person["name"], each, key)
        for person in by_person(_read(clusters))
        for each in person["clusters"]
        for key in each["keys"] or [None]
    ]


def _row(name: str, each: t.Mapping[str, t.Any], key: t.Mapping[str, t.Any] | None) -> dict[str, str]:
    login = each["last_login"] or {}
    key = key or {}
    return {
        "person": name,
        "cluster": each["cluster"],
        "uid": "/".join(map(str, each["uids"])),
        "status": each["status"],
        "source": each["source"],
        "key_place": key.get("place", ""),
        "key_type": key.get("type", ""),
        "key_fingerprint": key.get("fingerprint", ""),
        "key_comment": key.get("comment", ""),
        "key_options": key.get("options", ""),
        "key_expires": key.get("expires") or "",
        "key_nodes": " ".join(key.get("nodes", ())),
        "account_nodes": " ".join(each["nodes"]),
        "account_closed_nodes": " ".join(each["closed_on"]),
        "password_nodes": " ".join(each["password_on"]),
        "last_login": login.get("time", ""),
        "last_login_node": login.get("node", ""),
        "last_login_with": login.get("fingerprint") or login.get("method", ""),
    }


def _shown(row: t.Mapping[str, str]) -> tuple[str, ...]:
    place = " (home)" if row["key_place"] == "home" else ""
    key = f"{row['key_fingerprint']}{place}" if row["key_fingerprint"] else _without_key(row)
    login = f"{row['last_login'][:16]} {row['last_login_node']}" if row["last_login"] else "none known"
    source = row["status"] if row["status"] in ("not declared", "operations") else row["source"]
    return (row["person"], row["cluster"], row["uid"], key, row["key_expires"][:10], login, source)


def _without_key(row: t.Mapping[str, str]) -> str:
    if row["password_nodes"]:
        return "password"
    return "no key" if row["account_nodes"] else "no account"


def _read(clusters: Clusters) -> dict[str, t.Mapping[str, t.Any]]:
    return {key: one for key, one in clusters.items() if one}
