# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The share of the GPUs' peak that a job reached. It is shown, but not assessed: a small model does not fill large GPUs."""

from __future__ import annotations

import re
import typing as t

PEAKS = {
    r"NVIDIA A100\b.*": 312.0,
    r"NVIDIA L4": 121.0,
    r"NVIDIA L40S": 362.0,
    r"NVIDIA H100 80GB HBM3": 989.0,
    r"NVIDIA H200": 989.0,
    r"NVIDIA B200": 2250.0,
    r"NVIDIA B300\b.*": 2250.0,
    r"NVIDIA GB200": 2500.0,
}
"""The peak of each GPU's tensor cores in TFLOP/s, for bfloat16 without sparsity, keyed by a pattern of the product's name.

Source: the values of NVIDIA's data sheets as other pages repeat them, on 2026-11-30; these pages differ for the B300. Data sheets
print twice these values if they include sparsity. GPUs without such a value are left out, such as the A10G.
"""
DTYPE = "bfloat16"
"""The data type of the peaks."""
Job = t.Mapping[str, t.Any]


def share(job: Job) -> float | None:
    """The reached share of the peak; None if the job was not measured, or if the peak is not known."""
    devices: t.Sequence[str] = job.get("devices") or ()
    ranks = len(job.get("pods") or ())
    if not job.get("tflops") or not ranks or len(devices) != 1 or list(job.get("dtypes") or ()) != [DTYPE]:
        return None
    peak = next((each for pattern, each in PEAKS.items() if re.fullmatch(pattern, devices[0])), None)
    return float(job["tflops"]) / (peak * ranks) if peak else None


def of_peak(job: Job) -> str:
    """The share as a percentage; empty if it is not known."""
    reached = share(job)
    return "" if reached is None else f"{100 * reached:.3g} %"
