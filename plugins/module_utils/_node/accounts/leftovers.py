# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Leftovers of a removed account: processes, crontab, at jobs, lingering services, and subordinate UIDs."""

from __future__ import annotations

import dataclasses
import glob
import os
import typing as t

from .. import process_end, processes
from . import subordinate
from .model import Account, Leftovers, User

_NAMED = ("/var/spool/cron/crontabs/{name}", "/var/spool/cron/{name}", "/var/lib/systemd/linger/{name}")
_AT_JOBS = ("/var/spool/cron/atjobs/*", "/var/spool/at/*")


def look(
    users: t.Sequence[User],
    accounts: t.Mapping[str, Account],
    *,
    spare_jobs: bool,
    elsewhere: t.Mapping[int, str],
) -> dict[str, Leftovers]:
    """The leftovers of ``users``, found by the current and former UIDs of their accounts.

    A UID that a different account has now, here or ``elsewhere``, is ignored.
    """
    if not users:
        return {}
    uids = {user.name: _uids(user, accounts, elsewhere) for user in users}
    at_jobs, everybody = _at_jobs(), processes.everything()
    return {
        name: dataclasses.replace(
            _processes(everybody, name, own, spare_jobs=spare_jobs),
            files=tuple(
                [path for path in (form.format(name=name) for form in _NAMED) if os.path.isfile(path)]
                + [path for uid in own for path in at_jobs.get(uid, [])]
            ),
            subordinate=tuple(
                f"/etc/{file}: {line}" for file, found in subordinate.lines(name, own).items() for line in found
            ),
        )
        for name, own in uids.items()
    }


def _uids(user: User, accounts: t.Mapping[str, Account], elsewhere: t.Mapping[int, str]) -> tuple[int, ...]:
    taken = {account.uid for name, account in accounts.items() if name != user.name}
    taken |= {uid for uid, name in elsewhere.items() if name != user.name}
    here = [accounts[user.name].uid] if user.name in accounts else []
    known = [uid for uid in (user.uid, *user.former_uids) if uid is not None]
    return tuple(uid for uid in dict.fromkeys(here + known) if uid not in taken and process_end.is_person(uid))


def _processes(
    everybody: t.Mapping[int, processes.Process], name: str, uids: t.Sequence[int], *, spare_jobs: bool
) -> Leftovers:
    with_some, left, jobs = [], [], []
    for uid in uids:
        contained = subordinate.numbers(name, uid)
        found = processes.of(everybody, uid, contained)
        jobs += [process.pid for process in found if spare_jobs and processes.in_job(process, everybody)]
        shown = [(process.pid, str(process)) for process in found if process.pid not in jobs]
        left += shown
        with_some += [uid] if shown else []
    return Leftovers(
        uids=tuple(with_some),
        processes=tuple(pid for pid, _text in left),
        shown=tuple(text for _pid, text in left),
        jobs=tuple(jobs),
    )


def _at_jobs() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for pattern in _AT_JOBS:
        for path in glob.glob(pattern):
            status = os.lstat(path)
            if not os.path.basename(path).startswith(".") and os.path.isfile(path):
                found.setdefault(status.st_uid, []).append(path)
    return found
