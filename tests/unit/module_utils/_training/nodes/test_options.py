# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of training_node_info."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.model import Desired
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.options import desired

GIVEN = {"nodes": ["a"], "instance_type": "ml.p5.48xlarge", "gpus": 8, "efa_devices": 0, "images": [], "idle": False}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"nodes": []}, "nodes: '0 nodes' is not allowed. Allowed: 1 to 1024."),
        ({"nodes": [f"n{number}" for number in range(1025)]}, "nodes: '1025 nodes' is not allowed"),
        ({"nodes": ["a", "A"]}, "nodes: 'A' is not allowed"),
        ({"nodes": ["a\n"]}, "nodes: 'a\\n' is not allowed"),
        ({"nodes": ["a", "b", "a"]}, "nodes: 'a' is not allowed: it is given more than once"),
        ({"instance_type": ""}, "instance_type: '' is not allowed"),
        ({"instance_type": "ml.p5"}, "instance_type: 'ml.p5' is not allowed. Allowed: an instance type such as ml.p5.48xlarge"),
        ({"instance_type": "p5.48xlarge\n"}, "instance_type: 'p5.48xlarge\\n' is not allowed"),
        ({"gpus": 0}, "gpus: 0 is not allowed. Allowed: 1 to 16."),
        ({"gpus": 17}, "gpus: 17 is not allowed"),
        ({"efa_devices": -1}, "efa_devices: -1 is not allowed. Allowed: 0 to 64."),
        ({"efa_devices": 65}, "efa_devices: 65 is not allowed"),
        ({"images": ["A b"]}, "images: 'A b' is not allowed. Allowed: an image such as"),
        ({"images": ["a", "a"]}, "images: 'a' is not allowed: it is given more than once"),
    ],
)
def test_invalid_options_are_refused(given: dict[str, t.Any], message: str) -> None:
    with pytest.raises(Refused) as refused:
        desired({**GIVEN, **given})
    assert message in str(refused.value)


@pytest.mark.parametrize("name", ["p5.48xlarge", "ml.p6-b200.48xlarge", "m7i.metal-24xl", "ml.p6e-gb200.36xlarge"])
def test_valid_options_are_accepted(name: str) -> None:
    given = {"nodes": ["b", "a"], "instance_type": name, "gpus": 16, "efa_devices": 64, "images": ["a:1", "b"], "idle": True}
    assert desired(given) == Desired(("b", "a"), name, 16, 64, images=("a:1", "b"), idle=True)
