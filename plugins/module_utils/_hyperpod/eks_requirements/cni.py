# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Versions of the VPC CNI, EKS's network add-on, that work with HyperPod's nodes."""

from __future__ import annotations

from ..._core.bad_releases import VPC_CNI, bad_release, bad_releases, dotted, version_numbers
from .model import EksRequirement

OLDEST = (1, 18, 3)
NEEDED = ", ".join([f"{dotted(OLDEST)} or newer", *(f"except {each}" for each in bad_releases(VPC_CNI))])


def cni_requirement(version: str | None) -> EksRequirement:
    """The requirement on the VPC CNI, and whether it is met. ``version`` is None if EKS does not manage the add-on."""
    if version is None:
        return EksRequirement(VPC_CNI, None, "not an EKS add-on", NEEDED)
    numbers = version_numbers(version)
    met = numbers >= OLDEST and bad_release(VPC_CNI, numbers) is None
    return EksRequirement(VPC_CNI, met if numbers else None, version, NEEDED)
