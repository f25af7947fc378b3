# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Valid and invalid variables of training_cluster, and an eksctl file together with variables."""

from __future__ import annotations

import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared import training_cluster, variables
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._declared.training_cluster import offline

VPC, SUBNETS = "vpc-0123456789abcdef0", ["subnet-00000000000000001", "subnet-00000000000000002"]
NETWORK: dict[str, t.Any] = {"vpc_id": VPC, "subnet_ids": SUBNETS, "node_subnet_id": SUBNETS[0]}
RESERVED = "cr-0123456789abcdef0"
KEY = "arn:aws:kms:us-west-2:111111111111:key/01234567-89ab-cdef-0123-456789abcdef"
ADMIN, TEAM = "arn:aws:iam::111111111111:role/admins", "arn:aws:iam::111111111111:role/people/research"
SESSION = "arn:aws:sts::111111111111:assumed-role/admins/alice"
STORAGE = {"storage_capacity": 4800, "deployment_type": "PERSISTENT_2", "per_unit_throughput": 250}
IMAGE = {"repository": "training/llama", "tag": "v1", "context": "/srv/image"}
REGION = {"hyperpod_region": "us-west-2"}


def group(**given: t.Any) -> dict[str, t.Any]:
    return {"name": "gpus", "instance_type": "p5.48xlarge", "nodes": 2, **given}


def wrong(**given: t.Any) -> list[str]:
    return offline({f"training_cluster_{name}": value for name, value in {"name": "ml", **given}.items()}, REGION)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"version": "1.35", "zone": "us-west-2a", "vpc_cidr": "10.8.0.0/18", "accept_cost": 250.5},
        {"accept_cost": "99", "accept_unknown_prices": ["lustre_file_system"]},
        {**NETWORK, "groups": [group(subnet_id=SUBNETS[1])]},
        {"groups": [group(min=0, max=4, capacity_reservation_id=RESERVED, local_storage="RAID0", volume_size=100, node_repair=True)]},
        {"groups": [group(name="a", spot=True), group(name="b", placement_group="near", spot=False, min=2)]},
        {"groups": [group(labels={"team": "a", "node.kubernetes.io/pool": "b"}, taints=[{"key": "gpu", "effect": "NO_SCHEDULE"}])]},
        {"groups": [group(taints=[{"key": "a", "value": "b", "effect": effect} for effect in ("NO_SCHEDULE", "NO_EXECUTE")])]},
        {"system": {"instance_type": "m7i.2xlarge", "nodes": 3}},
        {"groups": [group(name="new", spot=True)], "remove_groups": ["gpus", "a-1"], "drain_timeout": 0},
        {"system": {}, "remove_groups": ["system"]},
        {"addons": [{"name": "vpc-cni", "version": "latest", "configuration": {"env": {}}}, {"name": "aws-efs-csi-driver"}]},
        {"file_system": STORAGE, "claim": "shared", "namespace": "research"},
        {"file_system": {"storage_capacity": 1200, "deployment_type": "SCRATCH_2"}},
        {"file_system": {**STORAGE, "per_unit_throughput": 1000, "efa": False, "metadata_iops": "AUTOMATIC"}},
        {"node_subnet_id": SUBNETS[0]},
        {"image": {**IMAGE, "containerfile": "docker/Containerfile", "build_args": {"BASE": "a"}, "platform": "linux/arm64", "timeout": 60}},
        {"admins": [ADMIN], "teams": [{"principal_arn": TEAM, "policy": "AmazonEKSEditPolicy", "namespaces": ["research", "dev-*"]}]},
        {"admins": f"{ADMIN}, {TEAM}", "public_access_cidrs": ["203.0.113.0/24", "2001:db8::/32"]},
        {"encryption_key_arn": KEY, "logging": ["api", "audit"], "boundary": "arn:aws:iam::111111111111:policy/limits"},
        {"tags": {"team": "research", "cost": 42}, "metadata_hop_limit": 2},
        {"state": "absent", "confirm": "ml"},
    ],
)
def test_valid_variables_are_accepted(given: dict[str, t.Any]) -> None:
    assert wrong(**given) == []


