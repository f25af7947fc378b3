# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The figures of all jobs in one table, and the versions that the jobs ran with."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.markup import NOTHING, Content, Html, element, separated
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._page.parts import count, folded

from ..compared import READ, TOKENS, WRITE
from ..efa_traffic import of_job
from ..peaks import of_peak
from ..report import loss_of, steps_of
from .words import Document, chapter, marked, table

Jobs = t.Sequence[tuple[str, Document]]
UNKNOWN, NOT_REPORTED, NOT_KNOWN = "\u2013", "not reported", "not known"
WEIGHTS = {
    "equal": "equal on all nodes",
    "different": "different",
    "no_replicas": "no replicas on one node",
    "not_read": "not proven",
    "not_assessed": "not assessed",
}
VERSIONS = {"torch": "PyTorch", "cuda": "CUDA", "nccl": "NCCL"}
SOFTWARE = {"driver": "NVIDIA driver of the nodes", "minimum_driver": "Minimum driver", "architecture": "Architecture of the nodes"}
Shown = t.Callable[[Document], Content]


def figures(key: str, jobs: Jobs, verdicts: t.Mapping[str, str]) -> Html:
    """The table of the jobs.

    :param verdicts: the verdicts of the checks, keyed by name. A job's own verdict does not include how the job resumed training.
    """
    if not jobs:
        return chapter("Jobs", element("p", "No job ran."))
    head = ("", *(name for name, _job in jobs))
    rows: list[tuple[Content, ...]] = [("Verdict", *(marked(verdicts[name]) for name, _job in jobs))]
    rows += [(words, *(shown(job) or UNKNOWN for _name, job in jobs)) for words, shown in ROWS.items()]
    return chapter("Jobs", table(head, rows, label=f"Jobs of {key}", class_="jobs"), evidence(jobs))


def evidence(jobs: Jobs) -> Html:
    """The lines that NCCL logged about the network."""
    found = [(name, list(job.get("evidence") or ())) for name, job in jobs]
    rows = [element("li", name, ": ", element("q", each)) for name, lines in found for each in lines]
    summary = f"{count(len(rows), 'line')} of NCCL's log about the network"
    return folded(summary, element("ul", rows, class_="evidence")) if rows else NOTHING


def versions(jobs: Jobs, software: t.Mapping[str, t.Sequence[str]]) -> Html:
    """
    :param software: versions on the nodes, and what the images require.
    """
    found = {words: _all((job.get("versions") or {}).get(name) for _name, job in jobs) for name, words in VERSIONS.items()}
    found["Images"] = _all(job.get("image_digests") for _name, job in jobs)
    found["GPUs"] = _all(job.get("devices") for _name, job in jobs)
    found["Data types"] = _all(job.get("dtypes") for _name, job in jobs)
    of_nodes = {words: [each or NOT_KNOWN for each in software.get(name) or [""]] for name, words in SOFTWARE.items()}
    shown = {**{words: values or [NOT_REPORTED] for words, values in found.items()}, **of_nodes}
    rows = ((words, separated(", ", (element("code", each) for each in values))) for words, values in shown.items())
    return chapter("Versions", table((), rows, label="Versions"))


def _all(lists: t.Iterable[t.Sequence[str] | None]) -> list[str]:
    """All values, without duplicates."""
    return list(dict.fromkeys(each for values in lists for each in values or ()))


def _object(job: Document) -> str:
    return " ".join(filter(None, [job.get("kind"), job.get("name")]))


def _tokens(job: Document) -> str:
    return f"{job[TOKENS]:.0f}" if job[TOKENS] else ""


def _per_rank(job: Document) -> str:
    ranks = len(job.get("pods") or ())
    return f"{job[TOKENS] / ranks:.0f}" if job[TOKENS] and ranks else ""


def _weights(job: Document) -> str:
    return WEIGHTS.get(job["weights"], str(job["weights"]))


def _figure(name: str) -> Shown:
    def shown(job: Document) -> str:
        return f"{job[name]:.4g}" if job.get(name) is not None else ""

    return shown


def _checkpoints(job: Document) -> str:
    steps = ", ".join(f"step {step}" for step, _loss in job["checkpoints"])
    return f"{steps}{' (removed)' if job.get('checkpoints_removed') else ''}"


ROWS: t.Mapping[str, Shown] = {
    "Job": _object,
    "Steps": steps_of,
    "Loss, means of five steps": loss_of,
    "Validation loss after resuming": _figure("validation"),
    "Tokens per second": _tokens,
    "Tokens per second and rank": _per_rank,
    "Model TFLOP/s": _figure("tflops"),
    "Share of the GPUs' peak": of_peak,
    "Network, by NCCL's log": lambda job: job["carried_by"] or "not proven",
    "Sent over EFA, by the kernel's counters": of_job,
    "Weights": _weights,
    "Restarts": lambda job: str(job["restarts"]) if job.get("restarts") is not None else "",
    "Checkpoints": _checkpoints,
    "Written, MiB/s": _figure(WRITE),
    "Read, MiB/s, possibly from a cache": _figure(READ),
}
