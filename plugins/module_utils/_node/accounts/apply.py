# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Executes the steps of the plan on the node."""

from __future__ import annotations

import contextlib
import os
import typing as t

from ..._core.failure import Failure, Postponed
from ..._core.finding import Finding, pending
from ..._core.plan import Step
from ..._core.text import printable
from .. import child, files, process_end, system
from ..gate import expectation as gate_expectation
from ..lock import account_files_lock
from . import (
    home_removal,
    homes,
    operations,
    operations_home,
    records,
    subordinate,
)
from .model import Account

_GRACE_SECONDS = 5.0
_LIMIT_SECONDS = 15.0
_CACHES = (
    ("/run/nscd/socket", ("nscd", "--invalidate=passwd", "--invalidate=group")),
    ("/var/lib/sss/pipes/nss", ("sss_cache", "-U", "-G")),
)


class Applier:
    """Executes steps. ``pending`` collects findings about what could not be done; the other steps continue."""

    def __init__(self, etc: str = "/etc") -> None:
        self._etc = etc
        self._silent: set[str] = set()
        self._unfinished: set[str] = set()
        """Accounts with remaining processes, and paths that could not be changed. A step ``after`` one of these is postponed."""
        self.pending: list[Finding] = []

    def __call__(self, step: Step) -> None:
        arguments = dict(step.arguments)
        if arguments.pop("after", None) in self._unfinished:
            raise Postponed("an earlier step was postponed")
        getattr(self, "_" + step.operation)(**arguments)

    def _edit_accounts(self, *, edits: t.Sequence[records.Edit]) -> None:
        with account_files_lock(path=f"{self._etc}/.pwd.lock"):
            for file in records.WRITE_ORDER:
                concerned = [edit for edit in edits if edit.file == file]
                if concerned:
                    _rewrite(file, f"{self._etc}/{file}", concerned)
        _forget_caches()

    def _expect_no_more(self, *, names: t.Sequence[str]) -> None:
        gate_expectation.forget(names)

    def _remove_subordinate(self, *, name: str, uids: t.Sequence[int]) -> None:
        with account_files_lock(path=f"{self._etc}/.pwd.lock"):
            subordinate.remove(name, uids, etc=self._etc)

    def _make_keys_dir(self, *, path: str, mode: int, keep: t.Collection[str] | None = None) -> None:
        os.makedirs(path, exist_ok=True)
        os.chown(path, 0, 0)
        os.chmod(path, mode)
        if keep is not None:
            files.set_aside(path, lambda name, _status: name not in keep and not name.startswith("."))

    def _write_file(self, *, path: str, text: str, mode: int) -> None:
        try:
            files.remove_folder(path)
        except OSError as error:
            self._wait_for(path, f"The file {path}", error, code="access-file-waits")
        files.replace_text(path, text, mode=mode, durable=False)

    def _rewrite_as_owner(self, *, account: Account, path: str, text: str) -> None:
        try:
            operations.rewrite_as_owner(account, path, text)
        except child.ChildFailed as error:
            self._wait_for(path, f"The operations key in {path}", error)

    def _restore_operations_home(self, *, account: Account) -> None:
        try:
            operations_home.restore_home(account)
        except (Failure, OSError) as error:
            self._wait_for(account.home, f"The home {account.home} of {account.name}", error)

    def _restore_operations_key(self, *, account: Account, text: str) -> None:
        try:
            operations_home.restore_own_key(account, text)
        except child.ChildFailed as error:
            self._wait_for(account.home, f"The operations key in the home {account.home}", error)

    def _wait_for(self, path: str, what: str, error: Exception, *, code: str = "operations-key-waits") -> t.NoReturn:
        """Report the failure and postpone the step. Each file grants access on its own, so the other steps continue."""
        self.pending.append(pending(code, f"{what} could not be changed: {printable(error)}.", subject=path))
        self._unfinished.add(path)
        raise Postponed(what) from None

    def _remove_file(self, *, path: str) -> None:
        files.remove_entry(path)

    def _end_processes(self, *, name: str, uid: int, spare_jobs: bool) -> None:
        left = process_end.end_processes(
            name, uid, spare_jobs=spare_jobs, grace=_GRACE_SECONDS, limit=_LIMIT_SECONDS
        )
        if left:
            self._unfinished.add(name)
            raise Postponed("processes of the account remain")

    def _remove_home(self, *, path: str) -> None:
        try:
            home_removal.remove(path)
        except (OSError, RecursionError) as error:
            text = f"The home {path} could not be removed completely: {printable(error)}."
            self.pending.append(pending("home-not-removed", text, subject=path))

    def _make_home(self, *, name: str, uid: int, gid: int, groups: t.Sequence[str], home: str, mode: int) -> None:
        storage = os.path.dirname(home)
        reason: str | None = "its file system does not respond"
        if storage not in self._silent:
            identity = child.Identity(name, uid, gid, (gid, *_numbers(groups)))
            try:
                reason = homes.make(home=home, identity=identity, mode=mode)
            except child.Hung:
                self._silent.add(storage)
        if reason is not None:
            self.pending.append(pending("home-waits", f"The home {home} of {name} is not ready: {reason}.", subject=name))


def _rewrite(file: str, path: str, edits: t.Sequence[records.Edit]) -> None:
    """Edit the file. The previous text is kept in a file with the suffix ``-``, as the shadow tools do."""
    before = files.read(path)
    if before is None:
        raise FileNotFoundError(f"{path} does not exist")
    text = records.apply_edits(file, before.text, edits)
    if text == before.text:
        return
    uid, gid, mode = before.uid, before.gid, before.mode
    files.replace_text(f"{path}-", before.text, uid=uid, gid=gid, mode=mode, durable=False)
    files.replace_text(path, text, uid=uid, gid=gid, mode=mode)


def _numbers(groups: t.Sequence[str]) -> tuple[int, ...]:
    state = files.read("/etc/group")
    known = {} if state is None else records.records("group", state.text)
    return tuple(int(known[name]["gid"]) for name in groups if name in known)


def _forget_caches() -> None:
    """Clear the caches of the name service, which may have cached that a name does not exist."""
    for sign, command in _CACHES:
        if os.path.exists(sign):
            with contextlib.suppress(system.CommandFailed):  # the command is not installed, or hangs
                system.run(command, timeout=10, check=False)
