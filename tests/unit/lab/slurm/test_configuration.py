# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from lab.slurm.configuration import SWITCH_WAIT, Member, configuration, topology

CONTROLLER = Member("ip-10-1-1-10", "10.1.1.10", "controller", "ml.m5.xlarge")
LOGIN = Member("ip-10-1-1-11", "10.1.1.11", "login", "ml.m5.xlarge")
WORKERS = [Member(f"ip-10-1-1-2{n}", f"10.1.1.2{n}", "compute", "ml.p5.48xlarge") for n in (2, 1)]


def lines(members, start):
    return [line for line in configuration("abc123def456", members).splitlines() if line.startswith(start)]


def test_login_nodes_are_in_dev_and_not_in_the_partition_of_a_type():
    members = [CONTROLLER, LOGIN, *WORKERS]
    assert lines(members, "SlurmctldHost") == ["SlurmctldHost=ip-10-1-1-10(10.1.1.10)"]
    assert [line.split()[0] for line in lines(members, "NodeName")] == [
        "NodeName=ip-10-1-1-11",
        "NodeName=ip-10-1-1-21",
        "NodeName=ip-10-1-1-22",
    ]
    dev, gpu = lines(members, "PartitionName")
    assert dev.startswith("PartitionName=dev Nodes=ALL Default=YES")
    assert gpu.startswith("PartitionName=ml.p5.48xlarge Nodes=ip-10-1-1-21,ip-10-1-1-22 ")


def test_every_machine_reads_accounts_from_the_controller():
    assert lines([CONTROLLER, LOGIN], "AccountingStorage") == [
        "AccountingStorageHost=ip-10-1-1-10",
        "AccountingStorageType=accounting_storage/slurmdbd",
    ]


def test_order_of_members_does_not_change_the_text():
    assert configuration("c", [LOGIN, *WORKERS]) == configuration("c", [*reversed(WORKERS), LOGIN])


def test_a_single_controller_has_no_partition():
    assert lines([CONTROLLER], "PartitionName") == []
    assert lines([CONTROLLER], "SlurmctldParameters") == ["SlurmctldParameters=enable_configless"]


def test_machines_without_slurm_are_omitted():
    assert lines([CONTROLLER, Member("ip-10-1-1-9", "10.1.1.9", "none")], "NodeName") == []


def test_a_tree_of_switches_is_used_if_it_exists():
    assert lines([CONTROLLER], "TopologyPlugin") == []
    with_tree = configuration("c", [CONTROLLER], tree=True)
    assert "TopologyPlugin=topology/tree\n" in with_tree and f"max_switch_wait={SWITCH_WAIT}\n" in with_tree


def test_switches_are_the_layers_above_the_nodes():
    layers = {"n1": ("nn-1", "nn-31"), "n2": ("nn-1", "nn-31"), "n3": ("nn-1", "nn-32")}
    assert topology(layers).splitlines() == [
        "SwitchName=nn-31 Nodes=n1,n2",
        "SwitchName=nn-32 Nodes=n3",
        "SwitchName=all Switches=nn-1",
        "SwitchName=nn-1 Switches=nn-31,nn-32",
    ]
