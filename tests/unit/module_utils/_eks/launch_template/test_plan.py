# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps from the observed to the desired launch template, and the complete request for each instance type with EFA."""

from __future__ import annotations

import copy
import dataclasses
import datetime
import json
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Change
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.model import (
    Card,
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
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.plan import is_as_wanted, plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.launch_template.settings import Settings
from moto.ec2.models.instance_types import INSTANCE_TYPES

GOLDEN = json.loads(Path(__file__).with_name("launch_template_data.json").read_text())
"""LaunchTemplateData for the options of ``GOLDEN_OPTIONS``, by instance type, from a table of network cards and EFA devices."""
GROUPS = ("sg-0123456789abcdef0", "sg-0123456789abcdef1")
GOLDEN_OPTIONS = {"local_storage": "RAID0", "instance_tags": {"team": "research"}}
NOW = datetime.datetime(2026, 12, 1, tzinfo=datetime.timezone.utc)
OWNER, TAG = "arn:aws:eks:us-west-2:111111111111:cluster/ml", "mlfleet.hyperpod/cluster"
LATER = "(known after apply)"
RESOURCE = "launch template ml"
P4D = InstanceType("p4d.24xlarge", tuple(Card(index, 15, ("interface", "efa-only")) for index in range(4)), True, 4, ("cluster",), ("x86_64",), True)


def wanted(**options: t.Any) -> Desired:
    named = {"instance_type": "p4d.24xlarge", "cluster_security_group": GROUPS[0], "security_groups": GROUPS, **options}
    return Desired("ml", "ml", **named)


def state(**given: t.Any) -> State:
    groups = {group: Group(group, "vpc-1", efa=True) for group in GROUPS}
    return State(OWNER, NOW, **{"type": P4D, "groups": groups, **given})


def planned(desired: Desired, before: State, *, check_mode: bool = False) -> t.Any:
    return plan(desired, before, check_mode=check_mode)


def data_of(desired: Desired, before: State) -> dict[str, t.Any]:
    """The data of a new template."""
    (step,) = planned(desired, before).steps
    return step.arguments["LaunchTemplateData"]


DATA = data_of(wanted(), state())


def there(data: dict[str, t.Any] = DATA, *, tags: dict[str, str] | None = None, latest: dict[str, t.Any] | None = None) -> Template:
    default = Version(3, data)
    return Template("lt-1", {TAG: OWNER} if tags is None else tags, default, Version(5, latest) if latest else default)


def described(name: str, *, interface_types: bool) -> InstanceType:
    """The type as EC2 returns it, or as a botocore without InterfaceTypes does."""
    answer = copy.deepcopy(INSTANCE_TYPES[name])
    for card in answer["NetworkInfo"]["NetworkCards"]:
        if not interface_types:
            del card["InterfaceTypes"]
    return InstanceType.from_api(answer)


@pytest.mark.parametrize("interface_types", [True, False])
@pytest.mark.parametrize("name", GOLDEN)
def test_the_complete_request_for_each_instance_type(name: str, interface_types: bool) -> None:
    desired, before = wanted(instance_type=name, **GOLDEN_OPTIONS), state(type=described(name, interface_types=interface_types))
    if name == "p6-b300.48xlarge" and not interface_types:
        with pytest.raises(Refused, match="it has 17 network cards and 16 EFA devices, and EC2 did not return the interface types"):
            planned(desired, before)
        return
    (step,) = planned(desired, before).steps
    assert step.operation == "CreateLaunchTemplate" and step.arguments == {
        "LaunchTemplateName": "ml",
        "LaunchTemplateData": GOLDEN[name],
        "TagSpecifications": [{"ResourceType": "launch-template", "Tags": [{"Key": TAG, "Value": OWNER}]}],
    }


@pytest.mark.parametrize(("name", "interfaces", "first"), [("p5.48xlarge", 33, True), ("p6-b300.48xlarge", 17, False), ("g5.8xlarge", 2, True)])
def test_the_written_requests_have_the_documented_interfaces(name: str, interfaces: int, first: bool) -> None:
    found = [(each["NetworkCardIndex"], each["DeviceIndex"]) for each in GOLDEN[name]["NetworkInterfaces"]]
    assert len(GOLDEN) == 20 and len(set(found)) == len(found) == interfaces and ((0, 1) in found) is first


def test_a_creation_predicts_the_template():
    desired = wanted(tags={"a": "b"}, volume_size=300)
    plan_ = planned(desired, state())
    (step,) = plan_.steps
    assert step.arguments["TagSpecifications"][0]["Tags"] == [{"Key": "a", "Value": "b"}, {"Key": TAG, "Value": OWNER}]
    made = plan_.after(state()).template
    assert made == Template(LATER, {"a": "b", TAG: OWNER}, *[Version(1, step.arguments["LaunchTemplateData"])] * 2)
    (change,) = plan_.changes
    assert (change.action, change.resource, change.after["volume_size"], change.after["tags"]) == ("create", RESOURCE, 300, {"a": "b", TAG: OWNER})
    assert "placement_group" not in change.after


def test_a_template_as_declared_needs_no_change():
    assert planned(wanted(), state(template=there())).steps == ()
    assert planned(wanted(present=False), state()).steps == ()
    assert planned(wanted(), state(template=there(latest={"InstanceType": "other"}))).steps == ()


def test_a_difference_creates_a_version_and_makes_it_the_default():
    before = state(template=there(latest={"InstanceType": "other"}))
    plan_ = planned(wanted(volume_size=300), before)
    add, default = plan_.steps
    data = data_of(wanted(volume_size=300), state())
    assert (add.operation, add.arguments) == ("CreateLaunchTemplateVersion", {"LaunchTemplateId": "lt-1", "LaunchTemplateData": data})
    assert (default.operation, default.arguments) == ("ModifyLaunchTemplate", {"LaunchTemplateId": "lt-1", "DefaultVersion": LATER})
    assert plan_.changes == (Change("update", RESOURCE, "volume_size", 200, 300), Change("update", RESOURCE, "version", 3, LATER))
    assert plan_.after(before).template == dataclasses.replace(there(), default=Version(LATER, data), latest=Version(LATER, data))


def test_a_version_of_an_interrupted_run_is_used():
    data = data_of(wanted(volume_size=300), state())
    before = state(template=there(latest=data))
    plan_ = planned(wanted(volume_size=300), before)
    (default,) = plan_.steps
    assert (default.operation, default.arguments) == ("ModifyLaunchTemplate", {"LaunchTemplateId": "lt-1", "DefaultVersion": "5"})
    assert plan_.changes == (Change("update", RESOURCE, "volume_size", 200, 300), Change("update", RESOURCE, "version", 3, 5))
    assert plan_.after(before).template.default == Version(5, data)


def test_a_removal_needs_our_tag():
    before = state(template=there())
    (step,) = planned(wanted(present=False), before).steps
    assert (step.operation, step.arguments) == ("DeleteLaunchTemplate", {"LaunchTemplateId": "lt-1"})
    assert step.changes[0].before == {"launch_template_id": "lt-1", "version": 3} and step.effect(before).template is None


@pytest.mark.parametrize("present", [True, False])
@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ({}, f"launch template ml exists without the tag {TAG}={OWNER}, so this module does not change it. "),
        ({TAG: f"{OWNER}2"}, f"launch template ml belongs to {OWNER}2, so this module does not change it. "),
    ],
)
def test_templates_of_other_owners_are_refused(present, tags, message):
    way = "Choose a different name." if present else "Remove it with the AWS CLI if no node group uses it."
    with pytest.raises(Refused) as refused:
        planned(wanted(present=present), state(template=there(tags=tags)))
    assert str(refused.value) == message + way


