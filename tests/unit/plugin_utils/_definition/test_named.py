# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names in a definition are resolved to IDs, or refused with their paths."""

from __future__ import annotations

import copy
import re
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.document import options_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._definition.named import lookup, resolved

A, B, FAR = (f"subnet-{number:017x}" for number in (10, 11, 12))
NODES, OTHER, ELSEWHERE = (f"sg-{number:017x}" for number in (1, 2, 3))
LUSTRE, SECOND, ZFS = "fs-00000001", "fs-00000002", "fs-00000003"
DNS = ".fsx.us-west-2.amazonaws.com"
VPC, ANOTHER = "vpc-1", "vpc-2"


def subnet(identity: str, name: str, vpc_id: str = VPC) -> dict[str, str]:
    return {"id": identity, "name": name, "vpc_id": vpc_id}


def group(identity: str, group_name: str, name: str = "", vpc_id: str = VPC) -> dict[str, str]:
    return {"id": identity, "name": name, "group_name": group_name, "vpc_id": vpc_id}


def file_system(identity: str, name: str, kind: str = "LUSTRE") -> dict[str, str]:
    mount_name = "abcdefgh" if kind == "LUSTRE" else ""
    return {"id": identity, "name": name, "type": kind, "dns_name": identity + DNS, "mount_name": mount_name}


ANSWER = {
    "subnets": [subnet(A, "private-a"), subnet(B, "private-b"), subnet(FAR, "far", ANOTHER)],
    "security_groups": [group(NODES, "nodes"), group(OTHER, "other", "tagged"), group(ELSEWHERE, "nodes", vpc_id=ANOTHER)],
    "file_systems": [file_system(LUSTRE, "shared"), file_system(ZFS, "shared", "OPENZFS")],
}


def network(*subnets: str, groups: t.Sequence[str] = (NODES,)) -> dict[str, t.Any]:
    return {"subnets": list(subnets), "security_group_ids": list(groups)}


def mounted(**settings: str) -> dict[str, t.Any]:
    return {"name": "ml", "instance_groups": [{"name": "workers", "instance_storage_configs": [{"fsx_lustre_config": settings}]}]}


def given(**more: t.Any) -> dict[str, t.Any]:
    return {"name": "ml", **more}


def done(definition: dict[str, t.Any], **answer: t.Any) -> dict[str, t.Any]:
    before = copy.deepcopy(definition)
    found = resolved("definition", definition, {**ANSWER, **answer}, aws=False)
    assert definition == before, "the input is not modified"
    return found


@pytest.mark.parametrize(
    ("network_given", "expected"),
    [
        (network("private-a", B), network(A, B)),
        (network(A, "private-a"), network(A)),
        (network(A, groups=["nodes"]), network(A)),
        (network("private-a", groups=["tagged", NODES]), network(A, groups=[OTHER, NODES])),
        (network("far", groups=["nodes"]), network(FAR, groups=[ELSEWHERE])),
    ],
)
def test_names_of_a_network_become_ids(network_given: dict[str, t.Any], expected: dict[str, t.Any]) -> None:
    definition = given(
        vpc_config=network_given, restricted_instance_groups=[{"name": "a"}, {"name": "b", "override_vpc_config": network_given}]
    )
    assert lookup(definition).needed
    assert done(definition) == given(
        vpc_config=expected, restricted_instance_groups=[{"name": "a"}, {"name": "b", "override_vpc_config": expected}]
    )


@pytest.mark.parametrize("name", ["shared", LUSTRE])
def test_a_file_system_becomes_its_dns_name_and_mount_name(name: str) -> None:
    (group,) = done(mounted(dns_name=name, mount_path="/fsx"))["instance_groups"]
    (storage,) = group["instance_storage_configs"]
    assert storage == {"fsx_lustre_config": {"dns_name": LUSTRE + DNS, "mount_name": "abcdefgh", "mount_path": "/fsx"}}


def test_a_file_system_of_the_other_type_has_no_mount_name() -> None:
    definition = given(
        instance_groups=[{"instance_storage_configs": [{"ebs_volume_config": {}}, {"fsx_open_zfs_config": {"dns_name": "shared"}}]}]
    )
    (group,) = done(definition)["instance_groups"]
    assert group["instance_storage_configs"] == [{"ebs_volume_config": {}}, {"fsx_open_zfs_config": {"dns_name": ZFS + DNS}}]


def test_only_names_are_looked_up() -> None:
    groups = [{"name": "a", "override_vpc_config": network(A, "private-b")}, *mounted(dns_name="shared")["instance_groups"]]
    found = lookup(given(vpc_config=network(FAR), instance_groups=groups))
    assert (found.subnets, found.security_groups, found.file_systems) == ([A, "private-b"], [NODES], ["shared"])


@pytest.mark.parametrize(
    "definition",
    [
        given(),
        given(vpc_config=network(A, B), instance_groups=[{"name": "a", "override_vpc_config": network(FAR)}]),
        mounted(dns_name=LUSTRE + DNS, mount_name="abcdefgh"),
        given(vpc_config="wrong", instance_groups="wrong"),
        given(vpc_config={"subnets": "private-a", "security_group_ids": [NODES]}, instance_groups=["wrong"]),
        given(vpc_config={"subnets": [7], "security_group_ids": [NODES]}, instance_groups=[{"instance_storage_configs": "wrong"}]),
        given(vpc_config={"subnets": ["private-a"]}, instance_groups=[{"instance_storage_configs": ["wrong"]}]),
        given(instance_groups=[{"override_vpc_config": ["wrong"], "instance_storage_configs": [{"fsx_lustre_config": "wrong"}]}]),
        mounted(mount_path="/fsx"),
        mounted(dns_name=""),
    ],
)
def test_without_names_nothing_is_looked_up(
    definition: dict[str, t.Any],
) -> None:
    assert not lookup(definition).needed and done(definition, subnets=[], security_groups=[], file_systems=[]) == definition


