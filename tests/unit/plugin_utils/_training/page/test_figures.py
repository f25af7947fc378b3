# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures of jobs and their versions."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.figures import figures, versions
from simulated.read_html import Element, read
from simulated.training_report import IMAGE, job

JOBS = [("train", job()), ("resume", job("resume", 40, 80, restarts=2)), ("survive", job("survive", 80, 120)), ("recover", job("recover", 120, 160))]
FAILED = {
    "verdict": "not_run", "failure": "module-failed", "text": "No.", "losses": [], "checkpoints": [], "dtypes": [], "nodes": [],
    "carried_by": "", "weights": "not_read", "first_loss": None, "last_loss": None, "validation": None, "tokens_per_second": None,
}  # fmt: skip
"""The only field of a failed module."""


def rows(found: Element) -> dict[str, list[str]]:
    return {row.named("th")[0].text: [cell.text for cell in row.named("td")] for row in found.named("tr") if row.named("td")}


def shown(jobs: t.Any, **verdicts: str) -> dict[str, list[str]]:
    return rows(read(figures("ml", jobs, {**{name: "passed" for name, _job in jobs}, **verdicts}).markup))


def test_figures_of_jobs_are_side_by_side() -> None:
    assert shown(JOBS[:2], resume="failed") == {
        "Verdict": ["\u2713 passed", "\u2717 failed"],
        "Job": ["PyTorchJob training-train", "PyTorchJob training-resume"],
        "Steps": ["1 to 40", "41 to 80"],
        "Loss, means of five steps": ["5.36 to 0.725", "0.525 to 0.0989"],
        "Validation loss after resuming": ["\u2013", "0.5253"],
        "Tokens per second": ["283900", "283900"],
        "Tokens per second and rank": ["17744", "17744"],
        "Model TFLOP/s": ["400.1", "400.1"],
        "Share of the GPUs' peak": ["2.53 %", "2.53 %"],
        "Network, by NCCL's log": ["EFA", "EFA"],
        "Sent over EFA, by the kernel's counters": ["57 GiB to 58 GiB by each of 2 nodes"] * 2,
        "Weights": ["equal on all nodes"] * 2,
        "Restarts": ["0", "2"],
        "Checkpoints": ["step 20, step 40", "step 60, step 80"],
        "Written, MiB/s": ["1834", "1834"],
        "Read, MiB/s, possibly from a cache": ["\u2013", "2211"],
    }


def test_an_unknown_job_shows_no_success() -> None:
    found = shown([("train", FAILED)], train="not_run")
    known = {name: cells for name, cells in found.items() if cells != ["\u2013"]}
    assert known == {"Verdict": ["? not verified"], "Network, by NCCL's log": ["not proven"], "Weights": ["not proven"]}
    assert "No job ran." in read(figures("ml", [], {}).markup).text
    assert set(map(tuple, rows(read(versions([("train", FAILED)], {}).markup)).values())) == {("not reported",), ("not known",)}


@pytest.mark.parametrize(
    ("weights", "words"),
    [("different", "different"), ("no_replicas", "no replicas on one node"), ("not_read", "not proven"), ("not_assessed", "not assessed"), ("odd", "odd")],
)
def test_the_comparison_of_weights_is_described(weights: str, words: str) -> None:
    assert shown([("train", job(weights=weights))])["Weights"] == [words]


def test_removed_checkpoints_are_shown() -> None:
    assert shown([("train", job(checkpoints_removed=True))])["Checkpoints"] == ["step 20, step 40 (removed)"]


def test_log_lines_of_nccl_are_the_evidence() -> None:
    found = read(figures("ml", JOBS, dict.fromkeys(("train", "resume", "survive", "recover"), "passed")).markup)
    assert found.named("summary")[0].text == "4 lines of NCCL's log about the network" and len(found.named("q")) == 4
    assert not read(figures("ml", [("train", job(evidence=[]))], {"train": "passed"}).markup).named("details")


def test_each_version_of_all_jobs_is_shown_once() -> None:
    other = job("resume", 40, 80, versions={"torch": ["2.12.1", "2.13.0"], "cuda": [], "nccl": ["2.26.2"]})
    software = {"driver": ["580.159.03", ""], "minimum_driver": ["580 for CUDA 13.0"]}
    assert rows(read(versions([("train", job()), ("resume", other)], software).markup)) == {
        "PyTorch": ["2.12.1, 2.13.0"], "CUDA": ["13.0"], "NCCL": ["2.26.2"], "Images": [IMAGE], "GPUs": ["NVIDIA H100 80GB HBM3"], "Data types": ["bfloat16"],
        "NVIDIA driver of the nodes": ["580.159.03, not known"], "Minimum driver": ["580 for CUDA 13.0"], "Architecture of the nodes": ["not known"],
    }  # fmt: skip
