# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Subordinate UIDs and GIDs: the IDs for a user's containers. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import pwd
import typing as t

from ..._core.text import lines_of
from .. import child, files

FILES = ("subuid", "subgid")
_SECONDS = 20.0


class Numbers:
    """The UIDs for a user's containers, without UIDs that the name service or other users have."""

    def __init__(self, own: t.Sequence[range], others: t.Sequence[range] = ()) -> None:
        self._own, self._others = own, others
        self._known: dict[int, bool] = {}

    def __contains__(self, uid: object) -> bool:
        own = isinstance(uid, int) and any(uid in each for each in self._own)
        return own and not any(uid in each for each in self._others) and not self._is_account(t.cast(int, uid))

    def _is_account(self, uid: int) -> bool:
        if uid not in self._known:
            try:
                self._known[uid] = child.run(lambda: _named(uid), timeout=_SECONDS)
            except (child.Hung, child.ChildFailed):
                self._known[uid] = True
        return self._known[uid]


def numbers(name: str, uid: int, *, etc: str = "/etc") -> Numbers:
    own: list[range] = []
    others: list[range] = []
    for line in lines_of(_text(f"{etc}/subuid")):
        _owner, first, count = ([*line.split(":"), "", ""])[:3]
        if first.isdigit() and count.isdigit():
            mine = is_of(line, name, {uid})
            (own if mine else others).append(range(max(int(first), 1000), int(first) + int(count)))
    return Numbers(own, others)


def lines(name: str, uids: t.Container[int], *, etc: str = "/etc") -> dict[str, list[str]]:
    """The user's lines, keyed by file."""
    found = {file: [line for line in lines_of(_text(f"{etc}/{file}")) if is_of(line, name, uids)] for file in FILES}
    return {file: listed for file, listed in found.items() if listed}


def remove(name: str, uids: t.Container[int], *, etc: str = "/etc") -> None:
    for file in lines(name, uids, etc=etc):
        path = f"{etc}/{file}"
        state = files.read(path)
        if state is not None:
            kept = [line for line in lines_of(state.text) if not is_of(line, name, uids)]
            text = "".join(f"{line}\n" for line in kept)
            files.replace_text(path, text, uid=state.uid, gid=state.gid, mode=state.mode)


def is_of(line: str, name: str, uids: t.Container[int]) -> bool:
    """Whether a line of /etc/subuid or /etc/subgid belongs to the user. Such a line may begin with the UID."""
    owner, colon, _rest = line.partition(":")
    return bool(colon) and (owner == name or (owner.isdigit() and int(owner) in uids))


def _text(path: str) -> str:
    state = files.read(path)
    return "" if state is None else state.text


def _named(uid: int) -> bool:
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return False
    return True
