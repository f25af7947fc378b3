# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The share of the GPUs' peak."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.peaks import of_peak
from simulated.training_report import job

H200 = "NVIDIA H200"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "2.53 %"),
        ({"devices": [H200], "pods": job()["pods"][:1], "tflops": 400.1}, "40.5 %"),
        ({"devices": ["NVIDIA A100-SXM4-40GB"]}, "8.01 %"),
        ({"devices": ["NVIDIA B300 SXM6 AC"], "tflops": 36000.0}, "100 %"),
        ({"devices": ["NVIDIA A10G"]}, ""),
        ({"devices": ["NVIDIA L40"]}, ""),
        ({"devices": ["cpu"]}, ""),
        ({"devices": [H200, "NVIDIA B200"]}, ""),
        ({"devices": []}, ""),
        ({"dtypes": ["float32"]}, ""),
        ({"tflops": None}, ""),
        ({"pods": []}, ""),
    ],
)
def test_the_share_is_known_only_for_one_known_product_in_bfloat16(changes: dict[str, t.Any], expected: str) -> None:
    assert of_peak(job(**changes)) == expected


def test_a_result_without_figures_has_no_share() -> None:
    assert of_peak({"verdict": "not_run"}) == ""
