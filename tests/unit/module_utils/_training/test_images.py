# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of security patches for images."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
import yaml
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.images import (
    AS_OF,
    IMAGES,
    MINIMUM_DRIVERS,
    is_older,
    known,
    minimum_driver,
    patches_end,
)

ROOT = Path(__file__).resolve().parents[4]
PUBLIC = "public.ecr.aws/deep-learning-containers/"
OLD, NEW = "pytorch-training:2.9.0-gpu-py312-cu130-ubuntu22.04-ec2", "pytorch:2.12-cu130-amzn2023"


@pytest.mark.parametrize(
    ("image", "today", "expected"),
    [
        (f"{PUBLIC}{OLD}", "2026-10-15", f"patches for {PUBLIC}{OLD} end on 2026-10-15"),
        (f"{PUBLIC}{OLD}", "2026-10-16", f"patches for {PUBLIC}{OLD} ended on 2026-10-15"),
        (f"{PUBLIC}{NEW}", "2027-04-02", ""),
        (f"{PUBLIC}{NEW}", "2027-04-03", "end on 2027-07-02"),
        (f"763104351884.dkr.ecr.us-west-2.amazonaws.com/{OLD}", "2026-12-01", "ended"),
        (f"{PUBLIC}{OLD}@sha256:{'a' * 64}", "2026-12-01", "ended"),
        (f"registry.example.com/{OLD}", "2026-12-01", ""),
        (f"{PUBLIC}pytorch:9.9", "2026-12-01", ""),
    ],
)
def test_the_end_of_patches_is_known(image: str, today: str, expected: str) -> None:
    found = patches_end(image, datetime.date.fromisoformat(today), "the_image")
    assert (expected in found and found.endswith("Set the_image to a newer image.")) if expected else found == ""


def test_the_default_image_is_in_the_table() -> None:
    defaults = yaml.safe_load((ROOT / "roles/verify_training/defaults/main.yml").read_text())
    image = defaults["verify_training_image"].removeprefix(PUBLIC)
    assert IMAGES[image].patched_until > AS_OF


def test_the_requirements_of_all_images_are_known() -> None:
    for name, image in IMAGES.items():
        assert int(image.cuda.partition(".")[0]) in MINIMUM_DRIVERS and image.cuda.replace(".", "") in name and image.architectures
    assert known(f"{PUBLIC}{NEW}@sha256:{'a' * 64}") == IMAGES[NEW] and known(f"registry.example.com/{NEW}") is None


@pytest.mark.parametrize(("cuda", "minimum"), [("13.0", "580"), ("12.8", "525"), ("11.8", "450"), ("10.2", ""), ("14.0", ""), ("", "")])
def test_the_minimum_driver_depends_on_the_major_version(cuda: str, minimum: str) -> None:
    assert minimum_driver(cuda) == minimum


@pytest.mark.parametrize(
    ("driver", "older"), [("580.159.03", False), ("580", False), ("579.99", True), ("1000.1", False), ("90.1", True)]
)
def test_drivers_are_compared_as_numbers(driver: str, older: bool) -> None:
    assert is_older(driver, "580") is older
