# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of a proof, and the message for each invalid one."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._karpenter.proof.options import desired
from unit.module_utils._karpenter.proof.proof_states import ARN

GIVEN = {
    "cluster_arn": ARN,
    "node_pool": "gpus",
    "instance_type": None,
    "namespace": "default",
    "image": "registry.k8s.io/pause:3.10",
    "up_timeout": 1200,
    "down_timeout": 900,
    "poll_interval": 10,
}


def test_the_pod_name_is_stable() -> None:
    found = desired({**GIVEN, "node_pool": "gpus.a-1"})
    assert (found.pod, found.instance_type) == ("default/hyperpod-proof-gpus.a-1", "")
    assert found.pod_path == "/api/v1/namespaces/default/pods/hyperpod-proof-gpus.a-1"


@pytest.mark.parametrize(
    "image",
    [
        "pause",
        "registry.k8s.io/pause:3.10",
        "localhost:5000/a/b_c:1",
        "111111111111.dkr.ecr.us-west-2.amazonaws.com/pause@sha256:" + "0" * 64,
    ],
)
def test_valid_images_are_accepted(image: str) -> None:
    assert desired({**GIVEN, "image": image}).image == image


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"cluster_arn": "ml"}, "cluster_arn: 'ml' is not allowed."),
        ({"node_pool": ""}, "node_pool: '' is not allowed. Allowed: the name of a NodePool"),
        ({"node_pool": "GPUs"}, "node_pool: 'GPUs' is not allowed."),
        ({"node_pool": "g" * 64}, "is not allowed. Allowed: the name of a NodePool"),
        ({"node_pool": "gpus/../x"}, "node_pool: 'gpus/../x' is not allowed."),
        ({"instance_type": ""}, "instance_type: '' is not allowed. Allowed: an instance type such as ml.p5.48xlarge."),
        ({"instance_type": "g5.8xlarge"}, "instance_type: 'g5.8xlarge' is not allowed."),
        ({"namespace": ""}, "namespace: '' is not allowed. Allowed: the name of a namespace"),
        ({"namespace": "Default"}, "namespace: 'Default' is not allowed."),
        ({"namespace": "a/pods"}, "namespace: 'a/pods' is not allowed."),
        ({"namespace": "hyperpod-ns-team"}, "task governance manages the namespace, and AWS denies Pods there that are not in a queue."),
        ({"image": ""}, "image: '' is not allowed. Allowed: an image such as registry.k8s.io/pause:3.10."),
        ({"image": "pause 3"}, "image: 'pause 3' is not allowed."),
        ({"image": "Pause:3"}, "image: 'Pause:3' is not allowed."),
        ({"image": "a@sha256:12"}, "image: 'a@sha256:12' is not allowed."),
        ({"image": "a" * 256}, "Allowed: at most 255 characters."),
        ({"up_timeout": 0}, "up_timeout: 0 is not allowed. Allowed: 1 to 86400."),
        ({"up_timeout": 86401}, "up_timeout: 86401 is not allowed."),
        ({"down_timeout": -1}, "down_timeout: -1 is not allowed. Allowed: 1 to 86400."),
        ({"poll_interval": 0}, "poll_interval: 0 is not allowed. Allowed: 1 to 300."),
        ({"poll_interval": 301}, "poll_interval: 301 is not allowed."),
    ],
)
def test_invalid_options_are_refused(wrong: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        desired({**GIVEN, **wrong})
    assert message in str(refused.value)