def test_tags():
    before = state(template=there(tags={TAG: OWNER, "a": "b", "c": "d"}))
    add, remove = planned(wanted(tags={"a": "e"}), before).steps
    assert (add.operation, add.arguments) == ("CreateTags", {"Resources": ["lt-1"], "Tags": [{"Key": "a", "Value": "e"}]})
    assert (remove.operation, remove.arguments) == ("DeleteTags", {"Resources": ["lt-1"], "Tags": [{"Key": "c"}]})
    assert planned(wanted(tags={"a": "e"}), before).after(before).template.tags == {TAG: OWNER, "a": "e"}
    assert [step.operation for step in planned(wanted(tags={"a": "e"}, purge_tags=False), before).steps] == ["CreateTags"]
    assert planned(wanted(), before).steps == ()
    assert [step.operation for step in planned(wanted(tags={}), before).steps] == ["DeleteTags"]


FULL = Settings(
    image="ami-1", placement_group="near", volume_kms_key="alias/nodes", instance_tags={"a": "b"}, security_groups=GROUPS, device="/dev/sda1"
).to_api()
WITH_IMAGE: dict[str, t.Any] = {
    "image": Image("ami-1", "available", "x86_64", "/dev/sda1"),
    "cluster": Cluster("ml", "ACTIVE", "https://a", "Q0E=", "10.0.0.0/16"),
    "placement_group": PlacementGroup("near", "cluster", "available"),
}


