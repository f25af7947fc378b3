# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Why a job of Slurm's does not run, or has not ended well, in plain words; pure. Standard library only, Python 3.9 syntax.

Reasons are those of squeue(1); what is not known is shown as it is.
"""

from __future__ import annotations

from .model import Job

WAITS = {
    "Resources": "the nodes that it needs are used by other jobs, and it starts once enough of them have ended",
    "Priority": "jobs of higher priority are before it in the queue of its partition: squeue --start tells when it may start",
    "Dependency": "a job that it depends on has not ended",
    "DependencyNeverSatisfied": "what it depends on can't come any more: cancel it, and submit it without the dependency",
    "BeginTime": "the time that it may begin at has not come",
    "JobHeldUser": "its user holds it: scontrol release lets it go",
    "JobHeldAdmin": "an administrator holds it: scontrol release lets it go",
    "Licenses": "licenses that it needs are used by other jobs",
    "Reservation": "its reservation has not begun",
    "PartitionDown": "its partition is down: scontrol show partition tells, and an administrator sets it up",
    "PartitionInactive": "its partition is inactive: an administrator sets it up",
    "PartitionNodeLimit": "its partition does not allow so many nodes, or has fewer: ask for fewer, or for another partition",
    "PartitionTimeLimit": "its partition does not allow its time limit: set #SBATCH --time to less",
    "PartitionConfig": "its partition can't give what it asks for: ask for less, or for another partition",
    "BadConstraints": "no node has what it asks for: look at --constraint, --gres and --mem in its script",
    "NodeDown": "a node that it needs is down: sinfo -R tells why",
    "InvalidAccount": "its account is none of Slurm's: sacctmgr show user tells which the user has",
    "InvalidQOS": "its QOS is none that the user may have: sacctmgr show assoc tells which",
    "Prolog": "the prolog runs on its nodes",
    "Cleaning": "it was requeued, and what was left of it is cleaned away",
    "WaitingForScheduling": "Slurm has not looked at it yet",
    "None": "Slurm has not looked at it yet",
    "": "Slurm has not looked at it yet",
    "launch failed requeued held": "it could not be started, and is held: slurmd's log tells why; scontrol release lets it go",
}
BEGINS = {
    "ReqNodeNotAvail": "nodes that it needs are down, drained, or reserved for somebody else: sinfo -R tells why",
    "Nodes required for job are DOWN": "nodes that it needs are down, drained, or reserved for somebody else: sinfo -R tells why",
    "QOS": "it would exceed a limit of its QOS: it starts once jobs of the same QOS have ended, or the limit is raised",
    "MaxNodePerAccount": "it would exceed the nodes of its account: it starts once jobs of the account have ended",
    "Assoc": "it would exceed a limit of its user or account: it starts once their jobs have ended, or the limit is raised",
}
ENDS = {
    "FAILED": "its script ended with an error",
    "TIMEOUT": "its time limit was over",
    "NODE_FAIL": "a node of it failed",
    "OUT_OF_MEMORY": "it used more memory than it had asked for",
    "PREEMPTED": "it had to make room for another job",
    "BOOT_FAIL": "its nodes did not boot",
    "DEADLINE": "its deadline was over before it could end",
    "LAUNCH_FAILED": "it could not be started on its nodes",
}


def why(job: Job) -> str:
    """Empty for one that runs, or has ended well."""
    if job.stage == "waiting":
        return _with(_waits(job), job.reason)
    if job.stage == "failed":
        return _with(ENDS.get(job.state, ""), f"{job.state}{job.reason and ', '}{job.reason}")
    return "somebody has cancelled it" if job.cancelled else ""


def _waits(job: Job) -> str:
    if job.state == "CONFIGURING":
        return "its nodes are being made ready"
    if job.reason == "Resources" and job.switches:
        wish = f"Slurm waits up to {job.switches_wait} s for nodes below so few leaf switches as it asks for ({job.switches})"
        return f"{WAITS[job.reason]}, or {wish}"
    return WAITS.get(job.reason) or next((text for begin, text in BEGINS.items() if job.reason.startswith(begin)), "")


def _with(plain: str, word: str) -> str:
    """With Slurm's own word, by which people find more of it."""
    if not plain or not word:
        return plain or word or "Slurm tells no reason"
    return f"{plain} ({word})"
