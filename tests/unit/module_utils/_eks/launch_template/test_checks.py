# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings with which no node could start, and warnings about others."""

from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.checks import check, efa_allowed, notes
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import (
    Cluster,
    Desired,
    Group,
    Image,
    InstanceType,
    PlacementGroup,
    Reservation,
    State,
    Template,
    Version,
)

NOW = datetime.datetime(2026, 12, 1, 12, 0, tzinfo=datetime.timezone.utc)
OWNER = "arn:aws:eks:us-west-2:111111111111:cluster/ml"
MINUTE = datetime.timedelta(minutes=1)
TYPE = InstanceType("p5.48xlarge", strategies=("cluster",), architectures=("x86_64",), disks=True)
HOME, OTHER = Group("sg-1", "vpc-1", efa=True), Group("sg-2", "vpc-1")
CLUSTER = Cluster("ml", "ACTIVE", "https://a", "Q0E=", "10.0.0.0/16", "sg-1")
IMAGE = Image("ami-1", "available", "x86_64", "/dev/sda1")
WITH_IMAGE: dict[str, t.Any] = {"image": IMAGE, "cluster": CLUSTER}
KNOWN_LATER = "(known after apply)"


def wanted(**options: t.Any) -> Desired:
    named = {"instance_type": "p5.48xlarge", "cluster_security_group": "sg-1", "security_groups": ("sg-1", "sg-2"), **options}
    return Desired("ml-p5", "ml", **named)


def state(**given: t.Any) -> State:
    return State(OWNER, NOW, **{"type": TYPE, "groups": {"sg-1": HOME, "sg-2": OTHER}, **given})


def cr(**given: t.Any) -> Reservation:
    return Reservation(**{"id": "cr-1", "instance_type": "p5.48xlarge", "state": "active", **given})


def pg(strategy: str = "cluster", status: str = "available") -> PlacementGroup:
    return PlacementGroup("near", strategy, status)


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ({}, {}),
        ({"local_storage": "RAID0"}, {}),
        ({"reservation": "cr-1"}, {"reservation": cr()}),
        ({"reservation": "cr-1"}, {"reservation": cr(state="scheduled", type="capacity-block", end=NOW + MINUTE)}),
        ({"reservation": "cr-1", "image": "ami-1"}, {"reservation": cr(platform="Ubuntu Pro"), **WITH_IMAGE}),
        ({"placement_group": "near"}, {"placement_group": pg()}),
        ({"image": "ami-1"}, WITH_IMAGE),
        ({"image": "ami-1"}, {"image": Image("ami-1", "available", "", ""), "cluster": CLUSTER}),
        ({"image": "ami-1"}, {"image": IMAGE, "cluster": Cluster("ml", "ACTIVE", "https://a", "Q0E=", "10.0.0.0/16")}),
    ],
)
def test_usable_settings_are_accepted(options, given):
    for check_mode in (False, True):
        assert check(wanted(**options), state(**given), check_mode=check_mode) is TYPE


CR_ALLOWED = "Allowed: an active or scheduled capacity reservation of p5.48xlarge."
PG_ALLOWED = "Allowed: an available placement group with strategy cluster."


@pytest.mark.parametrize(
    ("options", "given", "message"),
    [
        (
            {},
            {"type": None},
            "instance_type: 'p5.48xlarge' is not allowed: EC2 does not have it in this Region. Allowed: an instance type that ",
        ),
        (
            {"local_storage": "RAID0"},
            {"type": InstanceType("p5.48xlarge")},
            "local_storage: 'RAID0' is not allowed: instance type p5.48xlarge has no local disks. Allowed: none.",
        ),
        (
            {},
            {"groups": {"sg-1": HOME, "sg-2": Group("sg-2", "vpc-2")}},
            "security_group_ids: 'sg-2' is not allowed: it is in vpc-2, and the cluster security group is in vpc-1. Allowed: security groups in vpc-1.",
        ),
        ({"reservation": "cr-1"}, {}, f"capacity_reservation_id: 'cr-1' is not allowed: EC2 does not have it in this Region and account. {CR_ALLOWED}"),
        ({"reservation": "cr-1"}, {"reservation": cr(instance_type="p5e.48xlarge")}, f"it reserves p5e.48xlarge. {CR_ALLOWED}"),
        *(({"reservation": "cr-1"}, {"reservation": cr(state=each)}, f"its state is {each}. ") for each in ("pending", "expired", "new-state")),
        ({"reservation": "cr-1"}, {"reservation": cr(end=NOW)}, "it ended at 2026-12-01T12:00:00Z. "),
        ({"reservation": "cr-1"}, {"reservation": cr(type="ultra")}, "its type is ultra, which this module does not support. "),
        ({"reservation": "cr-1"}, {"reservation": cr(tenancy="dedicated")}, "its tenancy is dedicated. "),
        ({"reservation": "cr-1"}, {"reservation": cr(platform="Windows")}, "its platform is Windows, but the images of EKS have Linux/UNIX. "),
        ({"placement_group": "near"}, {"placement_group": pg("spread")}, f"placement_group: 'near' is not allowed: its strategy is spread. {PG_ALLOWED}"),
        ({"placement_group": "near"}, {"placement_group": pg(status="deleting")}, f"its state is deleting. {PG_ALLOWED}"),
        (
            {"placement_group": "near"},
            {"placement_group": pg(), "type": InstanceType("p5.48xlarge", strategies=("spread",))},
            "instance type p5.48xlarge does not support strategy cluster. Allowed: no placement group.",
        ),
        ({"image": "ami-1"}, {"cluster": CLUSTER}, "image_id: 'ami-1' is not allowed: EC2 does not have it."),
        ({"image": "ami-1"}, {"image": Image("ami-1", "pending", "x86_64", ""), "cluster": CLUSTER}, "its state is pending."),
        (
            {"image": "ami-1"},
            {"image": Image("ami-1", "available", "arm64", ""), "cluster": CLUSTER},
            "its architecture is arm64, and p5.48xlarge does not support that. Allowed: an AMI for x86_64.",
        ),
        *(
            (
                {"image": "ami-1"},
                {"image": IMAGE, "cluster": Cluster("ml", "CREATING", *values)},
                "eks_cluster: EKS cluster ml has no endpoint, certificate authority or service network yet, and image_id requires them. Its status is CREATING",
            )
            for values in (("", "Q0E=", "10.0.0.0/16"), ("https://a", "", "10.0.0.0/16"), ("https://a", "Q0E=", ""))
        ),
        (
            {"image": "ami-1", "cluster_security_group": "sg-2"},
            WITH_IMAGE,
            "cluster_security_group_id: 'sg-2' is not allowed: EKS cluster ml has a different cluster security group. Allowed: sg-1.",
        ),
    ],
)
def test_settings_with_which_no_node_can_start_are_refused(options, given, message):
    for check_mode in (False, True):
        with pytest.raises(Refused) as refused:
            check(wanted(**options), state(**given), check_mode=check_mode)
        assert message in str(refused.value)


