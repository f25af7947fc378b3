# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a file system is found, and what the module waits for first."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import AwsError
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.network import Subnet
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Failure, Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.access import Access
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.model import Desired, FileSystem, State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.observe import look, lustre_file_systems

from .scripted import CLUSTER, GONE, OURS, SECONDS, Fsx, NoNetwork, Time, action, described, error, observer

DATA = Desired(CLUSTER, "data")
ABSENT = Desired(CLUSTER, "data", present=False)
BY_ID = Desired(CLUSTER, id="fs-1")
FOUND = FileSystem.from_api(described())


def test_a_file_system_is_found_by_name_and_our_tags() -> None:
    others = [
        described(name="fs-2", tags={"Name": "data"}),
        described(name="fs-3", tags={**OURS, "Name": "else"}),
        described(FileSystemType="OPENZFS", name="fs-4"),
    ]
    fsx = Fsx(described(), listed=[*others, described()])
    state = observer(fsx, DATA)()
    assert state == State(FOUND, "us-west-2a", others=("fs-2",))


def test_security_groups_are_added_if_they_are_known() -> None:
    state = observer(Fsx(described(NetworkInterfaceIds=["eni-1"]), listed=[described()]), DATA)()
    assert state.file_system is not None and state.file_system.settings["security_group_ids"] == ["sg-1"]


def test_two_file_systems_of_a_name_are_refused() -> None:
    listed = [described("FAILED", name="fs-2"), described(), described("DELETING", name="fs-3")]
    for desired in (DATA, ABSENT):
        with pytest.raises(Refused, match=r"^name: 'data' is not allowed: fs-1 \(AVAILABLE\) and fs-2 \(FAILED\) have this name and belong to arn"):
            observer(Fsx(described(), listed=listed), desired)()


def test_an_id_without_our_tags_is_refused() -> None:
    for tags in ({}, {**OURS, "mlfleet.hyperpod/cluster": "else"}):
        with pytest.raises(Refused, match="^file_system_id: 'fs-1' is not allowed: file system .*fs-1.* does not have the tags mlfleet.hyperpod/cluster="):
            observer(Fsx(described(tags=tags)), BY_ID)()


def test_an_id_of_another_kind_of_file_system_is_refused() -> None:
    with pytest.raises(Refused, match="its type is OPENZFS"):
        observer(Fsx(described(FileSystemType="OPENZFS")), BY_ID)()


def test_an_unknown_id_is_refused_unless_the_file_system_is_to_be_removed() -> None:
    with pytest.raises(Refused, match="file_system_id: 'fs-1' is not allowed: this file system does not exist"):
        observer(Fsx(GONE), BY_ID)()
    assert observer(Fsx(GONE), Desired(CLUSTER, id="fs-1", present=False))() == State()


def test_other_errors_are_not_taken_for_a_missing_file_system() -> None:
    with pytest.raises(AwsError):
        look(Fsx(error("AccessDeniedException")), "fs-1")  # type: ignore[arg-type]
    with pytest.raises(AwsError):
        observer(Fsx(error("InternalServerError")), BY_ID)()


def test_listed_file_systems_are_those_for_lustre_by_id() -> None:
    listed = [described(name="fs-2"), described(), described(name="fs-0", FileSystemType="WINDOWS")]
    assert [each.id for each in lustre_file_systems(Fsx(listed=listed))] == ["fs-1", "fs-2"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "busy",
    [
        described("CREATING"),
        described("UPDATING"),
        described("SPLENDID"),
        described("AVAILABLE", action("PENDING")),
        described("AVAILABLE", action("IN_PROGRESS")),
        described("AVAILABLE", action("COMPLETING")),
    ],
    ids=lambda each: each["Lifecycle"],
)
def test_operations_of_others_are_waited_for(busy: dict[str, t.Any]) -> None:
    time = Time()
    fsx = Fsx(busy, busy, described(), listed=[busy])
    assert observer(fsx, DATA, time=time)().file_system == FOUND and 0 < time.now < 5
    state = observer(Fsx(busy, listed=[busy]), DATA)()
    assert state.file_system is not None and not state.file_system.is_settled


