# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm nodes and jobs from the output of Slurm's commands."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import Job, SlurmNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.observe import is_at, parse_jobs, parse_nodes

SINFO = """ip-10-0-0-1|10.0.0.1|idle|none
ip-10-0-0-1|10.0.0.1|idle|none
ip-10-0-0-2|ip-10-0-0-2|drained*|mlfleet.hyperpod: a|b
ip-10-0-0-3|10.0.0.3|mixed-|\x1b[2J
something else
"""


def test_a_node_of_several_partitions_is_listed_once() -> None:
    assert parse_nodes(SINFO) == [
        SlurmNode("ip-10-0-0-1", "10.0.0.1", "idle", ""),
        SlurmNode("ip-10-0-0-2", "ip-10-0-0-2", "drained", "mlfleet.hyperpod: a|b"),
        SlurmNode("ip-10-0-0-3", "10.0.0.3", "mixed", "?[2J"),
    ]


@pytest.mark.parametrize(
    ("name", "address", "at"),
    [("ip-10-0-0-1", "x", True), ("x", "10.0.0.1", True), ("ip-10-0-0-11", "x", False), ("x", "10.0.0.11", False)],
)
def test_a_node_is_found_by_its_address_or_its_name(name: str, address: str, at: bool) -> None:
    assert is_at(SlurmNode(name, address, "idle"), "10.0.0.1") is at


def test_jobs_are_parsed_and_other_lines_ignored() -> None:
    assert parse_jobs("7|alice|RUNNING|ip-10-1-2-[3-4]\n8_1|bob|COMPLETING|\nslurm_load_jobs error\n") == (
        Job("7", "alice", "RUNNING", ("ip-10-1-2-3", "ip-10-1-2-4")),
        Job("8_1", "bob", "COMPLETING"),
    )