def test_variables_without_role_defaults_are_checked() -> None:
    assert offline({}, {}) == []
    assert offline({"training_cluster_groups": [], "training_cluster_zone": "", "training_cluster_file_system": {}}, {}) == []


REFUSED: list[tuple[dict[str, t.Any], str]] = [
    ({"name": "-ml"}, "name: '-ml' is not allowed. Allowed: the name of an EKS cluster"),
    ({"name": "m" * 101}, "name: 'mmm"),
    ({"version": "1.3"}, "version: '1.3' is not allowed. Allowed: a version of Kubernetes such as \"1.35\", in quotes."),
    ({"version": "v1.35"}, "version: 'v1.35'"),
    ({"accept_cost": -1}, "accept_cost: -1 is not allowed. Allowed: the highest accepted price"),
    ({"accept_cost": float("nan")}, "accept_cost: nan is not allowed"),
    ({"accept_cost": "inf"}, "accept_cost: inf is not allowed"),
    ({"accept_unknown_prices": ["a", "a"]}, "accept_unknown_prices: 'a' is not allowed: it is given more than once"),
    ({"vpc_id": VPC}, "subnet_ids: missing; training_cluster_vpc_id selects an existing VPC, which requires training_cluster_vpc_id, "),
    ({"vpc_id": VPC, "subnet_ids": SUBNETS}, "node_subnet_id: missing; "),
    ({"node_subnet_id": SUBNETS[0], "subnet_ids": SUBNETS}, "vpc_id: missing; training_cluster_subnet_ids selects an existing VPC"),
    ({"groups": [group(name="system")]}, "groups[0].name: 'system' is not allowed: training_cluster_system is the group with this name"),
    ({"name": "m" * 90, "groups": [group(name="g" * 38)]}, "groups[0].name: 'ggg"),
    ({"file_system": {**STORAGE, "efa": True, "metadata_iops": "AUTOMATIC"}}, "file_system.efa: True is not allowed: its security group"),
    ({**NETWORK, "vpc_id": "vpc-1"}, "vpc_id: 'vpc-1' is not allowed. Allowed: an ID such as vpc-0123456789abcdef0."),
    ({**NETWORK, "subnet_ids": ["x", "x"]}, "subnet_ids[1]: 'x' is not allowed"),
    ({**NETWORK, "subnet_ids": SUBNETS[:1]}, "subnet_ids: ['subnet-00000000000000001'] is not allowed. Allowed: 2 or more subnets"),
    ({**NETWORK, "subnet_ids": SUBNETS[:1] * 2}, "subnet_ids: 'subnet-00000000000000001' is not allowed: it is given more than once"),
    ({**NETWORK, "node_subnet_id": VPC}, "node_subnet_id: 'vpc-0123456789abcdef0' is not allowed"),
    ({**NETWORK, "vpc_cidr": "10.0.0.0/16"}, "vpc_cidr: '10.0.0.0/16' is not allowed: training_cluster_vpc_id selects an existing VPC"),
    ({**NETWORK, "zone": "us-west-2a"}, "zone: 'us-west-2a' is not allowed: training_cluster_vpc_id selects an existing VPC"),
    ({"vpc_cidr": "10.0.0.0/8"}, "vpc_cidr: '10.0.0.0/8' is not allowed. Allowed: a network in 10.0.0.0/8, 172.16.0.0/12"),
    ({"vpc_cidr": "10.0.0.0/23"}, "vpc_cidr: '10.0.0.0/23' is not allowed"),
    ({"vpc_cidr": "8.8.0.0/16"}, "vpc_cidr: '8.8.0.0/16' is not allowed"),
    ({"vpc_cidr": "10.0.0.1/16"}, "vpc_cidr: '10.0.0.1/16' is not allowed. Allowed: an IPv4 network"),
    ({"zone": "us-west-2"}, "zone: 'us-west-2' is not allowed. Allowed: the name of an Availability Zone"),
    ({"zone": "eu-west-1a"}, "zone: 'eu-west-1a' is not allowed: it is in a different Region from the cluster"),
    ({"public_access_cidrs": ["0.0.0.0/0"]}, "public_access_cidrs: ['0.0.0.0/0'] is not allowed: it opens the API server to the whole"),
    ({"public_access_cidrs": ["::/0"]}, "public_access_cidrs: ['::/0'] is not allowed: it opens"),
    ({"public_access_cidrs": ["0.0.0.0/1", "128.0.0.0/1"]}, "public_access_cidrs: ['0.0.0.0/1', '128.0.0.0/1'] is not allowed: it opens"),
    ({"public_access_cidrs": ["203.0.113.7/24"]}, "public_access_cidrs[0]: '203.0.113.7/24' is not allowed. Allowed: a network"),
    ({"admins": [SESSION]}, f"admins[0]: '{SESSION}' is not allowed: it is the ARN of a session; use the ARN of its role, {ADMIN} (with"),
    ({"admins": ["arn:aws:iam::111111111111:root"]}, "admins[0]: 'arn:aws:iam::111111111111:root' is not allowed. Allowed: the ARN of an IAM"),
    ({"admins": [ADMIN, ADMIN]}, f"admins: '{ADMIN}' is not allowed: it is given more than once"),
    ({"admins": [ADMIN], "teams": [{"principal_arn": ADMIN, "policy": "A"}]}, f"teams[0].principal_arn: '{ADMIN}' is not allowed. Allowed: a principal"),
    ({"teams": [{"principal_arn": TEAM}]}, "teams[0].policy: missing."),
    ({"teams": [{"principal_arn": TEAM, "policy": "A", "namespace": "b"}]}, "teams[0].namespace: unknown; did you mean namespaces?"),
    ({"teams": [{"principal_arn": TEAM, "policy": "A", "namespaces": []}]}, "teams[0].namespaces: [] is not allowed. Allowed: at least one"),
    ({"teams": [{"principal_arn": TEAM, "policy": "A", "namespaces": ["A"]}]}, "teams[0].namespaces[0]: 'A' is not allowed"),
    ({"teams": [{"principal_arn": TEAM, "policy": "arn:a"}]}, "teams[0].policy: 'arn:a' is not allowed. Allowed: the name of an EKS access"),
    ({"teams": [{"principal_arn": TEAM, "policy": "AmazonEKSClusterAdminPolicy"}]}, "teams[0].policy: 'AmazonEKSClusterAdminPolicy' is not"),
    ({"teams": [{"principal_arn": TEAM, "policy": "A"}] * 2}, f"teams.principal_arn: '{TEAM}' is not allowed: it is given more than once"),
    ({"system": {"instance_type": "p5.48xlarge"}}, "system.instance_type: 'p5.48xlarge' is not allowed: it has accelerators"),
    ({"system": {"nodes": 0}}, "system.nodes: 0 is not allowed. Allowed: whole numbers from 1 to 100."),
    ({"system": {"min": 1}}, "system.min: unknown"),
    ({"groups": [group(instance_type="m7i.large")]}, "groups[0].instance_type: 'm7i.large' is not allowed: it has no accelerators"),
    ({"groups": [group(instance_type="ml.p5.48xlarge")]}, "groups[0].instance_type: 'ml.p5.48xlarge' is not allowed. Allowed: an instance"),
    ({"groups": [group(instance_type="vt1.3xlarge")]}, "groups[0].instance_type: 'vt1.3xlarge' is not allowed: it is not known whether"),
    ({"groups": [{"name": "a"}]}, "groups[0].instance_type: missing."),
    ({"groups": [{"name": "a"}]}, "groups[0].nodes: missing."),
    ({"groups": [group(nam="b")]}, "groups[0].nam: unknown; did you mean name?"),
    ({"groups": ["gpus"]}, "groups[0]: 'gpus' is not allowed. Allowed: an object with name, instance_type"),
    ({"groups": [group(name="a b")]}, "groups[0].name: 'a b' is not allowed. Allowed: the name of a node group"),
    ({"groups": [group(), group()]}, "groups.name: 'gpus' is not allowed: it is given more than once"),
    ({"groups": [group(nodes=-1)]}, "groups[0].nodes: -1 is not allowed"),
    ({"groups": [group(nodes="2")]}, "groups[0].nodes: '2' is not allowed"),
    ({"groups": [group(nodes=True)]}, "groups[0].nodes: True is not allowed"),
    ({"groups": [group(min=3)]}, "groups[0].nodes: 2 is not allowed: training_cluster_groups[0].min is 3. Allowed: 3 or more."),
    ({"groups": [group(max=1)]}, "groups[0].nodes: 2 is not allowed: training_cluster_groups[0].max is 1. Allowed: at most 1."),
    ({"groups": [group(nodes=0, max=0)]}, "groups[0].max: 0 is not allowed. Allowed: whole numbers from 1 to 1000."),
    ({"groups": [group(nodes=None, min=4, max=3)]}, "groups[0].min: 4 is not allowed: training_cluster_groups[0].max is 3"),
    ({"groups": [group(capacity_reservation_id="cr-1")]}, "groups[0].capacity_reservation_id: 'cr-1' is not allowed. Allowed: an ID such as cr-"),
    ({"groups": [group(capacity_reservation_id=RESERVED, spot=True)]}, "groups[0].spot: True is not allowed: Spot Instances do not use"),
    ({"groups": [group(capacity_reservation_id=RESERVED, placement_group="a")]}, "groups[0].placement_group: 'a' is not allowed: the group has"),
    ({"groups": [group(placement_group=" a")]}, "groups[0].placement_group: ' a' is not allowed"),
    ({"groups": [group(spot="yes")]}, "groups[0].spot: 'yes' is not allowed. Allowed: true and false."),
    ({"groups": [group(volume_size=49)]}, "groups[0].volume_size: 49 is not allowed. Allowed: whole numbers of GiB from 50 to 65536, 100 or more"),
    ({"groups": [group(volume_size=65537)]}, "groups[0].volume_size: 65537 is not allowed"),
    ({"groups": [group(local_storage="raid")]}, "groups[0].local_storage: 'raid' is not allowed. Allowed: RAID0, none."),
    ({"groups": [group(subnet_id=SUBNETS[0])]}, "groups[0].subnet_id: 'subnet-00000000000000001' is not allowed: the run creates the subnet"),
    ({**NETWORK, "groups": [group(subnet_id="a")]}, "groups[0].subnet_id: 'a' is not allowed. Allowed: an ID such as subnet-"),
    ({"groups": [group(labels={"a/b/c": "d"})]}, "groups[0].labels: 'a/b/c' is not allowed. Allowed: a key of at most 63 characters"),
    ({"groups": [group(labels={"kubernetes.io/role": "d"})]}, "groups[0].labels: 'kubernetes.io/role' is not allowed. Allowed: keys outside"),
    ({"groups": [group(labels={"x.k8s.io/role": "d"})]}, "groups[0].labels: 'x.k8s.io/role' is not allowed"),
    ({"groups": [group(labels={"eks.amazonaws.com/nodegroup": "d"})]}, "groups[0].labels: 'eks.amazonaws.com/nodegroup' is not allowed"),
    ({"groups": [group(labels={"a": True})]}, "groups[0].labels.a: True is not allowed"),
    ({"groups": [group(labels=["a"])]}, "groups[0].labels: ['a'] is not allowed. Allowed: a mapping of names and values."),
    ({"groups": [group(taints=[{"key": "a", "effect": "NoSchedule"}])]}, "groups[0].taints[0].effect: 'NoSchedule' is not allowed. Allowed: NO_S"),
    ({"groups": [group(taints=[{"key": "a"}])]}, "groups[0].taints[0].effect: missing."),
    ({"groups": [group(taints=[{"key": "a", "effect": "NO_SCHEDULE"}] * 2)]}, "groups[0].taints: 'a:NO_SCHEDULE' is not allowed: it is given"),
    ({"groups": [group(node_repair="true")]}, "groups[0].node_repair: 'true' is not allowed"),
    ({"remove_groups": "gpus"}, "remove_groups: 'gpus' is not allowed. Allowed: a list."),
    ({"remove_groups": ["gpus", "a b"]}, "remove_groups[1]: 'a b' is not allowed. Allowed: the name of a node group: at most 63 letters"),
    ({"remove_groups": [1]}, "remove_groups[0]: 1 is not allowed. Allowed: the name of a node group"),
    ({"remove_groups": ["gpus", "gpus"]}, "remove_groups: 'gpus' is not allowed: it is given more than once. Allowed: each value once."),
    (
        {"groups": [group()], "remove_groups": ["old", "gpus"]},
        "remove_groups[1]: 'gpus' is not allowed: training_cluster_groups declares it. Allowed: a node group that is no longer declared.",
    ),
    ({"remove_groups": ["system"]}, "remove_groups[0]: 'system' is not allowed: training_cluster_system declares it."),
    ({"system": {"nodes": 3}, "remove_groups": ["system"]}, "remove_groups[0]: 'system' is not allowed: training_cluster_system declares it."),
    ({"drain_timeout": -1}, "drain_timeout: -1 is not allowed. Allowed: 0 to 86400."),
    ({"addons": [{"name": "a b"}]}, "addons[0].name: 'a b' is not allowed. Allowed: the name of an add-on"),
    ({"addons": [{"name": "a"}, {"name": "a"}]}, "addons.name: 'a' is not allowed: it is given more than once"),
    ({"addons": [{"name": "a", "version": "1.2"}]}, "addons[0].version: '1.2' is not allowed. Allowed: default, latest, or a version"),
    ({"addons": [{"name": "a", "configuration": "{}"}]}, "addons[0].configuration: '{}' is not allowed. Allowed: a mapping."),
    ({"addons": [{"name": "a", "state": "absent"}]}, "addons[0].state: unknown"),
    ({"file_system": {"deployment_type": "SCRATCH_2"}}, "file_system.storage_capacity: missing."),
    ({"file_system": {**STORAGE, "storage_capacity": 3000}}, "file_system.storage_capacity: 3000 is not allowed. Allowed: 1200, and multiples"),
    ({"file_system": {**STORAGE, "storage_capacity": "1200"}}, "file_system.storage_capacity: '1200' is not allowed. Allowed: a whole number."),
    ({"file_system": {"storage_capacity": 1200}}, "file_system.per_unit_throughput: missing; deployment_type PERSISTENT_2 requires it."),
    ({"file_system": {**STORAGE, "efa": True}}, "file_system.metadata_iops: missing; efa requires it."),
    ({"file_system": {**STORAGE, "deployment_type": "SCRATCH_1"}}, "file_system.deployment_type: 'SCRATCH_1' is not allowed. Allowed: PERSIST"),
    ({"file_system": {**STORAGE, "subnet_id": "a"}}, "file_system.subnet_id: unknown"),
    ({"file_system": {**STORAGE, "weekly_maintenance": "8:09:00"}}, "file_system.weekly_maintenance: '8:09:00' is not allowed"),
    ({"file_system": {**STORAGE, "kms_key_id": "alias/a"}}, "file_system.kms_key_id: 'alias/a' is not allowed"),
    ({"file_system": {**STORAGE, "metadata_iops": "many"}}, "file_system.metadata_iops: 'many' is not allowed"),
    ({"claim": "a", "namespace": "b"}, "claim: 'a' is not allowed. Allowed: no value without training_cluster_file_system."),
    ({"namespace": "b"}, "namespace: 'b' is not allowed. Allowed: no value without training_cluster_file_system."),
    ({"file_system": STORAGE, "claim": "a"}, "namespace: missing; set it with training_cluster_claim."),
    ({"file_system": STORAGE, "namespace": "a"}, "claim: missing; set it with training_cluster_namespace."),
    ({"file_system": STORAGE, "claim": "A", "namespace": "b"}, "claim: 'A' is not allowed"),
    ({"file_system": STORAGE, "claim": "a", "namespace": "B"}, "namespace: 'B' is not allowed"),
    ({"image": {"repository": "a"}}, "image.tag: missing."),
    ({"image": {**IMAGE, "tag": "source-1"}}, "image.tag: 'source-1' is not allowed"),
    ({"image": {**IMAGE, "repository": "Training"}}, "image.repository: 'Training' is not allowed"),
    ({"image": {**IMAGE, "context": "image"}}, "image.context: 'image' is not allowed. Allowed: the absolute path"),
    ({"image": {**IMAGE, "containerfile": "../Containerfile"}}, "image.containerfile: '../Containerfile' is not allowed"),
    ({"image": {**IMAGE, "platform": "linux"}}, "image.platform: 'linux' is not allowed. Allowed: linux/amd64, linux/arm64."),
    ({"image": {**IMAGE, "scan_timeout": -1}}, "image.scan_timeout: -1 is not allowed"),
    ({"image": {**IMAGE, "build_args": ["a=b"]}}, "image.build_args: ['a=b'] is not allowed"),
    ({"image": {**IMAGE, "contxt": "/"}}, "image.contxt: unknown; did you mean context?"),
    ({"encryption_key_arn": "alias/a"}, "encryption_key_arn: 'alias/a' is not allowed. Allowed: the ARN of a KMS key"),
    ({"encryption_key_arn": KEY.replace("us-west-2", "eu-west-1")}, "encryption_key_arn: 'arn:aws:kms:eu-west-1:"),
    ({"logging": ["all"]}, "logging: 'all' is not allowed. Allowed: api, audit, authenticator, controllerManager, scheduler."),
    ({"logging": ["api", "api"]}, "logging: 'api' is not allowed: it is given more than once"),
    ({"boundary": "limits"}, "boundary: 'limits' is not allowed. Allowed: the ARN of a managed IAM policy"),
    ({"tags": {"aws:a": "b"}}, "tags: 'aws:a' is not allowed"),
    ({"tags": {"a": "b" * 257}}, "tags.a: 'bbb"),
    ({"tags": {"a": ["b"]}}, "tags.a: ['b'] is not allowed. Allowed: a text or a number."),
    ({"tags": {"a": "b;c"}}, "tags: 'b;c' is not allowed. Allowed: letters, digits, spaces"),
    ({"tags": {"Name": "b"}}, "tags: 'Name' is not allowed: the run sets this tag. Allowed: keys other than Name"),
    ({"tags": {"mlfleet.hyperpod/cluster": "b"}}, "tags: 'mlfleet.hyperpod/cluster' is not allowed"),
    ({"tags": {f"k{number}": "" for number in range(41)}}, "tags: a mapping with 41 tags is not allowed. Allowed: at most 40 tags."),
    ({"metadata_hop_limit": 3}, "metadata_hop_limit: 3 is not allowed. Allowed: 1 to 2."),
    ({"confirm": "ml"}, "confirm: 'ml' is not allowed. Allowed: no value with training_cluster_state=present."),
    ({"state": "absent"}, "confirm: missing; set it to the name of the cluster that the run removes with all its nodes."),
    ({"state": "absent", "confirm": "other"}, "confirm: 'other' is not allowed. Allowed: ml, the value of training_cluster_name."),
]  # fmt: skip


