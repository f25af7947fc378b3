# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid options of security_group_rule are refused with the option, its value and the allowed values."""

from __future__ import annotations

import copy

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.security_group_rule import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.modules import security_group_rule

OWNER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
GROUP = "sg-0123456789abcdef0"


BAD = [
    ({"group_id": "x"}, "group_id", "sg-"),
    ({"group_id": None, "group_name": "x"}, "group_name", "vpc_id"),
    ({"group_id": None, "group_name": "x", "vpc_id": "v"}, "vpc_id", "vpc-"),
    ({"from_port": 0}, "from_port", "65535"),
    ({"from_port": None}, "from_port", "65535"),
    ({"to_port": 21}, "to_port", "22"),
    ({"to_port": 65536}, "to_port", "65535"),
    ({"protocol": "all"}, "from_port", "no ports"),
    ({"cidr": "10.1.1.1/16"}, "cidr", "prefix"),
    ({"cidr": "everyone"}, "cidr", "network"),
    ({"description": "x" * 256}, "description", "255"),
    ({"cluster_arn": "ml"}, "cluster_arn", "arn:aws"),
]


@pytest.mark.parametrize(("bad", "option", "words"), BAD)
def test_an_invalid_option_is_refused(bad, option, words):
    params = {option: copy.copy(spec.get("default")) for option, spec in security_group_rule.SPEC.items()}
    params.update(group_id=GROUP, from_port=22, cidr="10.1.0.0/16", cluster_arn=OWNER)
    options.desired(params)
    with pytest.raises(Refused) as caught:
        options.desired({**params, **bad})
    assert str(caught.value).startswith(option) and words in str(caught.value)
