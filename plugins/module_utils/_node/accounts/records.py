# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Parses passwd, group, shadow and gshadow, and applies edits to their text.

An edit names a record and the columns to set. It can therefore be applied after the lock is acquired, even if the files
changed since they were observed. All other lines stay identical.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.text import lines_of

COLUMNS: dict[str, tuple[str, ...]] = {
    "passwd": ("name", "password", "uid", "gid", "comment", "home", "shell"),
    "group": ("name", "password", "gid", "members"),
    "shadow": ("name", "password", "changed", "min", "max", "warn", "inactive", "expire", "reserved"),
    "gshadow": ("name", "password", "administrators", "members"),
}
_NEW: dict[str, dict[str, str]] = {
    "passwd": {"password": "x"},
    "group": {"password": "x"},
    "shadow": {"password": "*", "min": "0", "max": "99999", "warn": "7"},
    "gshadow": {"password": "!"},
}
WRITE_ORDER = ("gshadow", "group", "shadow", "passwd")
"""Order of writes: a record that makes an account or group visible is added after its dependencies, and removed last."""


@dataclass(frozen=True)
class Edit:
    file: str
    name: str
    values: t.Mapping[str, str] | None = None
    """The columns to set. A missing record is added. None removes the record."""
    add_members: tuple[str, ...] = ()
    remove_members: tuple[str, ...] = ()

    def members(self, before: t.Iterable[str]) -> tuple[str, ...]:
        kept = [member for member in before if member not in self.remove_members]
        return (*kept, *(member for member in self.add_members if member not in kept))


Records = t.Mapping[str, t.Mapping[str, str]]
"""Columns, keyed by the name of the account or group."""


def records(file: str, text: str) -> dict[str, dict[str, str]]:
    """The records in ``text``, keyed by name. Comments and NIS lines are not records."""
    columns = COLUMNS[file]
    found: dict[str, dict[str, str]] = {}
    for line in lines_of(text):
        if _name(line) is not None:
            values = line.split(":")
            found.setdefault(values[0], dict(zip(columns, values + [""] * (len(columns) - len(values)))))
    return found


def apply_edits(file: str, text: str, edits: t.Iterable[Edit]) -> str:
    """The text of ``file`` after the edits that belong to this file."""
    current = records(file, text)
    wanted: dict[str, dict[str, str] | None] = dict(current)
    for edit in edits:
        if edit.file == file:
            wanted[edit.name] = _edited(wanted.get(edit.name), edit)
    lines = [line for line in lines_of(text) if _name(line) is None or wanted[t.cast(str, _name(line))] is not None]
    lines = [_line(file, line, current, wanted) for line in lines]
    lines += [_join(file, record) for name, record in wanted.items() if record is not None and name not in current]
    return "".join(f"{line}\n" for line in lines)


def password_kind(password: str) -> str:
    """The kind of a password: ``none``, ``locked``, ``empty`` or ``hash``."""
    if password == "*":
        return "none"
    if password.strip("!*") == "":
        return "locked" if password else "empty"
    return "hash"


def _edited(record: dict[str, str] | None, edit: Edit) -> dict[str, str] | None:
    if edit.values is None:
        return None
    result = {"name": edit.name, **_NEW[edit.file]} if record is None else dict(record)
    result.update(edit.values)
    if edit.add_members or edit.remove_members:
        result["members"] = ",".join(edit.members(member for member in result.get("members", "").split(",") if member))
    return result


def _line(
    file: str, line: str, current: t.Mapping[str, dict[str, str]], wanted: t.Mapping[str, dict[str, str] | None]
) -> str:
    name = _name(line)
    record = None if name is None else wanted[name]
    return line if record is None or record == current[t.cast(str, name)] else _join(file, record)


def _join(file: str, record: t.Mapping[str, str]) -> str:
    return ":".join(record.get(column, "") for column in COLUMNS[file])


def _name(line: str) -> str | None:
    name, colon, _rest = line.partition(":")
    return name if colon and name and name[0] not in "#+-" else None
