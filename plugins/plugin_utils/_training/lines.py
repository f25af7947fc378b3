# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as lines for the screen."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.reports.forms import table

from .compared import slowdown
from .peaks import of_peak
from .report import jobs_of, loss_of, problems, steps_of, summary

HEAD = ("cluster", "check", "verdict", "result")
JOB_HEAD = ("cluster", "job", "steps", "loss", "tokens/s", "of peak", "network", "weights")
OBJECT_HEAD = ("cluster", "check", "would create", "name", "node")
Document = t.Mapping[str, t.Any]


def lines(document: Document) -> list[str]:
    """The verdicts, then one row per check, one row per job, and the problems."""
    clusters = document["clusters"].items()
    shown = [f"{key}: {'. '.join(_summary(each))}" for key, each in clusters]
    shown += [f"The inventory could not be read completely: {each}" for each in document["inventory_failures"]]
    known = [(key, each) for key, each in clusters if not each["why"]]
    rows = [(key, row["name"], row["verdict"], row["text"]) for key, each in known for row in each["checks"]]
    shown += table(HEAD, rows) if rows else []
    rows_of_jobs = [_row(key, name, job) for key, each in known for name, job in jobs_of(each)]
    shown += table(JOB_HEAD, rows_of_jobs) if rows_of_jobs else []
    objects = [(key, row["for"], *_object(row)) for key, each in known for row in each["would_create"]]
    shown += table(OBJECT_HEAD, objects) if objects else []
    shown += [f"{key}, {names}: {code}: {text}" for key, each in known for names, code, text in problems(each)]
    return [*shown, *(slower(key, each["compared"]) for key, each in known if each["compared"] and each["compared"]["slower"])]


def _summary(cluster: Document) -> t.Iterator[str]:
    yield summary(cluster["verdict"], cluster["unverified"])
    if cluster["why"]:
        yield cluster["why"]
    if cluster["unverified"]:
        yield f"Not verified: {', '.join(cluster['unverified'])}"


def slower(key: str, compared: Document) -> str:
    words = "Training is {percent} % slower than on {since}: {now} instead of {before} tokens per second."
    return f"{key}: {words.format(**slowdown(compared))}"


def _object(row: Document) -> tuple[str, ...]:
    name = "/".join(filter(None, (row["namespace"], row["name"])))
    return row["kind"], name, row["node"] or "-"


def _row(key: str, name: str, job: Document) -> tuple[str, ...]:
    rate, network = job["tokens_per_second"], job["carried_by"] or "not proven"
    figures = (steps_of(job), loss_of(job), f"{rate:.0f}" if rate else "", of_peak(job))
    return (key, name, *(each or "-" for each in figures), network, job["weights"])
