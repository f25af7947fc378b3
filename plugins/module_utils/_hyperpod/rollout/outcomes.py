# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The outcomes of the clusters of a wave, from the verdict of the run. No I/O."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from .model import DEGRADED, DONE, FAILED, LOCKED, PENDING


@dataclass(frozen=True)
class Result:
    """The result of a run for one cluster."""

    status: str
    """The status of the cluster in the verdict."""
    locked: bool = False
    ended: bool = False
    """Whether the last play of the playbook ran for the cluster."""


OF_STATUS = {"unchanged": DONE, "changed": DONE, "degraded": DEGRADED}


def outcome(result: Result | None) -> str:
    """The outcome of a cluster. A run that did not reach the cluster, or did not end, leaves it pending."""
    if result is None:
        return PENDING
    if result.status == "failed":
        return FAILED
    if result.locked:
        return LOCKED
    return OF_STATUS.get(result.status, PENDING) if result.ended else PENDING


def outcomes(run: t.Iterable[str], results: t.Mapping[str, Result]) -> dict[str, str]:
    return {key: outcome(results.get(key)) for key in run}