@pytest.mark.parametrize(
    ("options", "given", "message"),
    [
        ({}, {"groups": {"sg-2": OTHER}}, "cluster_security_group_id: 'sg-1' is not allowed: EC2 does not have it."),
        ({}, {"groups": {"sg-1": HOME}}, "security_group_ids: 'sg-2' is not allowed: EC2 does not have it."),
        ({"placement_group": "near"}, {}, f"placement_group: 'near' is not allowed: EC2 does not have it in this Region. {PG_ALLOWED}"),
        ({"image": "ami-1"}, {"image": IMAGE}, "eks_cluster: 'ml' is not allowed: it does not exist in this Region, and image_id requires its endpoint."),
    ],
)
def test_check_mode_accepts_resources_of_earlier_tasks(options, given, message):
    with pytest.raises(Refused) as refused:
        check(wanted(**options), state(**given), check_mode=False)
    assert message in str(refused.value)
    assert check(wanted(**options), state(**given), check_mode=True) is TYPE
    unknown = wanted(**options, cluster_security_group=KNOWN_LATER, security_groups=(KNOWN_LATER,))
    assert check(unknown, state(**{**given, "groups": {}}), check_mode=True) is TYPE


def test_the_group_of_a_cluster_may_be_known_later():
    assert check(wanted(image="ami-1", cluster_security_group=KNOWN_LATER), state(**WITH_IMAGE), check_mode=True) is TYPE


def test_a_kept_reservation_is_checked():
    data = {"CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": "cr-1"}}}
    kept = Template("lt-1", {}, Version(1, data), Version(1, data))
    with pytest.raises(Refused, match="its state is expired"):
        check(wanted(), state(template=kept, reservation=cr(state="expired")), check_mode=False)
    assert check(wanted(reservation=""), state(template=kept), check_mode=False) is TYPE


def noted(efa: bool = False, **given: t.Any) -> list[str]:
    return list(notes(wanted(), state(**given), efa=efa))


def test_a_reservation_that_starts_later_is_reported():
    assert noted(reservation=cr(state="scheduled", start=NOW)) == [
        "Capacity reservation cr-1 starts at 2026-12-01T12:00:00Z. Until then, no node of launch template ml-p5 can start."
    ]
    assert noted(reservation=cr(state="scheduled"))[0].startswith("Capacity reservation cr-1 starts. ")
    assert noted(reservation=cr(start=NOW)) == []


@pytest.mark.parametrize(("minutes", "kind", "number"), [(40, "capacity-block", 1), (41, "capacity-block", 0), (1, "default", 0)])
def test_a_block_that_ends_too_soon_is_reported(minutes, kind, number):
    found = noted(reservation=cr(type=kind, end=NOW + minutes * MINUTE))
    assert len(found) == number and all("EKS removes its nodes 40 minutes before the end" in each for each in found)


def test_groups_that_do_not_allow_efa_are_reported():
    closed = {"sg-2": OTHER, "sg-1": Group("sg-1", "vpc-1")}
    assert noted(efa=True) == noted(efa=False, groups=closed) == noted(efa=True, groups={}) == []
    (note,) = noted(efa=True, groups=closed)
    assert note.startswith("None of the security groups sg-1, sg-2 allows all traffic to and from itself, which EFA requires. Add an ingress rule")
    assert [efa_allowed(state(groups=each)) for each in ({"sg-1": HOME, "sg-2": OTHER}, closed, {})] == [True, False, None]
