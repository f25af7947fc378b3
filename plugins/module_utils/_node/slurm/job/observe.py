# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Reads the jobs of one user and name with Slurm's commands. Standard library only, Python 3.9 syntax.

Users choose names and comments, which can contain line breaks and bars. So these texts are read separately, and for one user at a
time. A user can then forge entries of the user's own jobs only.
"""

from __future__ import annotations

import re
import typing as t
from dataclasses import replace

from ...._core.text import lines_of, printable
from ...system import CommandFailed, run
from ..nodes.names import expanded
from .model import ENDING, MAX_SWITCH_WAIT, OURS, PLACEMENTS, PRESENT, Desired, Facts, Job, State

_FORMAT = "--format=%A|%U|%T|%P|%D|%N|%r"
_SWITCHES = "--Format=JobID:20,ReqSwitch:20,Wait4Switch:20"
_ACCOUNTED = "--format=JobIDRaw,State,Partition,NodeList,Comment,SubmitLine"
_SINCE = "--starttime=now-365days"
_COMMENT = re.compile(rf"{re.escape(OURS)}:({'|'.join(PLACEMENTS)}):([0-9a-f]{{32}})(?![0-9a-f])")
_WAIT = re.compile(r"^SchedulerParameters\s*=.*\bmax_switch_wait=(\d{1,9})", re.M)
_PLUGIN = re.compile(r"^TopologyPlugin\s*=\s*(\S+)", re.M)
_CLOCK = re.compile(r"(?:(\d{1,6})-)?(?:(\d{1,2}):)?(\d{1,2}):(\d{2})")
_SECONDS = 60
AT_ONCE = 2000
"""Maximum number of jobs per query. Linux limits an argument to 128 KiB."""


def observe(desired: Desired) -> State:
    """:raises CommandFailed: if Slurm does not respond."""
    named = (f"--user={desired.uid}", f"--name={desired.name}")
    queued = [job for job in queue(*named, "--states=all") if job.uid == desired.uid]
    listed = [replace(job, user=desired.user, name=desired.name) for job in with_comments(with_switches(queued))]
    ended = {job.id: job for job in _accounted(desired)}
    known = {**ended, **{job.id: job for job in listed if job.state != ENDING or job.id not in ended}}
    state = State(tuple(known[each] for each in sorted(known)))
    if desired.state != PRESENT:
        return state
    current = state.current
    script = _script_of(current) if current is not None and current.live and current.hash != desired.hash else None
    return replace(state, facts=_facts(), script=script)


def queue(*chosen: str) -> list[Job]:
    """Jobs in slurmctld's memory, without texts that users wrote."""
    asked = ("squeue", "--noheader", "--all", *chosen, _FORMAT)
    return parse_queue(run(asked, timeout=_SECONDS).stdout)


def parse_queue(text: str) -> list[Job]:
    """Parses lines ID|UID|STATE|PARTITION|NUMBER OF NODES|NODES|REASON."""
    rows = (line.strip().split("|", 6) for line in lines_of(text))
    found = [row for row in rows if len(row) == 7 and row[0].isdecimal() and row[1].isdecimal()]
    return [
        Job(
            id=int(row[0]),
            uid=int(row[1]),
            state=printable(row[2]),
            partition=printable(row[3]),
            size=int(row[4]) if row[4].isdecimal() else 0,
            nodes=tuple(map(printable, expanded(row[5]))),
            reason="" if row[6] == "None" else printable(row[6]),
        )
        for row in found
    ]


def with_switches(jobs: t.Sequence[Job]) -> list[Job]:
    wishes: dict[int, tuple[int, int]] = {}
    for listed in _listed(jobs):
        wishes.update(parse_switches(_shown(("squeue", "--noheader", "--all", "--states=all", listed, _SWITCHES))))
    found = ((job, wishes.get(job.id, (0, 0))) for job in jobs)
    return [replace(job, switches=switches, switches_wait=wait) for job, (switches, wait) in found]


def parse_switches(text: str) -> dict[int, tuple[int, int]]:
    """Leaf switches and seconds, keyed by job, from lines ID SWITCHES [DAYS-][HOURS:]MINUTES:SECONDS."""
    rows = (line.split() for line in lines_of(text))
    complete = [row for row in rows if len(row) == 3 and row[0].isdecimal() and row[1].isdecimal()]
    return {int(number): (int(switches), seconds(wait)) for number, switches, wait in complete}


