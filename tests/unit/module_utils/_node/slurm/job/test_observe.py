# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of Slurm's commands about jobs, with text that users choose."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job import observe
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.job.model import Facts, Job

HASH = "0123456789abcdef" * 2
COMMENT = f"mlfleet.hyperpod:required:{HASH}"


def test_jobs_of_the_queue_are_parsed():
    text = "12|20001|RUNNING|dev|2|ip-10-1-2-[3-4]|None\n13|20001|PENDING|dev|4||Nodes required for job are DOWN, DRAINED|x\nx|1|R|d|1||N\n14|2\n"
    assert observe.parse_queue(text) == [
        Job(12, 20001, "RUNNING", partition="dev", size=2, nodes=("ip-10-1-2-3", "ip-10-1-2-4")),
        Job(13, 20001, "PENDING", partition="dev", size=4, reason="Nodes required for job are DOWN, DRAINED|x"),
    ]


@pytest.mark.parametrize(
    ("clock", "seconds"), [("0:20", 20), ("5:00", 300), ("1:00:01", 3601), ("7-00:00:00", 604800), ("INVALID", 0), ("", 0), ("UNLIMITED", 0)]
)
def test_times_of_squeue_are_parsed(clock, seconds):
    assert observe.parse_switches(f"12                  1                   {clock}\n") == ({12: (1, seconds)} if clock else {})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"12|{COMMENT}\n", {12: COMMENT}),
        (f"12|a\n13|{COMMENT}\n12|{COMMENT}\n", {12: "a", 13: COMMENT}),
        ("12\n|x\n", {}),
    ],
)
def test_comments_of_users_are_parsed(text, found):
    assert observe.parse_pairs(text) == found


def test_ended_jobs_are_recognized_by_their_submit_command():
    text = "\n".join(
        [
            f"12|COMPLETED|dev|n[1-2]||sbatch --parsable --comment={COMMENT} --nodes=2",
            f"13|CANCELLED by 0|dev|None assigned|{COMMENT}|",
            "14|FAILED|dev|n1|mlfleet.hyperpod:maybe:" + HASH + "|sbatch a.sh",
            f"15|FAILED|dev|n1|{COMMENT}0|sbatch a.sh",
            "12.batch|COMPLETED|dev|n1||",
            "",
        ]
    )
    found = observe.parse_accounted(text, 20001)
    assert [(each.id, each.ours, each.placement) for each in found] == [(12, True, "required"), (13, True, "required"), (14, False, ""), (15, False, "")]
    assert found[0].nodes == ("n1", "n2") and found[1].nodes == () and found[1].cancelled and found[1].stage == "cancelled"


TREE = "SwitchName=top Level=1 LinkSpeed=1 Nodes=a,b Switches=l1\nSwitchName=l1 Level=0 LinkSpeed=1 Nodes=a,b\n"
BLOCK = "BlockName=b1 BlockIndex=0 Nodes=n[1-18] BlockSize=18\n"


@pytest.mark.parametrize(
    ("config", "topology", "found"),
    [
        ("", "", Facts(300, "", "")),
        ("SchedulerParameters     = (null)\nTopologyPlugin          = topology/flat\n", "", Facts(300, "topology/flat", "")),
        ("SchedulerParameters = bf_interval=30,max_switch_wait=900\nTopologyPlugin = topology/tree\n", TREE, Facts(900, "topology/tree", "tree")),
        ("SlurmctldParameters = max_switch_wait=900\nTopologyPlugin = topology/flat\n", TREE, Facts(300, "topology/flat", "tree")),
        ("TopologyPlugin = topology/block\n", BLOCK, Facts(300, "topology/block", "block")),
    ],
)
def test_facts_about_the_topology_are_read(config, topology, found):
    assert observe.facts(config, topology) == found
