# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares a cluster's rates with those of its previous run, if both runs used the same number and type of nodes and model size."""

from __future__ import annotations

import itertools
import math
import typing as t
from dataclasses import asdict, dataclass

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_seconds, moment_of

from .checks import BUS

SLOWER = 0.1
"""A drop of ``TOKENS`` by more than this share is a finding."""
TOKENS = "tokens_per_second"
"""The training rate of the first job."""
WRITE, READ = "write_mib_per_second", "read_mib_per_second"
RATES: t.Mapping[str, tuple[str, str]] = {
    TOKENS: ("Training", "tokens/s"),
    BUS: ("NCCL bus bandwidth", "GB/s"),
    WRITE: ("Checkpoints written", "MiB/s"),
    READ: ("Checkpoints read", "MiB/s"),
}
"""The description and the unit of each rate."""
MOST_CLUSTERS = 1_000
Document = t.Mapping[str, t.Any]


@dataclass(frozen=True)
class Measured:
    """The rates that one run measured on a cluster, with the nodes and the model of the run."""

    created: str
    instance_type: str
    nodes: int
    ranks: int
    parameters: int
    dtypes: tuple[str, ...]
    rates: t.Mapping[str, float]
    """The rates, keyed by their names in ``RATES``. ``TOKENS`` is always present."""

    @property
    def subject(self) -> tuple[t.Any, ...]:
        """Runs with equal subjects are comparable."""
        return self.instance_type, self.nodes, self.ranks, self.parameters, self.dtypes

    def to_report(self) -> dict[str, t.Any]:
        return {**asdict(self), "dtypes": list(self.dtypes), "rates": dict(self.rates)}


def measured(cluster: Document, created: str) -> Measured | None:
    """The measured rates; None if the first job measured no rate.

    :param cluster: the cluster in a report.
    """
    job = cluster["jobs"].get("train") or {}
    figures = {name: rate for check in cluster["checks"] for name, rate in check["figures"].items()}
    return _of_row(
        {
            "created": created,
            "instance_type": cluster["instance_type"],
            "nodes": len(job.get("nodes") or ()),
            "ranks": len(job.get("pods") or ()),
            "parameters": job.get("parameters"),
            "dtypes": job.get("dtypes"),
            "rates": {**figures, TOKENS: job.get(TOKENS)},
        }
    )


def measured_before(document: Document | None) -> dict[str, Measured]:
    """The newest measured rates of all runs so far, keyed by cluster.

    :param document: the last run's document. It may be missing or damaged.
    """
    rows = (document or {}).get("measured")
    listed = itertools.islice(rows.items(), MOST_CLUSTERS) if isinstance(rows, t.Mapping) else ()
    found = {str(key): _of_row(row) for key, row in listed}
    return {key: each for key, each in found.items() if each}


def compared(before: Measured | None, now: Measured | None) -> dict[str, t.Any] | None:
    """The comparison; None if the runs are not comparable."""
    if before is None or now is None or before.subject != now.subject:
        return None
    both = [each for each in RATES if each in before.rates and each in now.rates]
    rates = [{"name": each, "before": before.rates[each], "now": now.rates[each]} for each in both]
    return {"since": before.created, "slower": now.rates[TOKENS] < (1 - SLOWER) * before.rates[TOKENS], "rates": rates}


def slowdown(found: Document) -> dict[str, str]:
    """The values in the text of the finding about slower training.

    :param found: the result of ``compared``.
    """
    (row,) = (each for each in found["rates"] if each["name"] == TOKENS)
    percent = f"{-100 * change(row):.0f}"
    since = f"{found['since'][:10]} {found['since'][11:16]} UTC"
    return {"since": since, "before": f"{row['before']:.0f}", "now": f"{row['now']:.0f}", "percent": percent}


def change(row: Document) -> float:
    """The change, as a share of the earlier rate."""
    return float(row["now"] / row["before"] - 1)


def _of_row(row: t.Any) -> Measured | None:
    """The measured rates in a row; None if a value is missing or impossible."""
    try:
        rates = {name: float(row["rates"][name]) for name in RATES if row["rates"].get(name)}
        nodes, ranks, parameters = (int(row[name]) for name in ("nodes", "ranks", "parameters"))
        created, dtypes = iso_seconds(moment_of(row["created"])), tuple(map(str, row["dtypes"]))
        made = Measured(created, str(row["instance_type"]), nodes, ranks, parameters, dtypes, rates)
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        return None
    possible = all(math.isfinite(rate) and rate > 0 for rate in rates.values())
    return made if possible and TOKENS in rates and min(nodes, ranks, parameters) > 0 else None
