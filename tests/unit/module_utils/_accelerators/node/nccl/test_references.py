# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Published bandwidths, and cases without one."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.nccl.references import GIB, reference, usual_bytes


@pytest.mark.parametrize(
    ("instance_type", "nodes", "size", "gpus", "expected"),
    [
        ("ml.p5.48xlarge", 2, 4 * GIB, 8, 466.0),
        ("p5.48xlarge", 2, 3 * GIB, 8, 438.0),
        ("ml.p5.48xlarge", 2, GIB, 8, 313.0),
        ("ml.p5.48xlarge", 2, GIB // 2, 8, None),
        ("ml.p5.48xlarge", 3, 4 * GIB, 8, None),
        ("ml.p5.48xlarge", 2, 4 * GIB, 4, None),
        ("ml.p5.4xlarge", 2, 4 * GIB, 1, None),
        ("ml.p5en.48xlarge", 2, 4 * GIB, 8, None),
        ("ml.p6-b200.48xlarge", 4, 4 * GIB, 8, 375.0),
        ("ml.p6-b200.48xlarge", 2, 4 * GIB, 8, None),
        ("ml.p6-b300.48xlarge", 2, 4 * GIB, 8, None),
        ("ml.p6-b300.48xlarge", 2, 16 * GIB, 8, 654.0),
        ("ml.p4d.24xlarge", 3, GIB, 8, 31.8),
        ("ml.g5.48xlarge", 1, GIB, 8, None),
        ("", 2, GIB, 8, None),
    ],
)
def test_a_reference_depends_on_type_nodes_and_bytes(instance_type: str, nodes: int, size: int, gpus: int, expected: float | None) -> None:
    found = reference(instance_type, nodes=nodes, bytes_=size, gpus=gpus)
    assert (found.bandwidth if found else None) == expected and (found is None or found.source)


@pytest.mark.parametrize(
    ("instance_type", "size"),
    [
        ("ml.p4d.24xlarge", 1),
        ("ml.g6e.48xlarge", 1),
        ("ml.p5.48xlarge", 4),
        ("p6-b300.48xlarge", 4),
        ("ml.p5en.48xlarge", 4),
        ("", 1),
    ],
)
def test_the_message_size_depends_on_the_type(instance_type: str, size: int) -> None:
    assert usual_bytes(instance_type) == size * GIB
