# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of NCCL tests by Jobs."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.nccl.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.model import Desired as OfNccl
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

FIRST, SECOND = "i-0123456789abcdef0", "i-0123456789abcdef1"
OF_TEST: dict[str, t.Any] = {
    "instance_type": "ml.p5.48xlarge",
    "gpus": 8,
    "efa": False,
    "reference": 400.5,
    "floor_percent": 50,
    "timeout": 700,
}
PARAMS: dict[str, t.Any] = {
    "instance_ids": [FIRST, SECOND],
    "image": "pytorch:2",
    "namespace": "tests",
    "bytes": 2**30,
    "queue_timeout": 70,
    "start_timeout": 900,
    **OF_TEST,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given})


def test_valid_options_are_accepted() -> None:
    test = OfNccl(addresses=(FIRST, SECOND), bytes=2**30, mpi="", **OF_TEST)
    assert wanted() == Desired(test, "pytorch:2", "tests", queue_timeout=70, start_timeout=900)
    assert wanted(bytes=None).test.bytes > 0
    assert [wanted(start_timeout=each).start_timeout for each in (10, 3600)] == [10, 3600]


def test_nodes_may_have_names_of_their_own() -> None:
    assert wanted().nodes == (f"hyperpod-{FIRST}", f"hyperpod-{SECOND}")
    assert wanted(nodes=["ip-10-0-0-1.us-west-2.compute.internal", FIRST]).nodes == ("ip-10-0-0-1.us-west-2.compute.internal", FIRST)


REFUSED = [
    ({"nodes": ["a"]}, "nodes", "2 names, one for each of instance_ids"),
    ({"nodes": ["a", "A b"]}, "nodes", "nodes: 'A b' is not allowed"),
    ({"nodes": ["a", "a"]}, "nodes", "given more than once"),
    ({"image": "A b"}, "image", "an image such as"),
    ({"image": "a" * 256}, "image", "image"),
    ({"namespace": "hyperpod-ns-a"}, "namespace", "namespace: 'hyperpod-ns-a' is not allowed"),
    ({"instance_ids": ["node-1", FIRST]}, "instance_ids", "node-1"),
    ({"instance_ids": [FIRST, FIRST]}, "instance_ids", "given more than once"),
    ({"instance_ids": [FIRST]}, "instance_ids", "requires at least two"),
    ({"instance_ids": [f"i-{number:017x}" for number in range(1025)]}, "instance_ids", "at most 1024"),
    ({"gpus": 17}, "gpus", "1 to 16"),
    ({"bytes": 1}, "bytes", "bytes: 1 is not allowed"),
    ({"floor_percent": 0}, "floor_percent", "1 to 100"),
    ({"timeout": 59}, "timeout", "60 to 3600"),
    ({"queue_timeout": 0}, "queue_timeout", "1 to 3600"),
    ({"start_timeout": 9}, "start_timeout", "start_timeout: 9"),
    ({"start_timeout": 3601}, "start_timeout", "start_timeout: 3601"),
    ({"reference": 0.0}, "reference", "GB/s above 0"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
