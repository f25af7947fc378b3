# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Whether nodes can run the images of the training jobs: NVIDIA's driver, and the processor architecture. No I/O."""

from __future__ import annotations

import typing as t

from ..images import Image, is_older, known, minimum_driver
from .model import ARCHITECTURE_UNKNOWN, DRIVER_UNKNOWN, IMAGE_UNKNOWN, Described, Desired, Problem


def unknown_images(desired: Desired) -> t.Iterator[Problem]:
    """Notes about images whose requirements are not known."""
    for name in desired.images:
        if known(name) is None:
            text = f"The CUDA version and the architectures of {name} are not known, so they are not compared with the nodes"
            yield Problem(IMAGE_UNKNOWN, text, "The versions that the jobs report show whether it is the right image")


def of_images(desired: Desired, described: Described) -> t.Iterator[Problem]:
    for name in desired.images:
        image = known(name)
        if image:
            yield from _driver(name, image, described)
            yield from _architecture(name, image, described)


def _driver(name: str, image: Image, described: Described) -> t.Iterator[Problem]:
    node, minimum = described.node.known.name, minimum_driver(image.cuda)
    if not described.driver:
        text = f"NVIDIA's driver is not known, so it is not compared with {minimum}, the minimum for CUDA {image.cuda}"
        yield Problem(DRIVER_UNKNOWN, text, "NVIDIA's GPU feature discovery labels nodes with this version", node)
    elif is_older(described.driver, minimum):
        text = f"{name} has CUDA {image.cuda}, which requires NVIDIA's driver {minimum} or newer, but nodes have an older driver"
        step = "Update the nodes to a newer AMI, or choose an image with an older CUDA"
        yield Problem("driver-too-old", text, step, node, described.driver)


def _architecture(name: str, image: Image, described: Described) -> t.Iterator[Problem]:
    node, built = described.node.known.name, " and ".join(image.architectures)
    if not described.architecture:
        text = f"The processor architecture is not known, so it is not compared with {built}, the architecture of the image"
        yield Problem(ARCHITECTURE_UNKNOWN, text, "Check that the kubelets have registered", node)
    elif described.architecture not in image.architectures:
        text = f"{name} is built for {built}, but nodes have a different processor architecture"
        yield Problem("architecture-differs", text, "Choose an image for this architecture", node, described.architecture)
