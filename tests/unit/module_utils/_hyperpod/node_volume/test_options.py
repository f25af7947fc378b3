# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of volumes."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.node_volume.options import desired

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
NODE, VOLUME = "i-0123456789abcdef0", "vol-0123456789abcdef0"


def wanted(**given: t.Any) -> Desired:
    return desired({"cluster_arn": ARN, "node_id": NODE, "volume_id": VOLUME, "state": "present", **given})


def test_valid_options_are_accepted() -> None:
    assert wanted() == Desired(ARN, NODE, VOLUME)
    assert wanted(state="absent", volume_id="vol-01234567") == Desired(ARN, NODE, "vol-01234567", present=False)


REFUSED = [
    ({"node_id": "node-1"}, "node_id", "an instance ID such as"),
    ({"volume_id": "vol-0"}, "volume_id", "a volume ID such as"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
