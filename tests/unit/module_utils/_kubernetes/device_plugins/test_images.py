# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The images that are installed by default."""

from __future__ import annotations

import re

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.device_plugins import images
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.names import IMAGE


@pytest.mark.parametrize(
    ("region", "registry"),
    [
        ("us-west-2", "602401143452.dkr.ecr.us-west-2.amazonaws.com"),
        ("eu-south-2", "455263428931.dkr.ecr.eu-south-2.amazonaws.com"),
        ("cn-north-1", "918309763551.dkr.ecr.cn-north-1.amazonaws.com.cn"),
        ("us-gov-west-1", "013241004608.dkr.ecr.us-gov-west-1.amazonaws.com"),
    ],
)
def test_the_efa_plugin_comes_from_the_registry_of_the_region(region: str, registry: str) -> None:
    found = images.efa(region)
    assert found == f"{registry}/eks/aws-efa-k8s-device-plugin:v0.5.20" and re.fullmatch(IMAGE, found)


@pytest.mark.parametrize(
    ("region", "why"),
    [
        (None, "no Region is set"),
        ("us-isob-east-1", "the registry of EKS in Region us-isob-east-1 is not known"),
        ("ap-southeast-6", "the registry of EKS in Region ap-southeast-6 is not known"),
    ],
)
def test_a_region_without_a_known_registry_is_refused(region: str | None, why: str) -> None:
    with pytest.raises(Refused, match=f"^efa_image: missing; {why}.* Set efa_image to the image of AWS's EFA device plugin.$") as refused:
        images.efa(region)
    assert refused.value.option == "efa_image"


def test_all_images_are_valid_and_pinned() -> None:
    assert re.fullmatch(IMAGE, images.NVIDIA) and re.search(":v[0-9.]+$", images.NVIDIA)
    assert all(re.fullmatch("[0-9]{12}", account) for account in (images.ACCOUNT, *images.ACCOUNTS.values()))
