# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""AWS's Deep Learning Containers with PyTorch: the end of their patches, and what they require of nodes. No I/O."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass

AS_OF = "2026-08-21"
"""The date of the sources of ``IMAGES``: https://aws.github.io/deep-learning-containers/reference/support_policy and the images'
own configuration files.
"""
AMD64 = "amd64"


@dataclass(frozen=True)
class Image:
    patched_until: str
    cuda: str
    architectures: tuple[str, ...] = (AMD64,)
    """The architectures as Kubernetes names them."""


IMAGES = {
    "pytorch-training:2.9.0-gpu-py312-cu130-ubuntu22.04-ec2": Image("2026-10-15", "13.0"),
    "pytorch-training:2.10.0-gpu-py313-cu130-ubuntu22.04-ec2": Image("2027-01-21", "13.0"),
    "pytorch:2.11-cu130-amzn2023": Image("2027-04-30", "13.0"),
    "pytorch:2.12-cu130-amzn2023": Image("2027-07-02", "13.0"),
    "pytorch:2.13-cu133-amzn2023": Image("2027-07-20", "13.3"),
}
MINIMUM_DRIVERS = {13: "580", 12: "525", 11: "450"}
"""The first driver branch that runs each major version of CUDA, without forward compatibility packages.

Source: https://docs.nvidia.com/deploy/cuda-compatibility/minor-version-compatibility.html, table 1, read on 2026-11-30.
"""
WARNING_DAYS = 90
_REGISTRY = r"(?:public\.ecr\.aws/deep-learning-containers|\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?)"
_OF_AWS = re.compile(rf"{_REGISTRY}/([^@]+)(?:@.+)?")


def known(image: str) -> Image | None:
    """The image of AWS; None for images that are not in the table, such as a user's own image."""
    match = _OF_AWS.fullmatch(image)
    return IMAGES.get(match[1]) if match else None


def minimum_driver(cuda: str) -> str:
    """The first driver that runs a version of CUDA; empty if it is unknown."""
    major = cuda.partition(".")[0]
    return MINIMUM_DRIVERS.get(int(major), "") if major.isdecimal() else ""


def is_older(driver: str, minimum: str) -> bool:
    return _parts(driver) < _parts(minimum)


def patches_end(image: str, today: datetime.date, variable: str) -> str:
    """A warning if the patches of an image have ended or end within 90 days; otherwise empty, also for images not in the table.

    :param variable: the variable that names the image.
    """
    found = known(image)
    until = found.patched_until if found else ""
    if not until or (datetime.date.fromisoformat(until) - today).days > WARNING_DAYS:
        return ""
    verb = "ended" if until < today.isoformat() else "end"
    ended = f"AWS's patches for {image} {verb} on {until} (support policy of {AS_OF})."
    return f"{ended} Set {variable} to a newer image."


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split("."))
