# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions of the VPC CNI that work with HyperPod nodes."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.eks_requirements.cni import cni_requirement


@pytest.mark.parametrize(
    ("version", "met"),
    [
        (None, None),
        ("not-a-version", None),
        ("v1.18.2-eksbuild.3", False),
        ("v1.18.3-eksbuild.1", True),
        ("v1.21.2-eksbuild.1", True),
        ("v1.22.1-eksbuild.1", False),
        ("v1.22.2-eksbuild.1", False),
        ("v1.22.3-eksbuild.1", False),
        ("v1.22.4-eksbuild.1", True),
        ("v1.23.0-eksbuild.1", True),
    ],
)
def test_old_and_broken_releases_do_not_meet_the_requirement(version: str | None, met: bool | None) -> None:
    assert cni_requirement(version).met is met


def test_the_upstream_report_and_the_fixed_release_are_named() -> None:
    needed = cni_requirement("v1.22.2-eksbuild.1").needed
    assert needed == (
        "1.18.3 or newer, except 1.22.1 to 1.22.3, which can give a Pod the address of its node"
        " (aws/amazon-vpc-cni-k8s #3753, fixed in 1.22.4)"
    )
