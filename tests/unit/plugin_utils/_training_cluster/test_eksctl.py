# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An eksctl file becomes variables, or is refused with all reasons. The files resemble those of AWS's samples for training."""

from __future__ import annotations

import copy
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.gathering import refusals
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._kubernetes.yaml_text import document
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.eksctl import variables_of

Values = dict[str, t.Any]
BOUNDARY = "arn:aws:iam::111111111111:policy/limits"
KEY = "arn:aws:kms:us-west-2:111111111111:key/01234567-89ab-cdef-0123-456789abcdef"
HEAD: Values = {"apiVersion": "eksctl.io/v1alpha5", "kind": "ClusterConfig", "metadata": {"name": "ml", "region": "us-west-2"}}
NODE_CONFIG = """\
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  instance: {localStorage: {strategy: RAID0}}
"""
NEW_VPC = document(
    """
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-west-2, version: "1.34", tags: {team: research}}
availabilityZones: [us-west-2a, us-west-2b]
iam: {withOIDC: true}
managedNodeGroups:
- name: system
  instanceType: c5.2xlarge
  desiredCapacity: 1
  iam: {withAddonPolicies: {autoScaler: true, cloudWatch: true}}
  nodeRepairConfig: {enabled: true}
- name: gpus
  instanceType: p4d.24xlarge
  instancePrefix: gpus
  privateNetworking: true
  efaEnabled: true
  minSize: 0
  desiredCapacity: 2
  maxSize: 4
  availabilityZones: [us-west-2b]
  capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}}
  overrideBootstrapCommand: |
    apiVersion: node.eks.aws/v1alpha1
    kind: NodeConfig
    spec: {instance: {localStorage: {strategy: RAID0}}}
  iam: {withAddonPolicies: {autoScaler: true, cloudWatch: true, ebs: true, fsx: true}}
  nodeRepairConfig: {enabled: true}
addons:
- {name: aws-ebs-csi-driver, wellKnownPolicies: {ebsCSIController: true}}
- {name: eks-node-monitoring-agent, resolveConflicts: overwrite}
- name: amazon-cloudwatch-observability
  resolveConflicts: overwrite
  attachPolicyARNs: ["arn:aws:iam::aws:policy/CloudWatchFullAccess"]
"""
)
OLD_VPC = document(
    """
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: train, region: us-west-2}
vpc:
  id: vpc-0123456789abcdef0
  publicAccessCIDRs: [203.0.113.0/24]
  subnets:
    private:
      one: {id: subnet-00000000000000001, az: us-west-2a}
      two: {id: subnet-00000000000000002, az: us-west-2b}
    public:
      three: {id: subnet-00000000000000003, az: us-west-2a}
managedNodeGroups:
- name: block
  instanceTypes: [p5.48xlarge]
  desiredCapacity: 1
  subnets: [two]
  capacityReservation: {capacityReservationTarget: {capacityReservationID: cr-0123456789abcdef0}}
  instanceMarketOptions: {marketType: capacity-block}
- {name: spare, instanceType: g5.8xlarge, spot: true, subnets: [one], volumeSize: 200, labels: {a: b}}
"""
)


def found(given: Values, **more: t.Any) -> Values:
    return variables_of({**given, **more}, "file", region="us-west-2")


def problems(given: t.Any) -> list[str]:
    return [each.removeprefix("file.") for each in refusals(lambda: variables_of(given, "file", region="us-west-2"))]


def test_a_cluster_with_a_reservation_in_a_new_vpc() -> None:
    assert found(NEW_VPC) == {
        "name": "train",
        "version": "1.34",
        "tags": {"team": "research"},
        "system": {"instance_type": "c5.2xlarge", "nodes": 1},
        "groups": [
            {
                "name": "gpus",
                "instance_type": "p4d.24xlarge",
                "nodes": 2,
                "min": 0,
                "max": 4,
                "capacity_reservation_id": "cr-0123456789abcdef0",
                "local_storage": "RAID0",
                "node_repair": True,
            }
        ],
        "zone": "us-west-2b",
        "addons": [
            {"name": "aws-ebs-csi-driver"},
            {"name": "eks-node-monitoring-agent"},
            {"name": "amazon-cloudwatch-observability"},
            {"name": "aws-fsx-csi-driver"},
        ],
    }