def seconds(clock: str) -> int:
    """A duration in seconds. 0 for a different format, which Slurm uses for more than a year."""
    found = _CLOCK.fullmatch(clock)
    if found is None:
        return 0
    days, hours, minutes, rest = (int(each or 0) for each in found.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + rest


def with_comments(jobs: t.Sequence[Job]) -> list[Job]:
    """The jobs with the placement and the hash from their comments.

    :param jobs: jobs of one user.
    """
    comments: dict[int, str] = {}
    for listed in _listed(jobs):
        comments.update(parse_pairs(_shown(("squeue", "--noheader", "--all", "--states=all", listed, "--format=%A|%k"))))
    return [_with_comment(job, comments.get(job.id, "")) for job in jobs]


def parse_pairs(text: str) -> dict[int, str]:
    """Texts, keyed by job, from lines ID|TEXT. The part of a text after a line break is omitted."""
    found: dict[int, str] = {}
    for line in lines_of(text):
        number, sign, rest = line.partition("|")
        if sign and number.strip().isdecimal():
            found.setdefault(int(number), rest)
    return found


def _with_comment(job: Job, comment: str) -> Job:
    found = _COMMENT.search(comment)
    return job if found is None else replace(job, placement=found[1], hash=found[2])


def _accounted(desired: Desired) -> list[Job]:
    """Ended jobs, if the cluster keeps accounting and the database responds."""
    named = (f"--uid={desired.uid}", f"--name={desired.name}")
    asked = ("sacct", "--noheader", "--parsable2", "--allocations", *named, _SINCE, _ACCOUNTED)
    try:
        text = run(asked, timeout=_SECONDS).stdout
    except CommandFailed:
        return []
    return [replace(job, user=desired.user, name=desired.name) for job in parse_accounted(text, desired.uid) if not job.live]


def parse_accounted(text: str, uid: int) -> list[Job]:
    """Parses lines ID|STATE|PARTITION|NODES|COMMENT|COMMAND. The comment exists if AccountingStoreFlags has job_comment. The
    command that submitted the job always exists, and also contains the comment. Source: sacct(1)."""
    rows = (line.split("|", 4) for line in lines_of(text))
    complete = (row for row in rows if len(row) == 5 and row[0].isdecimal())
    return [_with_comment(_ended(uid, *row[:4]), row[4]) for row in complete]


def _ended(uid: int, number: str, state: str, partition: str, nodes: str) -> Job:
    return Job(int(number), uid, printable(state), partition=printable(partition), nodes=_nodes(nodes))


def _nodes(text: str) -> tuple[str, ...]:
    return () if text == "None assigned" else tuple(map(printable, expanded(text)))


def _script_of(job: Job) -> str | None:
    answer = run(("scontrol", "write", "batch_script", str(job.id), "-"), timeout=_SECONDS, check=False)
    return answer.stdout if answer.returncode == 0 else None


def _facts() -> Facts:
    shown = run(("scontrol", "show", "topology"), timeout=_SECONDS, check=False)
    return facts(run(("scontrol", "show", "config"), timeout=_SECONDS).stdout, shown.stdout)


def facts(config: str, topology: str) -> Facts:
    """The facts in the output of scontrol. ``topology`` is needed because a topology.yaml overrides TopologyPlugin since 25.05."""
    wait, plugin = _WAIT.search(config), _PLUGIN.search(config)
    lines = [line.strip() for line in lines_of(topology)]
    kinds = {"SwitchName=": "tree", "BlockName=": "block"}
    shown = next((kind for begin, kind in kinds.items() if any(line.startswith(begin) for line in lines)), "")
    return Facts(int(wait[1]) if wait else MAX_SWITCH_WAIT, printable(plugin[1]) if plugin else "", shown)


def _listed(jobs: t.Sequence[Job]) -> t.Iterator[str]:
    ids = [str(job.id) for job in jobs]
    for begin in range(0, len(ids), AT_ONCE):
        yield f"--jobs={','.join(ids[begin : begin + AT_ONCE])}"


def _shown(asked: t.Sequence[str]) -> str:
    """The output, even if the command fails: for example, it fails if Slurm has purged one of the jobs meanwhile."""
    return run(asked, timeout=_SECONDS, check=False).stdout