def version_for(desired: Desired, before: State) -> Settings:
    return Settings.from_api(planned(desired, before).steps[0].arguments["LaunchTemplateData"])


def test_omitted_options_keep_settings_and_empty_ones_remove_them():
    before = state(template=there(FULL), **WITH_IMAGE)
    kept = version_for(wanted(), before)
    assert (kept.image, kept.placement_group, kept.volume_kms_key, kept.instance_tags) == ("ami-1", "near", "alias/nodes", {"a": "b"})
    assert kept.device == "/dev/sda1" and 'apiServerEndpoint: "https://a"' in kept.user_data
    emptied = wanted(image="", placement_group="", volume_kms_key="", instance_tags={})
    empty = version_for(emptied, dataclasses.replace(before, image=None, cluster=None, placement_group=None))
    assert (empty.image, empty.placement_group, empty.volume_kms_key, empty.instance_tags) == ("", "", "", {})
    assert (empty.device, empty.user_data) == ("/dev/xvda", "")


def cr(**given: t.Any) -> Reservation:
    return Reservation(**{"id": "cr-1", "instance_type": "p4d.24xlarge", "state": "active", **given})


def test_a_capacity_block_sets_the_market_type():
    data = data_of(wanted(reservation="cr-1"), state(reservation=cr(type="capacity-block")))
    assert data["InstanceMarketOptions"] == {"MarketType": "capacity-block"} and "Placement" not in data
    assert data["CapacityReservationSpecification"] == {"CapacityReservationTarget": {"CapacityReservationId": "cr-1"}}
    assert "InstanceMarketOptions" not in data_of(wanted(reservation="cr-1"), state(reservation=cr()))


def test_a_reservation_brings_its_own_placement_group():
    data = data_of(wanted(reservation="cr-1"), state(reservation=cr(placement_group="reserved")))
    assert data["Placement"] == {"GroupName": "reserved"}
    before = state(template=there(data), reservation=cr(placement_group="reserved"))
    assert planned(wanted(), before).steps == () == planned(wanted(placement_group=""), before).steps
    gone = version_for(wanted(reservation=""), state(template=there(data)))
    assert (gone.reservation, gone.placement_group) == ("", "")


def test_check_mode_predicts_user_data_of_a_cluster_that_does_not_exist_yet():
    before = state(image=WITH_IMAGE["image"])
    after = planned(wanted(image="ami-1"), before, check_mode=True).after(before)
    assert after.template.settings.user_data == LATER


def test_warnings_do_not_prevent_the_plan():
    later = cr(state="scheduled", start=NOW)
    plan_ = planned(wanted(reservation="cr-1"), state(reservation=later))
    assert plan_.steps and [note.partition(" ")[0] for note in plan_.notes] == ["Capacity"]
    closed = state(groups={group: Group(group, "vpc-1") for group in GROUPS})
    assert len(planned(wanted(), closed).notes) == 1 and planned(wanted(efa=False), closed).notes == ()
    assert planned(wanted(), dataclasses.replace(closed, template=there())).notes


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        (there(), True),
        (there(tags={}), False),
        (there({**DATA, "InstanceType": "p4de.24xlarge"}), False),
        (None, False),
    ],
)
def test_a_creation_is_ours_if_the_result_is_as_wanted(template, expected):
    assert is_as_wanted(wanted(), state(template=template)) is expected
    assert not is_as_wanted(wanted(), state(template=template, type=None))
