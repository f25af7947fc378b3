# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Launch templates by boto3 against the simulator."""

from __future__ import annotations

import base64
import itertools
import typing as t

import pytest
from refusals import code

NAMES = (f"template-{number}" for number in itertools.count())
EFA = {"NetworkCardIndex": 1, "DeviceIndex": 0, "InterfaceType": "efa-only", "DeleteOnTermination": True}
FIRST = {"NetworkCardIndex": 0, "DeviceIndex": 0, "InterfaceType": "interface", "DeleteOnTermination": True}
BLOCK = {
    "InstanceMarketOptions": {"MarketType": "capacity-block"},
    "CapacityReservationSpecification": {"CapacityReservationTarget": {"CapacityReservationId": "cr-00000000"}},
}


def made(account: t.Any, name: str = "", **data: t.Any) -> dict[str, t.Any]:
    return account.ec2.create_launch_template(LaunchTemplateName=name or next(NAMES), LaunchTemplateData={"InstanceType": "p4d.24xlarge", **data})


def warned(answer: dict[str, t.Any]) -> list[str]:
    return [each["Code"] for each in answer.get("Warning", {}).get("Errors", [])]


def versions(account: t.Any, template: str, *numbers: str) -> list[tuple[int, bool, str]]:
    found = account.ec2.describe_launch_template_versions(LaunchTemplateId=template, Versions=list(numbers))["LaunchTemplateVersions"]
    return [(each["VersionNumber"], each["DefaultVersion"], each["LaunchTemplateData"]["InstanceType"]) for each in found]


def test_all_settings_are_kept(account: t.Any) -> None:
    groups = account.network()["SecurityGroupIds"]
    interfaces = [{**FIRST, "Groups": groups}, {**EFA, "Groups": groups}]
    user_data = base64.b64encode(b"text").decode()
    data = {"InstanceType": "p4d.24xlarge", "NetworkInterfaces": interfaces, "UserData": user_data, **BLOCK}
    tags = [{"ResourceType": "launch-template", "Tags": [{"Key": "a", "Value": "b"}]}]
    answer = account.ec2.create_launch_template(LaunchTemplateName=next(NAMES), LaunchTemplateData=data, TagSpecifications=tags)
    template = answer["LaunchTemplate"]
    assert (template["DefaultVersionNumber"], template["LatestVersionNumber"], template["Tags"]) == (1, 1, [{"Key": "a", "Value": "b"}])
    (version,) = account.ec2.describe_launch_template_versions(LaunchTemplateId=template["LaunchTemplateId"])["LaunchTemplateVersions"]
    assert version["LaunchTemplateData"] == data and warned(answer) == []


def test_the_order_of_groups_is_not_kept(account: t.Any) -> None:
    template = made(account, NetworkInterfaces=[{**FIRST, "Groups": ["sg-1", "sg-2"]}])["LaunchTemplate"]
    (version,) = account.ec2.describe_launch_template_versions(LaunchTemplateId=template["LaunchTemplateId"])["LaunchTemplateVersions"]
    assert version["LaunchTemplateData"]["NetworkInterfaces"][0]["Groups"] == ["sg-2", "sg-1"]


def test_versions_are_numbered_and_one_is_the_default(account: t.Any) -> None:
    template = made(account)["LaunchTemplate"]["LaunchTemplateId"]
    for kind in ("p5.48xlarge", "p5e.48xlarge"):
        account.ec2.create_launch_template_version(LaunchTemplateId=template, LaunchTemplateData={"InstanceType": kind})
    assert versions(account, template, "$Default", "$Latest") == [(1, True, "p4d.24xlarge"), (3, False, "p5e.48xlarge")]
    account.ec2.modify_launch_template(LaunchTemplateId=template, DefaultVersion="3")
    assert versions(account, template, "$Default", "$Latest") == [(3, True, "p5e.48xlarge")]
    assert versions(account, template, "2") == [(2, False, "p5.48xlarge")]
    assert code(account.ec2.modify_launch_template, LaunchTemplateId=template, DefaultVersion="4") == "InvalidLaunchTemplateId.VersionNotFound"


def test_a_template_is_found_by_a_filter_and_removed(account: t.Any) -> None:
    name = next(NAMES)
    template = made(account, name)["LaunchTemplate"]["LaunchTemplateId"]
    by_name = {"Filters": [{"Name": "launch-template-name", "Values": [name]}]}
    assert [each["LaunchTemplateId"] for each in account.ec2.describe_launch_templates(**by_name)["LaunchTemplates"]] == [template]
    account.ec2.create_tags(Resources=[template], Tags=[{"Key": "a", "Value": "b"}])
    assert account.ec2.describe_launch_templates(LaunchTemplateIds=[template])["LaunchTemplates"][0]["Tags"] == [{"Key": "a", "Value": "b"}]
    account.ec2.delete_launch_template(LaunchTemplateId=template)
    assert account.ec2.describe_launch_templates(**by_name)["LaunchTemplates"] == []
    assert code(account.ec2.describe_launch_template_versions, LaunchTemplateId=template) == "InvalidLaunchTemplateId.NotFound"
    assert code(account.ec2.describe_launch_templates, LaunchTemplateNames=[name]) == "InvalidLaunchTemplateName.NotFoundException"
    assert code(account.ec2.delete_launch_template, LaunchTemplateId=template) == "InvalidLaunchTemplateId.NotFound"


