# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of the check of Karpenter's requirements."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.model import Requested, Trigger
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.requirements.options import asked

ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"


def wanted(**given: t.Any) -> Requested:
    return asked({"cluster_arn": ARN, "node_class": "gpus", "instance_groups": ["g5-a"], "keda_triggers": [], **given})


def test_valid_options_are_accepted() -> None:
    triggers = [{"type": "prometheus", "authenticated": True}, {"type": "cron", "authenticated": False}]
    found = wanted(node_class="a." * 126 + "b", instance_groups=["B", "a" * 63], keda_triggers=triggers)
    expected = (Trigger("prometheus", True), Trigger("cron", False))
    assert found == Requested(ARN, "a." * 126 + "b", ("B", "a" * 63), expected)
    assert wanted() == Requested(ARN, "gpus", ("g5-a",), ())


REFUSED = [
    ({"node_class": "A"}, "node_class", "a Kubernetes name"),
    ({"node_class": "a" * 254}, "node_class", "a Kubernetes name"),
    ({"instance_groups": []}, "instance_groups", "instance_groups: missing"),
    ({"instance_groups": ["a_b"]}, "instance_groups", "the name of an instance group"),
    ({"instance_groups": ["a" * 64]}, "instance_groups", "the name of an instance group"),
    ({"instance_groups": ["a", "a"]}, "instance_groups", "given more than once"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