@pytest.mark.parametrize(("given", "sentence"), REFUSED)
def test_invalid_variables_are_refused(given: dict[str, t.Any], sentence: str) -> None:
    assert any(each.startswith(f"training_cluster_{sentence}") for each in wrong(**given)), wrong(**given)


def test_all_problems_are_reported_at_once() -> None:
    found = wrong(version="1", groups=[group(nodes=-1, nam="x"), group(name="b", volume_size=1)], tags={"Name": "a"})
    assert [each.partition(":")[0].removeprefix("training_cluster_") for each in found] == [
        "version", "groups[0].nam", "groups[0].nodes", "groups[1].volume_size", "tags",
    ]  # fmt: skip


def test_each_variable_of_the_role_has_a_default_and_the_checks_name_existing_ones() -> None:
    options = {name.removeprefix("training_cluster_") for name in variables.default_values("training_cluster")}
    assert {*training_cluster.CHECKS, *training_cluster.EXISTING, *training_cluster.NEW, *training_cluster.LISTS} < options


# -- an eksctl file -------------------------------------------------------------------------------------------------------------

FILE = """
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: ml, region: us-west-2, version: "1.34"}
managedNodeGroups:
- {name: gpus, instanceType: g5.8xlarge, desiredCapacity: 1, availabilityZones: [us-west-2b]}
"""
ENDPOINT = {"public_access_cidrs": ["203.0.113.0/24"]}


