# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``slurm_nodes`` returned on a controller, read without trust: a node may have put anything there. Pure."""

from __future__ import annotations

import collections
import typing as t
from dataclasses import dataclass

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.told import LONGEST, one_line

MOST = 20
"""Jobs of one node."""


@dataclass(frozen=True)
class State:
    state: str = ""
    reason: str = ""
    jobs: tuple[str, ...] = ()


NOTHING = State()


def states(value: t.Any) -> dict[str, State]:
    """By address of the node."""
    told = value if isinstance(value, t.Mapping) else {}
    jobs: dict[str, list[str]] = collections.defaultdict(list)
    for job in _rows(told.get("jobs")):
        for name in job["nodes"] if isinstance(job.get("nodes"), (list, tuple)) else ():
            jobs[_line(name)].append(f"{_line(job.get('id'))} of {_line(job.get('user'))}")
    rows = {address: row for row in _rows(told.get("nodes")) for address in _addresses(row)}
    return {
        address: State(_line(row.get("state")), _line(row.get("reason")), tuple(jobs[_line(row.get("name"))][:MOST]))
        for address, row in rows.items()
    }


def _addresses(row: t.Mapping[str, t.Any]) -> list[str]:
    """HyperPod names Slurm nodes after their addresses, and may give a name where an address could stand."""
    return [_line(row.get("address")), _line(row.get("name")).removeprefix("ip-").replace("-", ".")]


def _rows(value: t.Any) -> list[t.Mapping[str, t.Any]]:
    return [each for each in value if isinstance(each, t.Mapping)] if isinstance(value, (list, tuple)) else []


def _line(value: t.Any) -> str:
    return one_line(value or "")[:LONGEST]
