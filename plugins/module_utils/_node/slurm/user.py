# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""One person in Slurm: jobs that wait or run, and the entry in accounting. Standard library only, Python 3.9 syntax."""

from __future__ import annotations

import contextlib
import pwd
import re
import time
import typing as t
from dataclasses import asdict, dataclass, replace

from ..._core.failure import refuse_option
from ..._core.plan import Change, Plan, Step
from ..._core.text import lines_of, printable
from ..system import CommandFailed, run

CANCEL, FORGET = "cancel_jobs", "forget_user"
# Slurm finds jobs of a name only while the name service knows it, so all are listed and told apart by the UID. Names of
# jobs, which may hold line breaks and bars, are asked for apart, and only those of the person's own jobs.
_SQUEUE = ("squeue", "--noheader", "--format=%U|%i|%T|%P|%N")
_NAMES = ("squeue", "--noheader", "--format=%i|%j")
_JOB = re.compile(r"([0-9]+)(?:_[0-9]+|_\[[0-9,:%.-]+\]|\+[0-9]+)?")
"""A job, one or several of an array, or a part of a heterogeneous job."""
_ENDING = "COMPLETING"
_AT_ONCE = 200
_NAMED_AT_ONCE = 8000
"""Linux takes no longer argument than 128 KiB."""
_PAUSE = 1.0
_NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")


@dataclass(frozen=True)
class Desired:
    name: str
    uid: int | None
    cancel: bool
    timeout: int
    other_uids: tuple[int, ...] = ()


@dataclass(frozen=True)
class Job:
    id: str
    state: str
    partition: str
    nodes: str
    name: str = ""


@dataclass(frozen=True)
class State:
    """``accounting``: unused (the cluster keeps none), absent, present, or unknown (it does not answer)."""

    jobs: tuple[Job, ...] = ()
    accounting: str = "unused"
    accounts: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()
    """What could not be asked, as sentences."""

    @property
    def active(self) -> tuple[Job, ...]:
        """Without those that are over and only being cleared away."""
        return tuple(job for job in self.jobs if job.state != _ENDING)


def desired_from(params: t.Mapping[str, t.Any]) -> Desired:
    if not _NAME.fullmatch(params["name"]):
        refuse_option("name", params["name"], "1 to 32 of a-z, 0-9, _ and -, starting with a letter or _, are")
    if not 1 <= params["timeout"] <= 3600:
        refuse_option("timeout", params["timeout"], "seconds from 1 to 3600 are")
    others = tuple(params.get("other_uids") or ())
    return Desired(params["name"], params["uid"], params["jobs"] == "cancel", params["timeout"], others)


def observe(desired: Desired) -> State:
    unread = []
    jobs: tuple[Job, ...] = ()
    accounting = "unknown"
    accounts: tuple[str, ...] = ()
    try:
        jobs, other = _jobs(desired)
        jobs = _with_names(jobs)
        unread += [f"The jobs of {desired.name} are unknown: squeue answered {printable(line)!r}." for line in other[:1]]
    except CommandFailed as error:
        unread.append(f"The jobs of {desired.name} are unknown: {error}")
    try:
        accounting, accounts = _accounting(desired.name)
    except CommandFailed as error:
        unread.append(f"The Slurm account of {desired.name} is unknown: {error}")
    return State(jobs, accounting, accounts, tuple(unread))


def parse_jobs(text: str, uid: int) -> tuple[tuple[Job, ...], list[str]]:
    """The jobs of ``uid``, without names, and the lines about it that are something else."""
    found, other = [], []
    for line in lines_of(text):
        fields = [printable(field) for field in line.strip().split("|")]
        if fields[0] != str(uid):
            continue
        if len(fields) == 5 and _JOB.fullmatch(fields[1]):
            found.append(Job(*fields[1:]))
        else:
            other.append(line)
    return tuple(found), other


def parse_names(text: str) -> dict[str, str]:
    """Names by job, from lines JOB|NAME; what follows a line break in a name is left out."""
    names: dict[str, str] = {}
    for line in lines_of(text):
        job, separator, name = line.partition("|")
        if separator:
            names.setdefault(job.strip(), printable(name))
    return names


def base(job: str) -> str:
    """The number that all of an array, or of a heterogeneous job, has."""
    found = _JOB.fullmatch(job)
    if found is None:
        raise ValueError(f"{job!r} is no job")
    return found.group(1)


def parse_accounts(text: str) -> tuple[str, ...]:
    """The accounts of a user, from lines USER|ACCOUNT; a user without any has one line with an empty one."""
    return tuple(sorted({line.split("|")[1] for line in lines_of(text) if "|" in line} - {""}))


