# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invalid options of balancer_adoption."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.adoption import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

OWNER = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
PARAMS = {
    "load_balancer": "smhp-login-node-lb",
    "target_group": "arn:aws:elasticloadbalancing:us-west-2:111111111111:targetgroup/smhp-login-node-tg/73e2d6bc24d8a067",
    "state": "present",
    "cluster_arn": OWNER,
    "port": 22,
    "scheme": None,
    "tags": None,
}


@pytest.mark.parametrize(
    ("option", "value"),
    [("load_balancer", "-lb"), ("target_group", "a_b"), ("port", 0), ("cluster_arn", "ml")],
)
def test_invalid_options_are_refused(option, value):
    assert options.desired(PARAMS).tags == {"mlfleet.hyperpod/cluster": OWNER}
    with pytest.raises(Refused, match=f"^{option}: "):
        options.desired({**PARAMS, option: value})
