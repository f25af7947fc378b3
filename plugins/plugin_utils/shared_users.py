# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The user files of HyperPod's lifecycle scripts: ``shared_users.txt`` (NAME,UID,HOME) and its YAML form."""

from __future__ import annotations

import os
import re
import typing as t
from dataclasses import dataclass

import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import not_allowed, refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import lines_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.yaml_text import (
    LARGEST_LIST,
    AsWritten,
    NotYaml,
    document,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accounts.model import IMAGE_ACCOUNTS

LINE_ALLOWED = "NAME,UID or NAME,UID,HOME"
FORM_ALLOWED = "a list named users, or a list named groups whose entries have a list named users"
ENTRY_ALLOWED = "a username and a whole number as uid"


PROTECTED = ("root", *IMAGE_ACCOUNTS)
PEOPLE_ALLOWED = f"names of users, not {', '.join(PROTECTED)}"


class BadUsersFile(Exception):
    """The file is no list of users, or can't be read. The message is a sentence."""


@dataclass(frozen=True)
class Listed:
    """A user in a file. ``home`` may be None, because the file need not set the home."""

    name: str
    uid: int
    home: str | None
    source: str
    """The file and line of the entry, for messages."""

    def user(self) -> dict[str, t.Any]:
        """The user as an entry of ``hyperpod_users``."""
        entry: dict[str, t.Any] = {"name": self.name, "uid": self.uid, "source": self.source}
        return entry if self.home is None else {**entry, "home": self.home}


def read(path: str) -> list[Listed]:
    """The users in a file.

    :raises BadUsersFile: for a file that is missing or has a wrong form.
    """
    path = os.path.expanduser(path)
    try:
        with open(path, encoding="utf-8") as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise BadUsersFile(f"hyperpod_users_files: {path} can't be read: {reason}.") from None
    listed = parse_yaml(text, path) if path.endswith((".yaml", ".yml")) else parse_text(text, path)
    for each in listed:
        if each.name in PROTECTED:
            raise BadUsersFile(not_allowed(each.source, each.name, PEOPLE_ALLOWED))
    return listed


def parse_text(text: str, path: str) -> list[Listed]:
    found = []
    for number, line in enumerate(lines_of(text), start=1):
        content = line.partition("#")[0].strip()
        if not content:
            continue
        fields = [field.strip() for field in content.split(",")]
        if len(fields) not in (2, 3) or not fields[0] or not re.fullmatch(r"[0-9]{1,10}", fields[1]):
            raise BadUsersFile(not_allowed(f"{path} line {number}", line.strip(), LINE_ALLOWED))
        home = fields[2] if len(fields) == 3 and fields[2] else None
        found.append(Listed(fields[0], int(fields[1]), home, f"{path} line {number}"))
    return found


def parse_yaml(text: str, path: str) -> list[Listed]:
    try:
        content = document(text, largest=LARGEST_LIST, loader=_Numbered, unique=True)
    except NotYaml as error:
        raise BadUsersFile(f"{path}: {error}.") from None
    if content is None:
        return []
    if not isinstance(content, dict):
        raise BadUsersFile(refusal_text(path, "a file without users or groups", FORM_ALLOWED))
    if "users" in content and "groups" in content:
        raise BadUsersFile(refusal_text(path, "users and groups together", FORM_ALLOWED))
    found = []
    for group in [content] if "users" in content else _list(content.get("groups"), path):
        if not isinstance(group, dict):
            raise BadUsersFile(not_allowed(path, group, FORM_ALLOWED))
        mount = group.get("shared_filesystem_mount") or content.get("shared_filesystem_mount")
        found += [_entry(each, mount, path) for each in _list(group.get("users"), path)]
    return found


def _list(value: t.Any, path: str) -> list[t.Any]:
    if value is not None and not isinstance(value, list):
        raise BadUsersFile(not_allowed(path, value, FORM_ALLOWED))
    return value or []


def _entry(entry: t.Any, mount: t.Any, path: str) -> Listed:
    name, uid = (entry.get("username"), entry.get("uid")) if isinstance(entry, dict) else (None, None)
    source = f"{path} line {entry[_LINE]}" if isinstance(entry, dict) else path
    if not isinstance(name, str) or not isinstance(uid, int) or isinstance(uid, bool):
        shown = {key: value for key, value in entry.items() if key != _LINE} if isinstance(entry, dict) else entry
        raise BadUsersFile(not_allowed(source, shown, ENTRY_ALLOWED))
    return Listed(name, uid, f"{str(mount).rstrip('/')}/{name}" if mount else None, source)


_LINE = "__line__"


class _Numbered(AsWritten, yaml.SafeLoader):
    """A YAML loader that adds to each mapping the number of the line on which the mapping begins."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[t.Any, t.Any]:
        return {**super().construct_mapping(node, deep=deep), _LINE: node.start_mark.line + 1}


def _mapping(loader: _Numbered, node: yaml.MappingNode) -> dict[t.Any, t.Any]:
    return loader.construct_mapping(node, deep=True)


_Numbered.add_constructor("tag:yaml.org,2002:map", _mapping)
