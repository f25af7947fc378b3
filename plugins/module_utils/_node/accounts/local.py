# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The accounts and groups in the node's local files."""

from __future__ import annotations

from .. import files
from .model import Account, LocalGroup
from .records import Records, password_kind, records


def local_accounts() -> dict[str, Account]:
    return accounts_in(_records("passwd"), _records("shadow"))


def local_groups() -> dict[str, LocalGroup]:
    return groups_in(_records("group"))


def accounts_in(passwd: Records, shadow: Records) -> dict[str, Account]:
    return {
        name: Account(
            name=name,
            uid=int(record["uid"]),
            gid=int(record["gid"]),
            comment=record["comment"],
            home=record["home"],
            shell=record["shell"],
            password=password_kind(shadow[name]["password"]) if name in shadow else "missing",
            expires=shadow.get(name, {}).get("expire", ""),
        )
        for name, record in passwd.items()
        if record["uid"].isdigit() and record["gid"].isdigit()
    }


def groups_in(group: Records) -> dict[str, LocalGroup]:
    return {
        name: LocalGroup(name, int(record["gid"]), tuple(member for member in record["members"].split(",") if member))
        for name, record in group.items()
        if record["gid"].isdigit()
    }


def _records(file: str) -> Records:
    state = files.read(f"/etc/{file}")
    return {} if state is None else records(file, state.text)