def test_a_cluster_with_a_capacity_block_in_an_existing_vpc() -> None:
    assert found(OLD_VPC) == {
        "name": "train",
        "vpc_id": "vpc-0123456789abcdef0",
        "subnet_ids": ["subnet-00000000000000001", "subnet-00000000000000002", "subnet-00000000000000003"],
        "node_subnet_id": "subnet-00000000000000002",
        "public_access_cidrs": ["203.0.113.0/24"],
        "groups": [
            {
                "name": "block",
                "instance_type": "p5.48xlarge",
                "nodes": 1,
                "min": 1,
                "max": 1,
                "capacity_reservation_id": "cr-0123456789abcdef0",
            },
            {
                "name": "spare",
                "instance_type": "g5.8xlarge",
                "nodes": 2,
                "min": 2,
                "max": 2,
                "spot": True,
                "volume_size": 200,
                "labels": {"a": "b"},
                "subnet_id": "subnet-00000000000000001",
            },
        ],
    }


def test_the_file_is_not_changed() -> None:
    before = copy.deepcopy(NEW_VPC)
    found(NEW_VPC)
    assert before == NEW_VPC


def test_a_file_with_a_name_only() -> None:
    assert found(HEAD) == {"name": "ml"}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"secretsEncryption": {"keyARN": KEY}}, {"encryption_key_arn": KEY}),
        ({"cloudWatch": {"clusterLogging": {"enableTypes": ["api", "audit"]}}}, {"logging": ["api", "audit"]}),
        (
            {"cloudWatch": {"clusterLogging": {"enableTypes": ["*"]}}},
            {"logging": ["api", "audit", "authenticator", "controllerManager", "scheduler"]},
        ),
        ({"iam": {"serviceRolePermissionsBoundary": BOUNDARY}}, {"boundary": BOUNDARY}),
        ({"addons": [{"name": "vpc-cni", "permissionsBoundary": BOUNDARY}]}, {"addons": [{"name": "vpc-cni"}], "boundary": BOUNDARY}),
        ({"upgradePolicy": {"supportType": "STANDARD"}, "kubernetesNetworkConfig": {"ipFamily": "IPv4"}}, {}),
        ({"nodeGroups": [], "karpenter": None, "gitops": {}}, {}),
    ],
)
def test_other_parts_of_a_file(more: Values, expected: Values) -> None:
    assert found(HEAD, **more) == {"name": "ml", **expected}


def test_groups_add_tags_boundaries_and_the_hop_limit_of_the_metadata_service() -> None:
    group = {"name": "a", "instanceType": "g5.8xlarge", "tags": {"team": "a", "cost": "b"}, "disablePodIMDS": False}
    group["iam"] = {"instanceRolePermissionsBoundary": BOUNDARY}
    values = found({**HEAD, "metadata": {"name": "ml", "tags": {"team": "a"}}}, managedNodeGroups=[group])
    assert (values["tags"], values["boundary"], values["metadata_hop_limit"]) == ({"team": "a", "cost": "b"}, BOUNDARY, 2)


@pytest.mark.parametrize("disabled", [True, False])
def test_the_hop_limit_is_that_of_all_groups(disabled: bool) -> None:
    groups = [{"name": name, "instanceType": "g5.8xlarge", "disablePodIMDS": disabled} for name in "ab"]
    assert found(HEAD, managedNodeGroups=groups)["metadata_hop_limit"] == (1 if disabled else 2)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"apiVersion": None}, "apiVersion: missing; the file must be a ClusterConfig of eksctl."),
        ({"kind": "Cluster"}, "kind: 'Cluster' is not allowed: the file must describe a cluster. Allowed: ClusterConfig."),
        ({"metadata": None}, "metadata.name: missing; set it to the name of the cluster."),
        ({"metadata": {"name": "a b"}}, "metadata.name: 'a b' is not allowed."),
        ({"metadata": {"name": "ml", "version": 1.33}}, "metadata.version: 1.33 is not allowed. Allowed: a text, in quotes if YAML reads"),
        ({"metadata": {"name": "ml", "version": "latest"}}, "metadata.version: 'latest' is not allowed. Allowed: a version of Kubernetes"),
        ({"metadata": {"name": "ml", "region": "eu-west-1"}}, "metadata.region: 'eu-west-1' is not allowed: hyperpod_region is the Region"),
        ({"metadata": {"name": "ml", "tags": {"Name": "a"}}}, "metadata.tags: 'Name' is not allowed: the run sets"),
        ({"availabilityZones": ["eu-west-1a"]}, "availabilityZones[0]: 'eu-west-1a' is not allowed: it is in a different Region"),
        ({"upgradePolicy": {"supportType": "EXTENDED"}}, "upgradePolicy.supportType: 'EXTENDED' is not allowed: extended support costs"),
        ({"secretsEncryption": {"keyARN": KEY.replace("west", "east")}}, "secretsEncryption.keyARN: 'arn:aws:kms:us-east-2:"),
        ({"cloudWatch": {"clusterLogging": {"enableTypes": ["apis"]}}}, "cloudWatch.clusterLogging.enableTypes: 'apis' is not allowed."),
        ({"cloudWatch": {"clusterLogging": {"logRetentionInDays": 5}}}, "cloudWatch.clusterLogging.logRetentionInDays: 5 is not allowed"),
        ({"iam": {"serviceRoleARN": "a"}}, "iam.serviceRoleARN: 'a' is not allowed: the run creates the IAM roles. Allowed: no value; use"),
        ({"iam": {"serviceRolePermissionsBoundary": "a"}}, "iam.serviceRolePermissionsBoundary: 'a' is not allowed."),
        ({"autoModeConfig": {"enabled": True}}, "autoModeConfig: {'enabled': True} is not allowed: nodes of EKS Auto Mode have neither EFA"),
        ({"fargateProfiles": [{"name": "a"}]}, "fargateProfiles: [{'name': 'a'}] is not allowed"),
        ({"nodeGroups": [{"name": "a"}]}, "nodeGroups: [{'name': 'a'}] is not allowed: the run creates only managed node groups. Allowed: no"),
        ({"karpenter": {"version": "1"}}, "karpenter: {'version': '1'} is not allowed: the run does not install Karpenter."),
        ({"gitops": {"flux": {}}}, "gitops: {'flux': {}} is not allowed: the run does not install Flux."),
        ({"outpost": {"controlPlaneOutpostARN": "a"}}, "outpost: {'controlPlaneOutpostARN': 'a'} is not allowed"),
        ({"privateCluster": {"enabled": True}}, "privateCluster: {'enabled': True} is not allowed"),
        ({"managedNodegroups": []}, "managedNodegroups: unknown; did you mean managedNodeGroups? Allowed: apiVersion, kind"),
    ],
)
def test_a_refused_part_of_a_file(more: Values, sentence: str) -> None:
    (refused,) = problems({**HEAD, **more})
    assert refused.startswith(sentence)