def with_file(path: Path, text: str = FILE, **given: t.Any) -> list[str]:
    path = path / "cluster.yaml"
    path.write_text(text)
    return wrong(eksctl_file=str(path), **given)


def test_a_file_and_the_variables_that_it_does_not_set(tmp_path: Path) -> None:
    assert with_file(tmp_path, **ENDPOINT, admins=[ADMIN]) == []


def test_a_file_that_opens_the_api_server_requires_ranges_in_the_variables(tmp_path: Path) -> None:
    (found,) = with_file(tmp_path)
    assert found.startswith("training_cluster_public_access_cidrs: missing; the eksctl file opens the API server to the whole internet.")
    closed = f"{FILE}vpc: {{clusterEndpoints: {{publicAccess: false, privateAccess: true}}}}\n"
    assert with_file(tmp_path, closed) == []
    assert with_file(tmp_path, state="absent", confirm="ml") == []


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"version": "1.35"}, "version: '1.35' is not allowed: training_cluster_eksctl_file also sets it. Allowed: no value, or an eksctl file"),
        ({"groups": [group()]}, "groups: [{'name': 'gpus', 'instance_type': 'p5.48xlarge', 'nodes': 2}] is not allowed: training_cluster_eksctl"),
        ({"name": "other"}, "name: 'other' is not allowed: training_cluster_eksctl_file also sets it. Allowed: ml, the name in the file."),
        ({"zone": "us-west-2b"}, "zone: 'us-west-2b' is not allowed: training_cluster_eksctl_file also sets it."),
    ],
)
def test_a_variable_that_the_file_also_sets_is_refused(tmp_path: Path, given: dict[str, t.Any], sentence: str) -> None:
    (found,) = with_file(tmp_path, **ENDPOINT, **given)
    assert found.startswith(f"training_cluster_{sentence}")