def keeps_accounting(text: str) -> bool:
    """Whether ``scontrol show config`` names a database that sacctmgr can ask."""
    found = re.search(r"^AccountingStorageType\s*=\s*(\S+)", text, re.M)
    return found is not None and found.group(1).endswith("slurmdbd")


def plan(desired: Desired, state: State) -> Plan:
    steps = []
    jobs, accounting, accounts = state.jobs, state.accounting, state.accounts
    if desired.cancel and state.active:
        changes = tuple(
            Change("delete", f"job {job.id} of {desired.name}", None, {**asdict(job)}, None) for job in state.active
        )
        steps.append(Step(CANCEL, {"ids": tuple(dict.fromkeys(base(job.id) for job in state.active))}, changes))
        jobs = ()
    # Slurm does not remove who still has jobs.
    if accounting == "present" and (desired.cancel or not state.jobs):
        change = Change("delete", f"Slurm account of {desired.name}", None, {"accounts": list(accounts)}, None)
        steps.append(Step(FORGET, {}, (change,)))
        accounting, accounts = "absent", ()
    return Plan(steps=tuple(steps), predicted=State(jobs, accounting, accounts, state.unread))


def pending(desired: Desired, state: State) -> list[str]:
    """What is not done in ``state``, the one after the plan."""
    sentences = list(state.unread)
    if desired.cancel and state.active:
        listed = ", ".join(job.id for job in state.active)
        sentences.append(f"Jobs of {desired.name} have not ended within {desired.timeout} s: {listed}.")
    if state.accounting == "present":
        sentence = f"The Slurm account of {desired.name} stays while there are jobs; run again when they are over."
        sentences.append(sentence)
    return sentences


def notes(desired: Desired, state: State) -> list[str]:
    if desired.cancel or not state.active:
        return []
    listed = ", ".join(f"{job.id} ({job.state.lower()} in {job.partition}: {job.name})" for job in state.active)
    return [f"Jobs of {desired.name} go on: {listed}."]


def to_result(state: State) -> dict[str, t.Any]:
    return {
        "jobs": [asdict(job) for job in state.jobs],
        "accounting": state.accounting,
        "accounts": list(state.accounts),
    }


class Applier:
    def __init__(self, desired: Desired) -> None:
        self._desired = desired

    def apply(self, step: Step) -> None:
        getattr(self, "_" + step.operation)(**step.arguments)

    def _cancel_jobs(self, *, ids: t.Sequence[str]) -> None:
        for begin in range(0, len(ids), _AT_ONCE):
            # One that has ended meanwhile is an error to scancel; what is left is looked at below.
            run(["scancel", "--", *ids[begin : begin + _AT_ONCE]], timeout=60, check=False)
        deadline = time.monotonic() + self._desired.timeout
        while self._may_have_jobs() and time.monotonic() < deadline:
            time.sleep(_PAUSE)

    def _may_have_jobs(self) -> bool:
        try:
            return any(_jobs(self._desired))
        except CommandFailed:  # a busy controller; if it stays silent, the look after the last step tells it
            return True

    def _forget_user(self) -> None:
        run(["sacctmgr", "--immediate", "--quiet", "delete", "user", f"name={self._desired.name}"], timeout=60)


def _jobs(desired: Desired) -> tuple[tuple[Job, ...], list[str]]:
    uids = _uids(desired)
    answer = run(_SQUEUE, timeout=60).stdout if uids else ""
    found = [parse_jobs(answer, uid) for uid in uids]
    return tuple(job for jobs, _other in found for job in jobs), [line for _jobs, other in found for line in other]


def _uids(desired: Desired) -> list[int]:
    """The numbers that the person has or had, as far as nobody else has them: clusters may differ about a number."""
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


def _with_names(jobs: tuple[Job, ...]) -> tuple[Job, ...]:
    numbers = list(dict.fromkeys(base(job.id) for job in jobs))
    names: dict[str, str] = {}
    for begin in range(0, len(numbers), _NAMED_AT_ONCE):
        listed = ",".join(numbers[begin : begin + _NAMED_AT_ONCE])
        # A job that has ended meanwhile is an error; the others are named all the same.
        names.update(parse_names(run([*_NAMES, f"--jobs={listed}"], timeout=60, check=False).stdout))
    return tuple(replace(job, name=names.get(job.id, "")) for job in jobs)


def _accounting(name: str) -> tuple[str, tuple[str, ...]]:
    if not keeps_accounting(run(["scontrol", "show", "config"], timeout=60).stdout):
        return "unused", ()
    fields = "format=User,Account"
    command = ["sacctmgr", "--noheader", "--parsable2", "show", "user", f"name={name}", "withassoc", fields]
    shown = run(command, timeout=60).stdout
    return ("present" if shown.strip() else "absent"), parse_accounts(shown)
