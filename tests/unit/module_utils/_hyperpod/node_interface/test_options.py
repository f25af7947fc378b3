# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of network interfaces."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_interface.options import desired

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NODE = "i-0123456789abcdef0"


def wanted(**given: t.Any) -> Desired:
    return desired({"cluster_arn": ARN, "node_id": NODE, "network_interface_id": "eni-0123456789abcdef0", **given})


def test_valid_options_are_accepted() -> None:
    assert wanted() == Desired(ARN, NODE, "eni-0123456789abcdef0")
    assert wanted(network_interface_id="eni-01234567").interface_id == "eni-01234567"


REFUSED = [
    ({"node_id": "eni-0123456789abcdef0"}, "node_id", "an instance ID such as"),
    ({"network_interface_id": "eni-0"}, "network_interface_id", "an interface ID such as"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