def test_groups_of_the_file_are_declared_so_they_are_not_removed(tmp_path: Path) -> None:
    text = f"{FILE}- {{name: base, instanceType: m7i.xlarge, desiredCapacity: 2, availabilityZones: [us-west-2b]}}\n"
    found = with_file(tmp_path, text, **ENDPOINT, system={}, remove_groups=["old", "gpus", "system"])
    assert [each.partition(".")[0].removeprefix("training_cluster_remove_groups") for each in found] == [
        "[1]: 'gpus' is not allowed: training_cluster_groups declares it",
        "[2]: 'system' is not allowed: training_cluster_system declares it",
    ]


def test_problems_of_the_file_name_the_path_in_the_file(tmp_path: Path) -> None:
    text = FILE.replace("desiredCapacity: 1", "desiredCapacity: -1").replace("us-west-2,", "eu-west-1,") + "fargateProfiles: [{name: a}]\n"
    assert [each.partition(": ")[0].removeprefix("training_cluster_eksctl_file.") for each in with_file(tmp_path, text)] == [
        "fargateProfiles", "metadata.region", "managedNodeGroups[0].desiredCapacity", "managedNodeGroups[0].minSize",
    ]  # fmt: skip


def test_a_file_that_can_not_be_read(tmp_path: Path) -> None:
    (found,) = wrong(eksctl_file=str(tmp_path / "none.yaml"))
    assert found == f"training_cluster_eksctl_file: {tmp_path}/none.yaml can't be read: No such file or directory."
    (found,) = with_file(tmp_path, "a: [")
    assert found.startswith(f"training_cluster_eksctl_file: {tmp_path}/cluster.yaml is neither JSON nor YAML: ")


def test_the_place_of_nodes_in_an_existing_vpc_may_come_from_a_variable(tmp_path: Path) -> None:
    subnets = ", ".join(f"{name}: {{id: {subnet}}}" for name, subnet in zip("ab", SUBNETS))
    text = FILE.replace(", availabilityZones: [us-west-2b]", "") + f"vpc: {{id: {VPC}, subnets: {{private: {{{subnets}}}}}}}\n"
    (found,) = with_file(tmp_path, text, **ENDPOINT)
    assert found.startswith("training_cluster_node_subnet_id: missing; training_cluster_vpc_id selects an existing VPC")
    assert with_file(tmp_path, text, **ENDPOINT, node_subnet_id=SUBNETS[1]) == []


def test_values_of_the_file_are_never_evaluated(tmp_path: Path) -> None:
    hostile = FILE.replace("name: ml", "name: \"{{ lookup('pipe', 'id') }}\\e[31m\"")
    (found,) = with_file(tmp_path, hostile)
    assert found.startswith("training_cluster_eksctl_file.metadata.name: \"{{ lookup('pipe', 'id') }}\\x1b[31m\" is not allowed")