def test_a_wait_that_does_not_end_names_the_state() -> None:
    fsx = Fsx(described("AVAILABLE", action("IN_PROGRESS")), listed=[described()])
    with pytest.raises(Failure, match=rf"file system data \(fs-1\) is still AVAILABLE, with an update that is IN_PROGRESS after {SECONDS} s"):
        observer(fsx, DATA, time=Time())()


def test_a_single_reply_that_nothing_exists_is_read_again() -> None:
    """Otherwise a lagging reply would create a second file system."""
    assert observer(Fsx(GONE, GONE, described(), listed=[described()]), DATA, time=Time())().file_system == FOUND
    assert observer(Fsx(GONE, listed=[described()]), DATA)().file_system == FOUND
    assert observer(Fsx(GONE, listed=[described()]), DATA, time=Time())().file_system is None


def test_a_removal_by_others_is_waited_for() -> None:
    going = described("DELETING")
    for desired in (ABSENT, Desired(CLUSTER, id="fs-1", present=False)):
        fsx, time = Fsx(going, going, GONE, listed=[going]), Time()
        assert observer(fsx, desired, time=time)() == State(older=("fs-1",)) and time.now > 0
    with pytest.raises(Failure, match="is still DELETING after"):
        observer(Fsx(going, listed=[going]), ABSENT, time=Time())()


def test_a_file_system_that_is_removed_does_not_block_a_new_one() -> None:
    fsx = Fsx(listed=[described("DELETING")])
    assert observer(fsx, DATA, time=Time())() == State(older=("fs-1",))


def test_a_file_system_that_this_run_removed_is_gone_even_if_it_is_listed() -> None:
    seen = observer(Fsx(described(), listed=[described()]), ABSENT)
    seen.removed.add("fs-1")
    assert seen() == State()
    seen.id = "fs-1"
    assert seen() == State()


def test_a_file_system_that_this_run_created_exists_even_if_it_is_not_found() -> None:
    seen = observer(Fsx(GONE), DATA)
    seen.id, seen.made = "fs-1", FOUND
    assert seen().file_system == FOUND


class Network(NoNetwork):
    def __init__(self, found: Subnet | None) -> None:
        self.found, self.asked = found, []  # type: ignore[var-annotated]

    def subnet(self, _subnet_id: str) -> Subnet | None:
        return self.found

    def access(self, *arguments: t.Any, efa: bool) -> Access:
        self.asked.append((*arguments, efa))
        return Access(("a rule",))


SUBNET = Subnet("subnet-1", "us-west-2b", "vpc-1", "10.1.0.0/24")
NEW = {"subnet_id": "subnet-1", "security_group_ids": ["sg-1"]}


def test_the_network_of_a_new_file_system_is_checked() -> None:
    network = Network(SUBNET)
    desired = Desired(CLUSTER, "data", settings={**NEW, "efa": True}, client_groups=("sg-c",))
    assert observer(Fsx(), desired, network=network)() == State(None, "us-west-2b", Access(("a rule",)), "vpc-1")
    assert network.asked == [(SUBNET, ["sg-1"], ("sg-c",), True)]


def test_a_subnet_that_does_not_exist_is_refused() -> None:
    with pytest.raises(Refused, match="subnet_id: 'subnet-1' is not allowed: it was not found"):
        observer(Fsx(), Desired(CLUSTER, "data", settings=NEW), network=Network(None))()


def test_nothing_is_checked_without_groups_or_for_a_removal() -> None:
    network = Network(SUBNET)
    assert observer(Fsx(), Desired(CLUSTER, "data", settings={"subnet_id": "subnet-1"}), network=network)() == State(zone="us-west-2b")
    assert observer(Fsx(), DATA, network=network)() == State()
    assert observer(Fsx(), Desired(CLUSTER, "data", present=False, settings=NEW), network=network)() == State()
    assert network.asked == []
