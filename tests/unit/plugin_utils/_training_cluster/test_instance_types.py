# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The family in the name of an instance type decides whether its nodes have accelerators."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import instance_types as types

ACCELERATED = (
    *("p4d.24xlarge", "p5en.48xlarge", "p6-b200.48xlarge", "p6e-gb300.36xlarge", "g4dn.metal", "g7e.48xlarge", "gr6.4xlarge"),
    *("trn1n.32xlarge", "trn2u.48xlarge", "inf2.48xlarge", "dl1.24xlarge"),
)
GENERAL = ("m7i.xlarge", "c5.2xlarge", "hpc7g.16xlarge", "im4gn.large", "is4gen.large", "u-6tb1.metal", "u7i-12tb.224xlarge", "z1d.large")
UNKNOWN = ("vt1.3xlarge", "f2.6xlarge", "mac2.metal", "q1.large")
NO_TYPES = ("ml.p5.48xlarge", "p5", "", "P5.48xlarge", "p5.48xlarge\n", None, 5)


@pytest.mark.parametrize("name", ACCELERATED)
def test_types_with_accelerators_are_for_gpu_groups(name: str) -> None:
    types.check_accelerated("type", name)
    with pytest.raises(Refused, match=r"^type: '.*' is not allowed: it has accelerators, which the system group would not use"):
        types.check_general("type", name)


@pytest.mark.parametrize("name", GENERAL)
def test_types_without_accelerators_are_for_the_system_group(name: str) -> None:
    types.check_general("type", name)
    with pytest.raises(Refused, match=r"^type: '.*' is not allowed: it has no accelerators"):
        types.check_accelerated("type", name)


@pytest.mark.parametrize("check", [types.check_accelerated, types.check_general])
@pytest.mark.parametrize("name", UNKNOWN)
def test_a_type_of_an_unknown_family_is_refused(check, name: str) -> None:
    with pytest.raises(Refused, match="it is not known whether this family has accelerators. Allowed: types of the families p, g, gr"):
        check("type", name)


@pytest.mark.parametrize("check", [types.check_accelerated, types.check_general])
@pytest.mark.parametrize("name", NO_TYPES)
def test_a_value_that_is_no_type_is_refused(check, name: object) -> None:
    with pytest.raises(Refused, match=r"Allowed: an instance type of EC2 such as p5.48xlarge"):
        check("type", name)