def test_groups_with_different_common_settings_are_refused() -> None:
    first: Values = {"name": "a", "instanceType": "g5.8xlarge", "tags": {"team": "a"}, "disablePodIMDS": True}
    second: Values = {"name": "b", "instanceType": "g5.8xlarge", "tags": {"team": "b"}, "disablePodIMDS": False}
    first["iam"], second["iam"] = ({"instanceRolePermissionsBoundary": f"{BOUNDARY}-{name}"} for name in "ab")
    assert [each.partition(": ")[0] for each in problems({**HEAD, "managedNodeGroups": [first, second]})] == [
        "managedNodeGroups[1].iam.instanceRolePermissionsBoundary", "managedNodeGroups[1].tags.team", "managedNodeGroups[1].disablePodIMDS",
    ]  # fmt: skip


def test_all_problems_of_a_file_are_reported_at_once() -> None:
    given = copy.deepcopy(NEW_VPC)
    given["metadata"]["name"] = "<name>"
    given["managedNodeGroups"][1].update(ami="ami-1", availabilityZones=["here"], volumeSize=5, preBootstrapCommands=["a"])
    given["managedNodeGroups"][1]["iam"]["withAddonPolicies"].update(albIngress=True, imageBuilder=True)
    given["addons"].append({"name": "a b", "serviceAccountRoleARN": "c"})
    given["vpc"] = {"nat": {"gateway": "Disable"}, "publicAccessCIDRs": ["0.0.0.0/0"]}
    given["gitops"] = {"flux": {}}
    group = "managedNodeGroups[1]"
    assert [each.partition(": ")[0] for each in problems(given)] == [
        "gitops", "metadata.name", "vpc.nat.gateway", "vpc.publicAccessCIDRs", f"{group}.ami", f"{group}.preBootstrapCommands",
        f"{group}.availabilityZones", f"{group}.iam.withAddonPolicies.albIngress", f"{group}.iam.withAddonPolicies.imageBuilder",
        f"{group}.volumeSize", "addons[3].serviceAccountRoleARN", "addons[3].name",
    ]  # fmt: skip


@pytest.mark.parametrize("given", [None, [], "text", 5])
def test_a_document_that_is_no_object(given: t.Any) -> None:
    with pytest.raises(Refused, match=r"^file: .* is not allowed. Allowed: an object with apiVersion, kind"):
        variables_of(given, "file")


@pytest.mark.parametrize("name", ["metadata", "iam", "vpc", "managedNodeGroups", "addons", "accessConfig", "cloudWatch", "secretsEncryption"])
@pytest.mark.parametrize("value", ["text", 5, True, [1], [None], {"a": {"b": "c"}}, [{"a": "b"}], {"id": []}])
def test_hostile_values_are_refused_and_never_fail_otherwise(name: str, value: t.Any) -> None:
    assert problems({**NEW_VPC, name: value})
