# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the roles topology and topology_job."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

KEPT, SPILLED, UNPROVEN, WAITS = (f"topology-job-{name}" for name in ("kept", "spilled", "unproven", "waits"))
GAIN, NOT_MEASURED = "topology-gain", "topology-gain-not-measured"
TEXTS: Texts = {
    "topology-not-read": Text(
        "topology-not-read",
        "The network locations of the nodes could not be read, because no controller node was reached. Run login_access or "
        "reconcile, then run again.",
    ),
    "topology-unknown": Text(
        "topology-unknown",
        "The network location of {unknown} of {count} nodes is unknown, so jobs on them may be far apart. The page on topology "
        "lists the sources of network locations.",
    ),
    KEPT: Text(KEPT, "{job} is placed as requested: {described}.", "job"),
    SPILLED: Text(SPILLED, "{job} spans more of the network than requested: {described}.", "job"),
    UNPROVEN: Text(UNPROVEN, "Could not check the placement of {job}: {described}.", "job"),
    "topology-job-misplaced": Text("topology-job-misplaced", "{job} is not placed as requested: {described}.", "job"),
    WAITS: Text(WAITS, "{job} waits: {why}.", "job", "pending"),
    "topology-job-still-waits": Text(WAITS, "{why}", "job", "pending"),
    "topology-job-over": Text("topology-job-failed", "{job} has failed ({why}). Finished jobs are not run again.", "job"),
    "slurm-job-unreached": Text(
        "topology-not-read",
        "No controller node could query Slurm, so nothing was done. Run login_access or reconcile, then run again.",
    ),
    "topology-jobs-looked-at": Text(KEPT, "{count} jobs with a topology request: {verdicts}."),
    "topology-job-unseen": Text(
        "topology-job-unseen",
        "The caller may not read {unseen}, so jobs may be missing here. Grant these permissions in Kubernetes, then run again.",
    ),
    GAIN: Text(GAIN, "Measured by NCCL: {figures}."),
    NOT_MEASURED: Text(NOT_MEASURED, "The gain of nearby nodes was not measured. {why}", kind="note"),
    f"{NOT_MEASURED}-yet": Text(NOT_MEASURED, "The gain of nearby nodes was not measured. {why} Run again.", kind="pending"),
}
