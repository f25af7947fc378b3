# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of a cluster's balancer resources."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer import names

OWNER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"


@pytest.mark.parametrize(
    ("key", "readable"),
    [
        ("ml", "ml-"),
        ("prod_west.2", "prod-west-2-"),
        ("a-very-long-cluster-key", "a-very-long-clus-"),
        ("fifteen-letters-", "fifteen-letters-"),
        ("___", ""),
    ],
)
def test_names_have_allowed_lengths_and_characters(key, readable):
    name = names.balancer_name(key, OWNER)
    assert name.startswith("hp-" + readable) and len(name) <= 28
    assert names.check_name("name", name) == name
    assert names.security_group_name(key, OWNER) == "mlfleet-hyperpod-" + name[3:]


def test_names_differ_by_arn():
    assert names.balancer_name("ml", OWNER) != names.balancer_name("ml", OWNER.replace("111111111111", "222222222222"))
