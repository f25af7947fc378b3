# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Explains why a Slurm job does not run, or has failed. Standard library only, Python 3.9 syntax.

The terms are those of squeue(1). Unknown terms are shown unchanged.
"""

from __future__ import annotations

from .model import Job

WAITS = {
    "Resources": "the nodes that it needs are used by other jobs, and it starts once enough of them have ended",
    "Priority": "jobs of higher priority are before it in the queue of its partition: squeue --start shows when it may start",
    "Dependency": "a job that it depends on has not ended",
    "DependencyNeverSatisfied": "its dependency can no longer be satisfied: cancel it, and submit it without the dependency",
    "BeginTime": "its begin time has not been reached",
    "JobHeldUser": "its user holds it: scontrol release lets it start",
    "JobHeldAdmin": "an administrator holds it: scontrol release lets it start",
    "Licenses": "licenses that it needs are used by other jobs",
    "Reservation": "its reservation has not begun",
    "PartitionDown": "its partition is down: an administrator must set the partition's state to UP",
    "PartitionInactive": "its partition is inactive: an administrator must set the partition's state to UP",
    "PartitionNodeLimit": "its partition does not allow or have so many nodes: request fewer nodes, or a different partition",
    "PartitionTimeLimit": "its partition does not allow its time limit: reduce #SBATCH --time",
    "PartitionConfig": "its partition cannot satisfy its request: request less, or a different partition",
    "BadConstraints": "no node satisfies its request: check --constraint, --gres and --mem in its script",
    "NodeDown": "a node that it needs is down: sinfo -R shows why",
    "InvalidAccount": "its account does not exist in Slurm: sacctmgr show user lists the user's accounts",
    "InvalidQOS": "the user may not use its QOS: sacctmgr show assoc lists the allowed ones",
    "Prolog": "the prolog runs on its nodes",
    "Cleaning": "it was requeued, and its leftovers are being cleaned up",
    "WaitingForScheduling": "Slurm has not considered it yet",
    "None": "Slurm has not considered it yet",
    "": "Slurm has not considered it yet",
    "launch failed requeued held": "it could not be started, and is held: slurmd's log shows why; scontrol release lets it start",
}
BEGINS = {
    "ReqNodeNotAvail": "nodes that it needs are down, drained, or reserved for others: sinfo -R shows why",
    "Nodes required for job are DOWN": "nodes that it needs are down, drained, or reserved for others: sinfo -R shows why",
    "QOS": "it would exceed a limit of its QOS: it starts once jobs of the same QOS have ended, or the limit is raised",
    "MaxNodePerAccount": "it would exceed its account's limit on nodes: it starts once jobs of the account have ended",
    "Assoc": "it would exceed a limit of its user or account: it starts once their jobs have ended, or the limit is raised",
}
ENDS = {
    "FAILED": "its script ended with an error",
    "TIMEOUT": "it exceeded its time limit",
    "NODE_FAIL": "one of its nodes failed",
    "OUT_OF_MEMORY": "it used more memory than requested",
    "PREEMPTED": "another job preempted it",
    "BOOT_FAIL": "its nodes did not boot",
    "DEADLINE": "its deadline passed before it could end",
    "LAUNCH_FAILED": "it could not be started on its nodes",
}


def why(job: Job) -> str:
    """Why the job waits or has failed, or that it was cancelled; empty for a job that runs or has succeeded."""
    if job.stage == "waiting":
        return _with(_waits(job), job.reason)
    if job.stage == "failed":
        return _with(ENDS.get(job.state, ""), f"{job.state}{job.reason and ', '}{job.reason}")
    return "it was cancelled" if job.cancelled else ""


def _waits(job: Job) -> str:
    if job.state == "CONFIGURING":
        return "its nodes are being prepared"
    if job.reason == "Resources" and job.switches:
        wish = f"Slurm waits up to {job.switches_wait} s for nodes below as few leaf switches as requested ({job.switches})"
        return f"{WAITS[job.reason]}, or {wish}"
    return WAITS.get(job.reason) or next((text for begin, text in BEGINS.items() if job.reason.startswith(begin)), "")


def _with(plain: str, word: str) -> str:
    """The explanation with Slurm's own term, so that a reader can search for the term."""
    if not plain or not word:
        return plain or word or "Slurm gives no reason"
    return f"{plain} ({word})"