def test_templates_are_listed_in_pages(account: t.Any) -> None:
    account.control.settings(page_size=1)
    names = {made(account)["LaunchTemplate"]["LaunchTemplateName"] for _each in range(3)}
    pages = list(account.ec2.get_paginator("describe_launch_templates").paginate())
    assert names <= {each["LaunchTemplateName"] for page in pages for each in page["LaunchTemplates"]} and len(pages) > 2


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"LaunchTemplateName": "a b"}, "InvalidLaunchTemplateName.MalformedException"),
        ({"LaunchTemplateName": "taken"}, "InvalidLaunchTemplateName.AlreadyExistsException"),
        ({"LaunchTemplateData": {"UserData": "!"}}, "InvalidUserData.Malformed"),
        ({"LaunchTemplateData": {"UserData": base64.b64encode(b"x" * 16385).decode()}}, "InvalidParameterValue"),
        ({"LaunchTemplateData": {"InstanceType": "p9.huge"}}, "InvalidParameterValue"),
        ({"TagSpecifications": [{"ResourceType": "instance", "Tags": []}]}, "InvalidParameterValue"),
    ],
)
def test_requests_that_ec2_refuses(account: t.Any, wrong: dict[str, t.Any], expected: str) -> None:
    if wrong.get("LaunchTemplateName") == "taken":
        made(account, "taken")
    request = {"LaunchTemplateName": next(NAMES), "LaunchTemplateData": {"InstanceType": "m5.large"}, **wrong}
    assert code(account.ec2.create_launch_template, **request) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"NetworkInterfaces": [FIRST, EFA]}, []),
        ({"NetworkInterfaces": [FIRST, {**EFA, "NetworkCardIndex": 0, "DeviceIndex": 1}]}, []),
        ({"NetworkInterfaces": [FIRST, FIRST]}, ["InvalidParameterValue"]),
        ({"NetworkInterfaces": [FIRST], "SecurityGroupIds": ["sg-1"]}, ["InvalidParameterCombination"]),
        ({"NetworkInterfaces": [{**FIRST, "Groups": ["sg-00000000"]}]}, ["InvalidGroup.NotFound"]),
        ({"NetworkInterfaces": [FIRST, {**EFA, "PrivateIpAddress": "10.0.0.1"}]}, ["InvalidParameterCombination"]),
        ({"NetworkInterfaces": [{**FIRST, "AssociatePublicIpAddress": True}, EFA]}, ["InvalidParameterCombination"]),
        ({"NetworkInterfaces": [{**FIRST, "InterfaceType": "ena"}]}, ["InvalidParameterValue", "InvalidParameterCombination"]),
        ({"NetworkInterfaces": [EFA]}, ["InvalidParameterCombination"]),
        ({"NetworkInterfaces": [FIRST, {**EFA, "NetworkCardIndex": 4}]}, ["InvalidParameterValue"]),
        ({"NetworkInterfaces": [FIRST, EFA, {**EFA, "DeviceIndex": 1}]}, ["AttachmentLimitExceeded"]),
        ({"InstanceType": "m5.large", "NetworkInterfaces": [{**FIRST, "InterfaceType": "efa"}]}, ["InvalidParameterCombination"]),
        (BLOCK, []),
        ({"InstanceMarketOptions": {"MarketType": "capacity-block"}}, ["InvalidParameterCombination"]),
    ],
)
def test_settings_with_which_no_instance_starts_are_warnings(account: t.Any, data: dict[str, t.Any], expected: list[str]) -> None:
    assert warned(made(account, **data)) == expected


def test_a_repeated_request_has_no_second_effect(account: t.Any) -> None:
    request = {"LaunchTemplateName": next(NAMES), "LaunchTemplateData": {"InstanceType": "m5.large"}, "ClientToken": "once"}
    first = account.ec2.create_launch_template(**request)["LaunchTemplate"]
    assert account.ec2.create_launch_template(**request)["LaunchTemplate"] == first
    assert code(account.ec2.create_launch_template, **{**request, "LaunchTemplateName": next(NAMES)}) == "IdempotentParameterMismatch"


def test_the_number_of_versions_is_limited(account: t.Any) -> None:
    template = made(account)["LaunchTemplate"]["LaunchTemplateId"]
    account.control.settings(launch_template_versions=1)
    add = account.ec2.create_launch_template_version
    assert code(add, LaunchTemplateId=template, LaunchTemplateData={"InstanceType": "m5.large"}) == "VersionLimitExceeded"


def test_descriptions_after_a_change_are_late(account: t.Any) -> None:
    def listed(name: str) -> list[int]:
        found = account.ec2.describe_launch_templates()["LaunchTemplates"]
        return [each["DefaultVersionNumber"] for each in found if each["LaunchTemplateName"] == name]

    account.control.settings(launch_template_lag_seconds=60)
    name = next(NAMES)
    template = made(account, name)["LaunchTemplate"]["LaunchTemplateId"]
    assert [listed(name), listed(name)] == [[], [1]]
    account.ec2.create_launch_template_version(LaunchTemplateId=template, LaunchTemplateData={"InstanceType": "m5.large"})
    modify = {"LaunchTemplateId": template, "DefaultVersion": "2"}
    assert code(account.ec2.modify_launch_template, **modify) == "InvalidLaunchTemplateId.VersionNotFound"
    account.ec2.modify_launch_template(**modify)
    assert [listed(name), listed(name)] == [[1], [2]]
    account.ec2.delete_launch_template(LaunchTemplateId=template)
    assert [listed(name), listed(name)] == [[2], []]


def test_unsupported_parameters_are_faults_of_the_simulator(account: t.Any) -> None:
    template = made(account)["LaunchTemplate"]["LaunchTemplateId"]
    add = account.ec2.create_launch_template_version
    assert code(add, LaunchTemplateId=template, SourceVersion="1", LaunchTemplateData={"InstanceType": "m5.large"}) == "NotImplemented"
