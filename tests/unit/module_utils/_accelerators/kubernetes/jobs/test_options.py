# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid options of accelerator checks by Jobs."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.model import Desired, Target
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.kubernetes.jobs.options import desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused

FIRST, SECOND = "i-0123456789abcdef0", "i-0123456789abcdef1"
COUNTS = {"expected_gpus": None, "expected_efa_devices": None, "expected_neuron_devices": None}


def node(instance_id: str = FIRST, **more: t.Any) -> dict[str, t.Any]:
    return {"instance_id": instance_id, "instance_type": "ml.p5.48xlarge", **COUNTS, **more}


PARAMS: dict[str, t.Any] = {
    "nodes": [node()],
    "image": "python:3.12-slim",
    "namespace": "mlfleet-hyperpod",
    "batch": 20,
    "batch_timeout": 300,
    "health_profile": None,
    "dcgm": True,
    "timeout": 30,
}


def wanted(**given: t.Any) -> Desired:
    return desired({**PARAMS, **given})


def test_valid_options_are_accepted() -> None:
    found = wanted(nodes=[node(), node(SECOND, expected_gpus=8)], batch=500, batch_timeout=3600, dcgm=False, timeout=300)
    assert found == Desired(
        nodes=(Target(FIRST, node()), Target(SECOND, node(SECOND, expected_gpus=8))),
        settings={"profile": None, "dcgm": False, "timeout": 300},
        image="python:3.12-slim",
        namespace="mlfleet-hyperpod",
        batch=500,
        seconds=3600,
    )
    assert (wanted(batch=1, batch_timeout=10).batch, wanted(batch_timeout=10).seconds, wanted(nodes=[]).nodes) == (1, 10, ())


def test_the_namespace_of_a_team_needs_permission() -> None:
    params = {**PARAMS, "namespace": "hyperpod-ns-a"}
    assert desired(params, of_teams=True).namespace == "hyperpod-ns-a"
    with pytest.raises(Refused, match="namespace: 'hyperpod-ns-a' is not allowed"):
        desired(params)


def test_a_node_may_have_a_name_of_its_own() -> None:
    assert [each.node for each in wanted(nodes=[node(), node(SECOND, node="ip-10-0-0-1")]).nodes] == [f"hyperpod-{FIRST}", "ip-10-0-0-1"]


REFUSED = [
    ({"nodes": [node(node="A b")]}, "nodes.node", "nodes.node: 'A b' is not allowed"),
    ({"nodes": [node(node="a"), node(SECOND, node="a")]}, "nodes.node", "given more than once"),
    ({"image": "A b"}, "image", "an image such as"),
    ({"image": "a" * 256}, "image", "image"),
    ({"namespace": "A"}, "namespace", "namespace: 'A' is not allowed"),
    ({"nodes": [node("node-1")]}, "nodes.instance_id", "node-1"),
    ({"nodes": [node(), node()]}, "nodes.instance_id", "given more than once"),
    ({"nodes": [node(expected_gpus=-1)]}, "expected_gpus", "a number from 0"),
    ({"batch": 0}, "batch", "batch: 0"),
    ({"batch": 501}, "batch", "batch: 501"),
    ({"batch_timeout": 9}, "batch_timeout", "batch_timeout: 9"),
    ({"batch_timeout": 3601}, "batch_timeout", "batch_timeout: 3601"),
    ({"timeout": 0}, "timeout", "a number of seconds from 1 to 300"),
    ({"health_profile": {"no_such_setting": 1}}, "health_profile", "health_profile: .*no_such_setting"),
]


@pytest.mark.parametrize(("given", "option", "message"), REFUSED)
def test_invalid_options_are_refused(given: dict[str, t.Any], option: str, message: str) -> None:
    with pytest.raises(Refused, match=message) as refused:
        wanted(**given)
    assert refused.value.option == option
