# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters that build names of AWS resources."""

from __future__ import annotations

import typing as t

import pytest
from ansible.errors import AnsibleFilterError
from ansible_collections.mlfleet.hyperpod.plugins.filter.names import FilterModule

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
FILTERS = FilterModule().filters()


def test_each_filter_builds_its_own_name() -> None:
    assert {name: made("ml", ARN).rpartition("-")[0] for name, made in FILTERS.items()} == {
        "balancer_name": "hp-ml",
        "security_group_name": "mlfleet-hyperpod-ml",
    }


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(("key", "arn"), [("ml", None), (None, ARN), (7, ARN)])
def test_a_value_that_is_no_text_is_refused_with_the_name_of_the_filter(name: str, key: t.Any, arn: t.Any) -> None:
    with pytest.raises(AnsibleFilterError, match=f"^{name} requires the key and the ARN of the cluster, both as strings"):
        FILTERS[name](key, arn)
