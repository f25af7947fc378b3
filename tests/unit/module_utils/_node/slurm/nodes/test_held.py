# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Features, partitions and reservations of Slurm nodes from scontrol, and failures of scontrol."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.held import (
    parse_nodes,
    parse_reservations,
    with_holders,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.model import DRAINED, QUERY, Desired, SlurmNode
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.slurm.nodes.observe import observe

CHECKED, FREE = "ip-10-0-0-1", "ip-10-0-0-2"
NODES = f"""\
NodeName={CHECKED} Arch=x86_64 CoresPerSocket=48
   CPUAlloc=0 CPUTot=96 CPULoad=0.00
   Gres=gpu:h100:8(S:0-1)
   AvailableFeatures=ml.p5.48xlarge,SageMakerDeepHealthCheck:InProgress
   ActiveFeatures=SageMakerDeepHealthCheck:InProgress
   State=IDLE+MAINTENANCE+RESERVED ThreadsPerCore=1 TmpDisk=0
   Partitions=dev,hyperpod-system-maintenance\x20
   Reason=Partitions=a AvailableFeatures=b [root@2026-11-25T03:00:00]
   ReservationName=hyperpod-deep-health-check

NodeName={FREE} CoresPerSocket=48
   AvailableFeatures=(null)
   ActiveFeatures=(null)
   Partitions=dev
   Comment=x ReservationName=hyperpod-deep-health-check
   Partitions=hyperpod-system-maintenance
   NodeName=ip-10-0-0-3
"""
RESERVATIONS = """\
ReservationName=hyperpod-deep-health-check StartTime=2026-11-25T02:00:00 EndTime=2027-11-25T02:00:00 Duration=365-00:00:00
   Nodes=ip-10-0-0-[1,3] NodeCnt=2 CoreCnt=192 Features=(null) PartitionName=(null) Flags=MAINT,SPEC_NODES
   TRES=cpu=192
   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=ACTIVE BurstBuffer=(null) Watts=n/a

ReservationName=next-week StartTime=2026-12-01T02:00:00 EndTime=2026-12-02T02:00:00 Duration=1-00:00:00
   Nodes=ip-10-0-0-[1-3] NodeCnt=3 CoreCnt=288 Features=(null) PartitionName=dev Flags=
   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null) Watts=n/a
   Comment=x State=ACTIVE
"""
SINFO = f"{CHECKED}|10.0.0.1|maint|none\n{FREE}|10.0.0.2|idle|none\n"


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand-ins for Slurm's commands, each of which prints a file."""
    monkeypatch.setattr(system, "SEARCH_PATH", f"{tmp_path}:/usr/bin:/bin")
    for name, text in (("node", NODES), ("reservation", RESERVATIONS), ("sinfo", SINFO), ("squeue", "")):
        (tmp_path / f"output-{name}").write_text(text)
    for name, shown in (("scontrol", "$3"), ("sinfo", "sinfo"), ("squeue", "squeue")):
        (tmp_path / name).write_text(f"#!/bin/sh\nexec cat {tmp_path}/output-{shown}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def test_nodes_of_scontrol_are_parsed() -> None:
    found = parse_nodes(NODES)
    assert found[CHECKED]["AvailableFeatures"] == ("ml.p5.48xlarge", "SageMakerDeepHealthCheck:InProgress")
    assert found[CHECKED]["Partitions"] == ("dev", "hyperpod-system-maintenance")
    assert found[FREE]["ActiveFeatures"] == () and "ReservationName" not in found[FREE], "a comment has no fields"
    assert found[FREE]["Partitions"] == ("dev",) and set(found) == {CHECKED, FREE}, "other lines are ignored"


def test_active_reservations_hold_their_nodes() -> None:
    names = ("hyperpod-deep-health-check",)
    assert parse_reservations(RESERVATIONS) == {CHECKED: names, "ip-10-0-0-3": names}


@pytest.mark.parametrize("text", ["", "No reservations in the system\n", "NodeName=\n", "ReservationName=\n  State=ACTIVE\n", "\0=\n ,,[-\n"])
def test_other_output_holds_no_nodes(text: str) -> None:
    assert not any(parse_nodes(text).get(CHECKED, {}).values()) and parse_reservations(text) == {}


def test_control_characters_are_replaced() -> None:
    assert parse_nodes("NodeName=a\n   Partitions=\x1b[2J,\n")["a"]["Partitions"] == ("?[2J",)


def test_a_query_has_what_holds_each_node(slurm: Path) -> None:
    checked, free = observe(Desired(QUERY, ("10.0.0.1", "10.0.0.2"))).nodes
    assert checked.features == ("SageMakerDeepHealthCheck:InProgress", "ml.p5.48xlarge")
    assert checked.reservations == ("hyperpod-deep-health-check",)
    assert (checked.gres, free.gres) == (("gpu:h100:8(S:0-1)",), ())
    assert (free.features, free.partitions, free.reservations) == ((), ("dev",), ())
    assert observe(Desired(DRAINED, ("10.0.0.1",), "disk")).nodes == (SlurmNode(CHECKED, "10.0.0.1", "maint"),)


def test_nodes_are_returned_without_details_if_scontrol_fails(slurm: Path) -> None:
    node = SlurmNode(CHECKED, "10.0.0.1", "idle")
    (slurm / "output-node").unlink()
    assert with_holders([node]) == (SlurmNode(CHECKED, "10.0.0.1", "idle", reservations=("hyperpod-deep-health-check",)),)
    (slurm / "scontrol").unlink()
    assert with_holders([node]) == (node,)
