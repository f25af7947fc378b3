# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Known releases with defects that break HyperPod, the upstream reports of the defects, and functions that compare versions.

Standard library only, Python 3.9 syntax: this file also runs on cluster nodes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

Version = tuple[int, ...]

VPC_CNI = "VPC CNI"


@dataclass(frozen=True)
class BadReleases:
    """A range of releases, both ends included."""

    component: str
    first: Version
    last: Version
    effect: str
    """What the releases do; a clause that follows "which" in the text."""
    reference: str
    """Repository and number of the upstream report."""
    fixed: Version

    @property
    def versions(self) -> str:
        return f"{dotted(self.first)} to {dotted(self.last)}" if self.first != self.last else dotted(self.first)

    def __str__(self) -> str:
        return f"{self.versions}, which {self.effect} ({self.reference}, fixed in {dotted(self.fixed)})"


BAD_RELEASES = (
    BadReleases(
        VPC_CNI,
        (1, 22, 1),
        (1, 22, 3),
        "can give a Pod the address of its node",
        "aws/amazon-vpc-cni-k8s #3753",
        (1, 22, 4),
    ),
)
"""The tag of ``fixed`` and all later tags contain the fix."""


def bad_release(component: str, version: Version) -> BadReleases | None:
    """The row whose range includes this version."""
    return next((each for each in bad_releases(component) if each.first <= version <= each.last), None)


def bad_releases(component: str) -> list[BadReleases]:
    return [each for each in BAD_RELEASES if each.component == component]


def version_numbers(version: str) -> Version:
    """``(1, 18, 3)`` for ``v1.18.3-eksbuild.1``; empty if the text contains no version at its start."""
    match = re.match(r"v?(\d+(?:\.\d+)*)", version)
    return tuple(map(int, match[1].split("."))) if match else ()


def dotted(version: Version) -> str:
    return ".".join(map(str, version))
