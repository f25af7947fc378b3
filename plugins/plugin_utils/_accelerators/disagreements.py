# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where HyperPod or Slurm say something else of a node than was found. Pure."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.accelerators.health.problem import FIT, REBOOT, REPLACE, WATCH

RUNNING = "Running"
OUT_OF_WORK = ("down", "drain", "drained", "draining", "drng", "fail", "failing", "error", "maint", "reboot")
AT_WORK = ("idle", "allocated", "mixed", "completing")


def disagreements(verdict: str, *, hyperpod: str, slurm: str, slurm_reason: str) -> list[str]:
    """In sentences; an empty status is one that nobody told."""
    return list(_sentences(verdict, hyperpod, slurm, slurm_reason))


def _sentences(verdict: str, hyperpod: str, slurm: str, slurm_reason: str) -> t.Iterator[str]:
    if verdict in (FIT, WATCH):
        if hyperpod not in ("", RUNNING):
            yield f"HyperPod has it as {hyperpod}, and nothing was found that makes it unfit."
        if slurm in OUT_OF_WORK:
            why = f" ({slurm_reason})" if slurm_reason else ""
            yield f"Slurm has it as {slurm}{why}, and nothing was found that makes it unfit."
    elif verdict in (REBOOT, REPLACE) and slurm in AT_WORK:
        yield f"It is unfit, and Slurm gives it jobs: it is {slurm}."
