# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Former operations accounts: their key and sudo rule are removed once a different account is used.

The accounts are found by the mark after the key, which ``node_access`` writes. The account itself stays, and so do other lines of
the files, unless other accounts could have written them.
"""

from __future__ import annotations

import dataclasses
import os
import typing as t

from ..._core.plan import Change, Step
from ..._core.text import lines_of, printable
from .. import child, files
from .model import SUDOERS_FOLDER, Account, EarlierOperations, State

MARK = "mlfleet-hyperpod-operations"
NOT_KEPT = "lines that other accounts could have written are not kept"
_MOST_LINES, _LONGEST_LINE = 20, 200
_HOME_SECONDS = 10.0


def look(folder: str, accounts: t.Mapping[str, Account], *, spare: str) -> tuple[EarlierOperations, ...]:
    """Accounts other than ``spare`` that have our key in ``folder``."""
    found = []
    above = files.look(folder)
    for name in sorted((set(os.listdir(folder)) & set(accounts)) - {spare}) if os.path.isdir(folder) else ():
        path, sudoers = f"{folder}/{name}", f"{SUDOERS_FOLDER}/{name}"
        here = files.look(path)
        if here is not None and _has_ours(here.text):
            rule = sudoers if _text(sudoers) == f"{name} ALL=(ALL:ALL) NOPASSWD: ALL\n" else None
            trusted = above is not None and above.only_written_by(0) and here.only_written_by(0)
            text, lost = (_without_ours(here.text), ()) if trusted else ("", foreign_lines(here.text))
            found.append(EarlierOperations(accounts[name], rule, _own(accounts[name]), (path, text), lost))
    return tuple(found)


def steps(earlier: t.Iterable[EarlierOperations]) -> list[Step]:
    """The managed file is removed last. If this run fails or is interrupted, the next run finds the account by this file."""
    found = []
    for each in earlier:
        name = each.account.name
        key = Change("delete", f"operations key of {name}", None, "(our key)", None)
        if each.sudoers is not None:
            change = Change("delete", f"sudo rule of {name}", None, each.sudoers, None)
            found.append(Step("remove_file", {"path": each.sudoers}, (change,)))
        if each.own is not None:
            path, text = each.own
            found.append(Step("rewrite_as_owner", {"account": each.account, "path": path, "text": text}, (key,)))
        path, text = each.managed
        keys = (key, *not_kept(key.resource, each.not_kept))
        last = {"path": path, "after": each.own[0] if each.own is not None else None}
        if text:
            arguments = {**last, "text": text, "mode": 0o644}
            found.append(Step("write_file", arguments, keys, effect=_forgotten(name)))
        else:
            found.append(Step("remove_file", last, keys, effect=_forgotten(name)))
    return found


def _forgotten(name: str) -> t.Callable[[State], State]:
    def effect(state: State) -> State:
        left = tuple(each for each in state.earlier_operations if each.account.name != name)
        return dataclasses.replace(state, earlier_operations=left)

    return effect


def rewrite_as_owner(account: Account, path: str, text: str) -> None:
    """Write ``text`` to the account's file.

    :raises child.ChildFailed: if this fails; the file is then unchanged.
    """

    def rewrite() -> None:
        status = os.lstat(path)
        files.replace_text(path, text, uid=status.st_uid, gid=status.st_gid, mode=status.st_mode & 0o777, durable=False)

    try:
        child.run(rewrite, timeout=_HOME_SECONDS, identity=_identity(account))
    except child.Hung:
        raise child.ChildFailed(f"{path}: its file system does not respond") from None


def _own(account: Account) -> tuple[str, str] | None:
    path = f"{account.home}/.ssh/authorized_keys"

    def read() -> str | None:
        state = files.read(path)
        return None if state is None else state.text

    try:
        text = child.run(read, timeout=_HOME_SECONDS, identity=_identity(account))
    except (child.Hung, child.ChildFailed):
        return None
    return (path, _without_ours(text)) if text is not None and _has_ours(text) else None


def _text(path: str) -> str:
    """The text of the file; empty if there is no plain file."""
    state = files.look(path)
    return "" if state is None else state.text


def is_marked(words: str) -> bool:
    """Whether a key's comment, or a key's line, ends with the mark that ``node_access`` writes."""
    return f" {words}".endswith(f" {MARK}")


def with_key(text: str, key: str) -> str:
    """The text with our key as its only marked line. If a change is necessary, this line moves to the end. Other lines stay."""
    ours = f"{key} {MARK}"
    lines = lines_of(text)
    if lines.count(ours) == len([line for line in lines if is_marked(line)]) == 1:
        return text
    return "".join(f"{line}\n" for line in [*(line for line in lines if line and not is_marked(line)), ours])


def foreign_lines(text: str) -> tuple[str, ...]:
    """The lines without our mark, printable."""
    found = [printable(line)[:_LONGEST_LINE] for line in lines_of(text) if line.strip() and not is_marked(line)]
    more = len(found) - _MOST_LINES
    return (*found[:_MOST_LINES], *([f"and {more} more"] if more > 0 else []))


def not_kept(resource: str, lines: t.Sequence[str]) -> tuple[Change, ...]:
    """A change that shows lost lines. sshd ignores a file that others can write to, and would accept its lines in the new file."""
    return (Change("delete", resource, NOT_KEPT, list(lines), None),) if lines else ()


def _has_ours(text: str) -> bool:
    return any(is_marked(line) for line in lines_of(text))


def _without_ours(text: str) -> str:
    return "".join(f"{line}\n" for line in lines_of(text) if not is_marked(line))


def _identity(account: Account) -> child.Identity:
    return child.Identity(account.name, account.uid, account.gid)
