# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of the roles topology and topology_job."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

KEPT, SPILLED, UNPROVEN, WAITS = (f"topology-job-{name}" for name in ("kept", "spilled", "unproven", "waits"))
GAIN, NOT_MEASURED = "topology-gain", "topology-gain-not-measured"
TEXTS: Texts = {
    "topology-not-read": Text(
        "topology-not-read",
        "Nobody told where the nodes are: no controller was reached. Run login_access, or reconcile, and look again.",
    ),
    "topology-unknown": Text(
        "topology-unknown",
        "The place of {unknown} of {count} nodes in the network is not known, so jobs on them may be spread. The page on topology "
        "names where it is read.",
    ),
    KEPT: Text(KEPT, "{job} is placed as asked: {described}.", "job"),
    SPILLED: Text(SPILLED, "{job} has spilled: {described}.", "job"),
    UNPROVEN: Text(UNPROVEN, "Whether {job} is placed as asked is not known: {described}.", "job"),
    "topology-job-misplaced": Text("topology-job-misplaced", "{job} is not placed as asked: {described}.", "job"),
    WAITS: Text(WAITS, "{job} waits: {why}.", "job", "pending"),
    "topology-job-still-waits": Text(WAITS, "{why}", "job", "pending"),
    "topology-job-over": Text("topology-job-failed", "{job} has failed ({why}). A job that is over is not run again.", "job"),
    "slurm-job-unreached": Text(
        "topology-not-read",
        "No controller answered for Slurm, so nothing was asked of it. Run login_access, or reconcile, and submit the job again.",
    ),
    "topology-jobs-looked-at": Text(KEPT, "{count} jobs by topology: {verdicts}."),
    "topology-job-unseen": Text(
        "topology-job-unseen",
        "The caller may not see {unseen}, so jobs may be missing in the proof, or told in part. Allow it in Kubernetes, and look "
        "again.",
    ),
    GAIN: Text(GAIN, "Measured by NCCL: {figures}."),
    NOT_MEASURED: Text(NOT_MEASURED, "What near nodes gain was not measured. {why}", kind="note"),
    f"{NOT_MEASURED}-yet": Text(NOT_MEASURED, "What near nodes gain was not measured. {why} Run it again.", kind="pending"),
}