TWO = [subnet(A, "private"), subnet(B, "private")]
WRONG: list[tuple[dict[str, t.Any], dict[str, t.Any], str]] = [
    (
        given(vpc_config=network("private-x")),
        {},
        "definition.vpc_config.subnets: 'private-x' is not allowed: no resource has this name. Allowed: the ID or name of a subnet in the Region.",
    ),
    (
        given(vpc_config=network("private")),
        {"subnets": TWO},
        f"definition.vpc_config.subnets: 'private' is not allowed: {A}, {B} have this name. Allowed: the ID of one of these resources.",
    ),
    (
        given(vpc_config=network("private-a", "far")),
        {},
        "definition.vpc_config.subnets: ['private-a', 'far'] is not allowed: they belong to vpc-1, vpc-2. Allowed: subnets of one VPC.",
    ),
    (
        given(instance_groups=[{}, {"override_vpc_config": network("private-a", groups=["node"])}]),
        {},
        "definition.instance_groups[1].override_vpc_config.security_group_ids: 'node' is not allowed: no resource has this name.",
    ),
    (
        given(vpc_config=network("private-a", groups=[ELSEWHERE])),
        {},
        f"definition.vpc_config.security_group_ids: '{ELSEWHERE}' is not allowed: {ELSEWHERE} belongs to vpc-2. "
        "Allowed: a security group of vpc-1, the VPC of the subnets.",
    ),
    (
        given(vpc_config=network("private-a", groups=["nodes"])),
        {"security_groups": [group(NODES, "nodes"), group(OTHER, "x", "nodes")]},
        f"definition.vpc_config.security_group_ids: 'nodes' is not allowed: {NODES}, {OTHER} have this name. Allowed: the ID of one",
    ),
    (
        mounted(dns_name=ZFS),
        {},
        "definition.instance_groups[0].instance_storage_configs[0].fsx_lustre_config.dns_name: 'fs-00000003' is not allowed: "
        "no resource has this name. Allowed: the ID or name of a file system of FSx for Lustre in the Region.",
    ),
    (
        mounted(dns_name="shared"),
        {"file_systems": [file_system(LUSTRE, "shared"), file_system(SECOND, "shared")]},
        "definition.instance_groups[0].instance_storage_configs[0].fsx_lustre_config.dns_name: 'shared' is not allowed: "
        "fs-00000001, fs-00000002 have this name. Allowed: the ID of one of these resources.",
    ),
    (
        mounted(dns_name="shared", mount_name="fsx"),
        {},
        "definition.instance_groups[0].instance_storage_configs[0].fsx_lustre_config.mount_name: 'fsx' is not allowed: "
        "the mount name of fs-00000001 is 'abcdefgh'. Allowed: the mount name of the file system, or none.",
    ),
]


@pytest.mark.parametrize(("definition", "answer", "message"), WRONG)
def test_unknown_ambiguous_and_foreign_names_are_refused(
    definition: dict[str, t.Any], answer: dict[str, t.Any], message: str
) -> None:
    with pytest.raises(Refused) as raised:
        done(definition, **answer)
    assert str(raised.value).startswith(message)


def at(document: t.Any, path: str) -> t.Any:
    for name in re.findall(r"\w+", path):
        document = document[int(name) if name.isdigit() else name]
    return document


NETWORK = {"Subnets": ["private-a"], "SecurityGroupIds": ["x"]}
PARTS: list[tuple[dict[str, t.Any], str]] = [
    ({"VpcConfig": {**NETWORK, "Subnets": ["x"]}}, "VpcConfig.Subnets"),
    ({"InstanceGroups": [{"OverrideVpcConfig": NETWORK}]}, "InstanceGroups[0].OverrideVpcConfig.SecurityGroupIds"),
    (
        {"RestrictedInstanceGroups": [{}, {"OverrideVpcConfig": NETWORK}]},
        "RestrictedInstanceGroups[1].OverrideVpcConfig.SecurityGroupIds",
    ),
    (
        {"InstanceGroups": [{"InstanceStorageConfigs": [{}, {"FsxLustreConfig": {"DnsName": "shared", "MountName": "x"}}]}]},
        "InstanceGroups[0].InstanceStorageConfigs[1].FsxLustreConfig.MountName",
    ),
    (
        {"InstanceGroups": [{"InstanceStorageConfigs": [{"FsxOpenZfsConfig": {"DnsName": "x"}}]}]},
        "InstanceGroups[0].InstanceStorageConfigs[0].FsxOpenZfsConfig.DnsName",
    ),
]


@pytest.mark.parametrize(("part", "path"), PARTS)
def test_the_path_follows_the_form_of_the_definition(part: dict[str, t.Any], path: str) -> None:
    document = {"ClusterName": "ml", **part}
    assert at(document, path) in ("x", ["x"])
    with pytest.raises(Refused) as raised:
        resolved("file", options_of("file", document), ANSWER, aws=True)
    assert raised.value.option == f"file.{path}"
