# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report on who has access through the Client VPN, with a row for each certificate. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable

from .forms import NOT_READ, csv_text, json_text, table

SCHEMA = 1
NO_CERTIFICATE, REVOKED = "no certificate", "revoked"
"""States of a user without a certificate, and the beginning of the state of a revoked certificate."""
COLUMNS = ("person", "vpc", "serial", "expires", "state", "declared", "last_connection", "connected")
HEAD = ("PERSON", "VPC", "SERIAL", "EXPIRES", "STATE", "DECLARED", "LAST CONNECTION", "CONNECTED")
Row = dict[str, str]


def of_vpc(
    vpc_id: str,
    *,
    pki: t.Mapping[str, t.Any],
    people: t.Collection[str],
    offboarded: t.Collection[str],
    log: t.Mapping[str, t.Any],
    connected: t.Collection[str],
) -> dict[str, t.Any]:
    """One VPC's part of the report.

    :param pki: the result of M(mlfleet.hyperpod.client_vpn_pki).
    :param people: names that are declared and may have a certificate.
    :param log: connections from the log, keyed by user; empty if there is no log.
    :param connected: names of users with an open connection.
    """
    rows = [_row(each["name"], each["serial"], each["not_after"], each["state"]) for each in pki.get("people") or ()]
    known = {row["serial"] for row in rows}
    entries = (pki.get("crl") or {}).get("entries") or ()
    rows += [
        _row(each["name"], each["serial"], "", f"{REVOKED} {each['date'][:10]}")
        for each in entries
        if each["serial"] not in known
    ]
    rows += [_row(name, "", "", NO_CERTIFICATE) for name in sorted(set(people) - {row["person"] for row in rows})]
    for row in rows:
        row["vpc"] = vpc_id
        row["declared"] = _declared(row["person"], people, offboarded)
        row["last_connection"] = str((log.get(row["person"]) or {}).get("last_connected") or "")
        row["connected"] = "yes" if row["person"] in connected else "no"
    return {"vpc_id": vpc_id, "rows": sorted(rows, key=lambda row: (row["person"], row["state"] != "valid", row["serial"]))}


def to_json(
    parts: t.Iterable[t.Mapping[str, t.Any]],
    *,
    created: str,
    clusters: t.Mapping[str, t.Mapping[str, str]],
    not_read: t.Sequence[str] = (),
) -> str:
    """The report as JSON.

    :param clusters: the ``arn`` and the ``vpc`` of each cluster, keyed by cluster key.
    :param not_read: parts that the inventory could not read; users with access there are missing.
    """
    about = {"schema": SCHEMA, "created": created, "clusters": dict(sorted(clusters.items()))}
    return json_text({**about, "certificates": _rows(parts), "inventory_failures": list(not_read)})


def to_csv(parts: t.Iterable[t.Mapping[str, t.Any]], *, not_read: t.Sequence[str] = ()) -> str:
    """The report as CSV. A failed read has a line without a user."""
    unread = [{"vpc": sentence, "state": NOT_READ} for sentence in not_read]
    return csv_text(COLUMNS, [*_rows(parts), *unread])


def to_table(parts: t.Iterable[t.Mapping[str, t.Any]], *, not_read: t.Sequence[str] = ()) -> list[str]:
    """The report as lines for the screen. Lines about missing data follow the table."""
    lines = table(HEAD, ([_short(name, row[name]) for name in COLUMNS] for row in _rows(parts)))
    return lines + [printable(f"{NOT_READ}: {sentence}") for sentence in not_read]


def _rows(parts: t.Iterable[t.Mapping[str, t.Any]]) -> list[Row]:
    """The rows without duplicates. Clusters in one VPC return the same certificates. A user counts as declared if any of these
    clusters declares the user.
    """
    found: dict[tuple[str, str, str], Row] = {}
    for part in parts:
        for row in part["rows"]:
            known = found.setdefault((row["vpc"], row["person"], row["serial"]), dict(row))
            if row["declared"] == "yes":
                known["declared"] = "yes"
    return sorted(found.values(), key=lambda row: (row["person"], row["vpc"], row["state"] != "valid", row["serial"]))


def _row(person: t.Any, serial: t.Any, expires: t.Any, state: t.Any) -> Row:
    return {"person": str(person), "serial": str(serial), "expires": str(expires), "state": str(state)}


def _declared(person: str, people: t.Collection[str], offboarded: t.Collection[str]) -> str:
    if person in offboarded:
        return "offboarded"
    return "yes" if person in people else "no"


def _short(name: str, value: str) -> str:
    return {"serial": value[:16], "expires": value[:10], "last_connection": value[:16]}.get(name, value)
