# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.registries import logins, region_of


@pytest.mark.parametrize(
    ("host", "region"),
    [
        ("763104351884.dkr.ecr.us-west-2.amazonaws.com", "us-west-2"),
        ("727897471807.dkr.ecr.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("111111111111.dkr.ecr-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
        ("111111111111.dkr-ecr.eu-west-1.on.aws", "eu-west-1"),
        ("public.ecr.aws", None),
        ("docker.io", None),
        ("763104351884.dkr.ecr.us-west-2.amazonaws.com.example.com", None),
        ("x763104351884.dkr.ecr.us-west-2.amazonaws.com", None),
        ("763104351884.dkr.ecr.us-west-2xamazonaws.com", None),
    ],
)
def test_regions(host: str, region: str | None) -> None:
    assert region_of(host) == region


def test_one_login_for_each_host() -> None:
    west, east = (f"763104351884.dkr.ecr.{region}.amazonaws.com" for region in ("us-west-2", "us-east-1"))
    own = "111111111111.dkr.ecr.us-west-2.amazonaws.com"
    images = [f"{west}/a", f"{west}/b:1", f"{east}/a@sha256:0", "python:3", "public.ecr.aws/a/b", west]
    assert logins(f"{own}/training", images) == {own: "us-west-2", west: "us-west-2", east: "us-east-1"}
