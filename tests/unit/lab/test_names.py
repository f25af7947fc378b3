# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path

import pytest
from lab.names import LabError, Paths, bridge_name, hosts_file, router_address, veth_name


def test_interface_names_fit_and_differ_if_only_the_ends_differ():
    names = {veth_name(f"i-0123456789abcdef{n}", "eth0") for n in range(50)} | {bridge_name("vpc-0123456789abcdef0")}
    assert len(names) == 51
    assert max(map(len, names)) <= 15


def test_second_device_of_a_host_has_another_cable():
    assert veth_name("lb-1", "eth0") != veth_name("lb-1", "eth1")


def test_the_router_has_the_first_address():
    assert router_address("10.1.0.0/16") == "10.1.0.1"


def test_hosts_file_has_every_address_of_a_name():
    text = hosts_file({"b.example": ["10.0.0.2", "10.0.0.1"], "a.example": ["10.0.0.3"]})
    assert text.splitlines()[2:] == ["10.0.0.3 a.example", "10.0.0.2 b.example", "10.0.0.1 b.example"]
    assert text.startswith("127.0.0.1 localhost\n")


@pytest.mark.parametrize("name", ["", "Up", "a/b", "../x", "-a", "a" * 33, "a b"])
def test_bad_lab_names(name):
    with pytest.raises(LabError):
        Paths(Path("/repo"), name)


def test_temporary_files_are_not_in_the_work_tree_because_paths_of_sockets_have_a_limit():
    assert Paths(Path("/a")).temporary == Paths(Path("/b" * 50)).temporary


def test_control_groups_of_equal_names_in_two_work_trees_differ():
    assert Paths(Path("/a")).cgroup != Paths(Path("/b")).cgroup


def test_inside_only_with_the_mark(tmp_path):
    paths = Paths(tmp_path)
    assert not paths.inside
    paths.state.mkdir(parents=True)
    paths.inside_mark.touch()
    assert paths.inside
