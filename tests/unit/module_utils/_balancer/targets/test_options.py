# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad options of login_targets are refused with option, value and what is allowed."""

from __future__ import annotations

import copy

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._balancer.targets import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.modules import login_targets

BAD = [
    ({"target_group": "a b"}, "target_group", "a b"),
    ({"port": 70000}, "port", "65535"),
    ({"minimum_healthy": -1}, "minimum_healthy", "0 or more"),
    ({"verified": ["ml-1"]}, "verified", "i-"),
    ({"drained": ["10.1.1.1"]}, "drained", "i-"),
    ({"failed": ["10.1.1.1"]}, "failed", "i-"),
    ({"cluster_arn": "ml"}, "cluster_arn", "arn:aws"),
]


@pytest.mark.parametrize(("bad", "option", "words"), BAD)
def test_invalid_options_are_refused(bad, option, words):
    params = {option: copy.copy(spec.get("default")) for option, spec in login_targets.SPEC.items()}
    params.update(target_group="tg")
    options.desired(params)
    with pytest.raises(Refused) as caught:
        options.desired({**params, **bad})
    assert str(caught.value).startswith(option) and words in str(caught.value)
