# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads pending and running jobs, and the user in accounting, with Slurm's commands. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import contextlib
import pwd
import re
from dataclasses import replace

from ...._core.finding import Finding, pending
from ...._core.text import lines_of, printable
from ...system import CommandFailed, run
from .model import JOB_ID, Desired, Job, State

# Slurm finds a user's jobs by name only while the name service knows the user, so all jobs are listed and filtered by UID. Names
# of jobs can contain line breaks and bars. They are read separately, and only for the user's own jobs.
_SQUEUE = ("squeue", "--noheader", "--format=%U|%i|%T|%P|%N")
_NAMES = ("squeue", "--noheader", "--format=%i|%j")
_NAMED_AT_ONCE = 8000
"""Maximum number of jobs per query. Linux limits an argument to 128 KiB."""


def observe(desired: Desired) -> State:
    unread = []
    named: tuple[Job, ...] = ()
    accounting = "unknown"
    accounts: tuple[str, ...] = ()
    try:
        found, other = jobs(desired)
        named = _with_names(found)
        unread += [_jobs_unknown(desired, f"squeue returned {printable(line)!r}.") for line in other[:1]]
    except CommandFailed as error:
        unread.append(_jobs_unknown(desired, str(error)))
    try:
        accounting, accounts = _accounting(desired.name)
    except CommandFailed as error:
        text = f"The Slurm account of {desired.name} is unknown: {error}"
        unread.append(pending("slurm-account-unknown", text, subject=desired.name))
    return State(named, accounting, accounts, tuple(unread))


def _jobs_unknown(desired: Desired, why: str) -> Finding:
    return pending("jobs-unknown", f"The jobs of {desired.name} are unknown: {why}", subject=desired.name)


def parse_jobs(text: str, uid: int) -> tuple[tuple[Job, ...], list[str]]:
    """The jobs of ``uid``, without names, and the lines with this UID that cannot be parsed."""
    found, other = [], []
    for line in lines_of(text):
        fields = [printable(field) for field in line.strip().split("|")]
        if fields[0] != str(uid):
            continue
        if len(fields) == 5 and JOB_ID.fullmatch(fields[1]):
            found.append(Job(*fields[1:]))
        else:
            other.append(line)
    return tuple(found), other


def parse_names(text: str) -> dict[str, str]:
    """Names, keyed by job, from lines JOB|NAME. The part of a name after a line break is omitted."""
    names: dict[str, str] = {}
    for line in lines_of(text):
        job, separator, name = line.partition("|")
        if separator:
            names.setdefault(job.strip(), printable(name))
    return names


def parse_accounts(text: str) -> tuple[str, ...]:
    """The accounts of a user, from lines USER|ACCOUNT. A user without an account has one line with an empty account."""
    return tuple(sorted({line.split("|")[1] for line in lines_of(text) if "|" in line} - {""}))


def keeps_accounting(text: str) -> bool:
    """Whether ``scontrol show config`` has a database that sacctmgr can query."""
    found = re.search(r"^AccountingStorageType\s*=\s*(\S+)", text, re.M)
    return found is not None and found.group(1).endswith("slurmdbd")


def jobs(desired: Desired) -> tuple[tuple[Job, ...], list[str]]:
    uids = _uids(desired)
    answer = run(_SQUEUE, timeout=60).stdout if uids else ""
    found = [parse_jobs(answer, uid) for uid in uids]
    return tuple(job for own, _other in found for job in own), [line for _own, other in found for line in other]


def _uids(desired: Desired) -> list[int]:
    """Current and former UIDs of the user, without UIDs that other users have now, because UIDs can differ between clusters."""
    given = [*([] if desired.uid is None else [desired.uid]), *desired.other_uids]
    known = []
    if desired.uid is None:
        with contextlib.suppress(KeyError):
            known = [pwd.getpwnam(desired.name).pw_uid]
    return list(dict.fromkeys(known + [uid for uid in given if _name_of(uid) in ("", desired.name)]))


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return ""


def _with_names(found: tuple[Job, ...]) -> tuple[Job, ...]:
    numbers = list(dict.fromkeys(job.number for job in found))
    names: dict[str, str] = {}
    for begin in range(0, len(numbers), _NAMED_AT_ONCE):
        listed = ",".join(numbers[begin : begin + _NAMED_AT_ONCE])
        # The command fails if a job has ended meanwhile. The names of the other jobs are still printed.
        names.update(parse_names(run([*_NAMES, f"--jobs={listed}"], timeout=60, check=False).stdout))
    return tuple(replace(job, name=names.get(job.id, "")) for job in found)


def _accounting(name: str) -> tuple[str, tuple[str, ...]]:
    if not keeps_accounting(run(["scontrol", "show", "config"], timeout=60).stdout):
        return "unused", ()
    fields = "format=User,Account"
    command = ["sacctmgr", "--noheader", "--parsable2", "show", "user", f"name={name}", "withassoc", fields]
    shown = run(command, timeout=60).stdout
    return ("present" if shown.strip() else "absent"), parse_accounts(shown)
