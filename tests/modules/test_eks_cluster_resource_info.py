# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""eks_cluster_resource_info against the simulated API, under the policies of a role that builds training clusters."""

from __future__ import annotations

import collections
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._eks.belongings.model import DETAILS
from lab.aws import permissions
from modules.fixtures.belongings import COMPONENT, MANAGED, TAG, Belongings
from modules.fixtures.governed import eventually
from simulated.shape import reads

MODULE = "eks_cluster_resource_info"
POLICIES = ("clusters", "eks", "training-cluster-build")
FOUND_FOR_CLUSTERS = ("ebs_volume", "load_balancer", "log_group", "fargate_profile")
"""Kinds that a new cluster does not have."""
ROLE = "arn:aws:iam::111111111111:role/hyperpod-nodes"
HOUR = 3600
"""Longer than all tests of this file take, so that no later test sees what a lag hides."""
ONCE = 19
"""Calls in an empty account: each listing once, and two listings of log groups and load balancers."""
BEFORE = {"page_size": 1000, "eks_nodegroup_lag_seconds": 0, "transition_seconds": 0.05}


@pytest.fixture(scope="module")
def built(simulator: t.Any) -> Belongings:
    simulator.control("settings", {"launch_template_lag_seconds": 0, "security_group_rule_lag_seconds": 0, "elb_unseen_seconds": 0})
    simulator.control("settings", {"policies": permissions.documented(*POLICIES)})
    return Belongings(simulator).build()


@pytest.fixture
def cluster(built: Belongings) -> t.Iterator[Belongings]:
    """The cluster; each test removes what it adds to it."""
    built.control("settings", {"policies": permissions.documented(*POLICIES)})
    yield built
    built.clear_faults()
    built.control("settings", BEFORE)


def found(cluster: Belongings, **options: t.Any) -> dict[str, t.Any]:
    return reads(cluster, MODULE, **{"eks_cluster": cluster.name, **options})


def by_kind(result: dict[str, t.Any]) -> dict[str, list[dict[str, t.Any]]]:
    kinds: dict[str, list[dict[str, t.Any]]] = collections.defaultdict(list)
    for each in result["resources"]:
        kinds[each["kind"]].append(each)
    return kinds


def test_an_empty_account_needs_one_call_for_each_listing(cluster: Belongings) -> None:
    result = found(cluster, eks_cluster="none")
    expected = {"eks_cluster_arn": "arn:aws:eks:us-west-2:111111111111:cluster/none", "account": "111111111111", "resources": [], "blockers": []}
    assert {name: result[name] for name in expected} == expected and result["caller_arn"].startswith("arn:aws:")
    calls = [each for each in cluster.calls() if each != "ListRoleTags"]  # the roles of the built cluster
    assert len(calls) == ONCE and cluster.calls().count("ListRoleTags") == 2, calls


def test_all_resources_of_a_cluster(cluster: Belongings) -> None:
    result, made = found(cluster), cluster.made
    assert result["eks_cluster_arn"] == cluster.arn and result["blockers"] == []
    kinds = by_kind(result)
    assert list(kinds) == [each for each in DETAILS if each not in FOUND_FOR_CLUSTERS]
    for each in result["resources"]:
        assert tuple(each["details"]) == DETAILS[each["kind"]] and each["ours"] and each["component"] == each["kind"], each
    ids = {kind: [each["id"] for each in listed] for kind, listed in kinds.items()}
    made = {kind: sorted(each) if isinstance(each, list) else [each] for kind, each in made.items() if kind in DETAILS}
    assert ids == {**made, "eks_cluster": [cluster.name], "eks_nodegroup": ["gpu", "system"], "eks_addon": ["vpc-cni"]}


def test_values_that_a_plan_needs(cluster: Belongings) -> None:
    kinds, made = by_kind(found(cluster)), cluster.made
    details = {kind: listed[0]["details"] for kind, listed in kinds.items()}
    roles = [f"arn:aws:iam::111111111111:role/hyperpod-eks/{each}" for each in made["iam_role"]]
    of_cluster = details["eks_cluster"]
    assert of_cluster.pop("security_group_id").startswith("sg-")
    assert of_cluster == {
        "version": "1.34",
        "role_arn": roles[0],
        "vpc_id": made["vpc"],
        "subnet_ids": sorted(made["subnet"]),
        "deletion_protection": True,
        "endpoint_public_access": False,
        "endpoint_private_access": True,
        "auto_mode": False,
        "logging": [],
        "support_type": "EXTENDED",
    }
    assert details["eks_nodegroup"] == {
        "version": "1.34",
        "instance_types": [],
        "capacity_type": "ON_DEMAND",
        "ami_type": "AL2023_x86_64_STANDARD",
        "min": 0,
        "max": 4,
        "desired": 2,
        "disk_size": None,
        "launch_template": {"id": made["launch_template"], "name": f"{cluster.name}-gpu", "version": "1"},
        "subnet_ids": made["subnet"][:1],
        "node_role_arn": roles[1],
    }
    assert kinds["eks_nodegroup"][1]["details"]["instance_types"] == ["m5.large"]
    assert (kinds["eks_nodegroup"][1]["details"]["disk_size"], kinds["eks_nodegroup"][1]["details"]["launch_template"]) == (50, None)
    assert details["launch_template"] == {"default_version": 1, "instance_type": "p5.48xlarge", "volume_size": 300}
    assert details["iam_role"] == {"arn": roles[0], "attached_policies": [MANAGED], "inline_policies": []}
    assert kinds["iam_role"][1]["details"]["inline_policies"] == ["pull"]
    assert details["placement_group"] == {"strategy": "cluster"}
    interfaces, file_system = details["file_system"].pop("network_interface_ids"), details["file_system"]
    assert len(interfaces) == 2 and file_system == {
        "storage_capacity": 1200,
        "storage_type": "SSD",
        "deployment_type": "PERSISTENT_2",
        "per_unit_throughput": 125,
        "metadata_iops": "",
        "backup_retention_days": 0,
        "vpc_id": made["vpc"],
        "subnet_id": made["subnet"][0],
        "security_group_ids": [made["security_group"]],
    }
    gateway = details["nat_gateway"]
    assert (gateway["subnet_id"], gateway["allocation_id"]) == (made["subnet"][0], made["elastic_ip"])
    assert [details["elastic_ip"]["network_interface_id"]] == gateway["network_interface_ids"]
    assert details["route_table"] == {"vpc_id": made["vpc"], "main": False, "association_ids": [made["association"]]}
    assert details["internet_gateway"] == details["security_group"] == {"vpc_id": made["vpc"]}
    assert details["vpc"] == {"cidr_block": "10.7.0.0/16"}
    assert {each["details"]["availability_zone"] for each in kinds["subnet"]} == {"us-west-2a", "us-west-2b"}
    statuses = {kind: listed[0]["status"] for kind, listed in kinds.items() if listed[0]["status"]}
    assert statuses == {
        **dict.fromkeys(("eks_cluster", "eks_nodegroup", "eks_addon"), "ACTIVE"),
        "file_system": "AVAILABLE",
        **dict.fromkeys(("placement_group", "vpc", "subnet", "internet_gateway", "nat_gateway", "vpc_endpoint"), "available"),
    }
    names = (kinds["eks_access_entry"][0]["name"], kinds["eks_pod_identity_association"][0]["name"], kinds["vpc"][0]["name"])
    assert names == ("alice", "train/jobs", f"{cluster.name}-vpc")


def test_the_arn_is_accepted_too(cluster: Belongings) -> None:
    assert found(cluster, eks_cluster=cluster.arn)["resources"] == found(cluster)["resources"]


def test_pages(cluster: Belongings) -> None:
    whole = found(cluster)["resources"]
    cluster.control("settings", {"page_size": 1})
    assert found(cluster)["resources"] == whole
    assert cluster.calls().count(f"GET /clusters/{cluster.name}/node-groups") == 2


def test_other_clusters_and_teams_have_their_own_resources(cluster: Belongings) -> None:
    before, other = found(cluster), Belongings(cluster.simulator)
    other.build_network()
    other.build_roles()
    cluster.role(f"{cluster.name}-us-west-2-untagged", [])
    cluster.role(f"{cluster.name}-elsewhere", cluster.pairs("iam_role"), path="/")
    ec2 = cluster.ec2
    ec2.create_launch_template(LaunchTemplateName=f"{cluster.name}-untagged", LaunchTemplateData={"InstanceType": "m5.large"})
    ec2.create_placement_group(GroupName=f"{cluster.name}-untagged", Strategy="cluster")
    windows = {"FileSystemType": "WINDOWS", "StorageCapacity": 32, "SubnetIds": other.made["subnet"][:1]}
    cluster.file_system(**windows, Tags=cluster.pairs("file_system"))
    after = found(cluster)
    assert (after["resources"], after["blockers"]) == (before["resources"], before["blockers"])
    kinds = set(by_kind(found(other)))
    assert {"vpc", "subnet", "nat_gateway", "elastic_ip", "iam_role"} <= kinds and "eks_cluster" not in kinds


def test_parts_of_the_cluster_without_our_tag_are_listed(cluster: Belongings) -> None:
    eks, named = cluster.eks, {"clusterName": cluster.name}
    principal = "arn:aws:iam::111111111111:role/team"
    nodes = f"arn:aws:iam::111111111111:role/hyperpod-eks/{cluster.made['iam_role'][1]}"
    eks.create_nodegroup(**named, nodegroupName="team", nodeRole=nodes, subnets=cluster.made["subnet"][:1], tags={COMPONENT: "x\u001by", TAG: "arn"})
    profile = {"podExecutionRoleArn": nodes, "subnets": cluster.made["subnet"][:1], "selectors": [{"namespace": "web"}]}
    eks.create_fargate_profile(**named, fargateProfileName="web", **profile)
    eks.create_access_entry(**named, principalArn=principal)
    policy, scope = "arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy", {"type": "namespace", "namespaces": ["web"]}
    eks.associate_access_policy(**named, principalArn=principal, policyArn=policy, accessScope=scope)
    eventually(lambda: eks.describe_nodegroup(**named, nodegroupName="team")["nodegroup"]["status"] == "ACTIVE")
    result = found(cluster)
    others = {each["kind"]: each for each in result["resources"] if not each["ours"]}
    assert {kind: each["id"] for kind, each in others.items()} == {
        "eks_nodegroup": "team",
        "eks_access_entry": principal,
        "fargate_profile": "web",
    }
    assert others["eks_nodegroup"]["component"] == "x?y"
    assert others["eks_access_entry"]["details"]["access_policies"] == [{"policy": policy, "namespaces": ["web"]}]
    assert others["fargate_profile"]["details"] == {"pod_execution_role_arn": nodes, "subnet_ids": cluster.made["subnet"][:1]}
    assert [(each["kind"], each["id"]) for each in result["blockers"]] == [("eks_nodegroup", "team"), ("fargate_profile", "web")]
    assert result["blockers"][0]["next_step"] == f"delete it: aws eks delete-nodegroup --cluster-name {cluster.name} --nodegroup-name team"
    eks.delete_nodegroup(**named, nodegroupName="team")
    eks.delete_fargate_profile(**named, fargateProfileName="web")
    eks.delete_access_entry(**named, principalArn=principal)
    eventually(lambda: "team" not in eks.list_nodegroups(**named)["nodegroups"])


def test_what_remains_after_a_removal(cluster: Belongings) -> None:
    name, ec2, subnet = cluster.name, cluster.ec2, cluster.made["subnet"][0]
    ours, theirs = [f"/aws/eks/{name}/cluster", f"/aws/containerinsights/{name}/host"], [f"/aws/eks/{name}/cluster-2", f"/aws/eks/{name}2/cluster"]
    for each in (*ours, *theirs, f"/aws/containerinsights/{name}2/host"):
        cluster.logs.create_log_group(logGroupName=each, tags=cluster.tags("log_group") if each == ours[1] else {})
    cluster.logs.put_retention_policy(logGroupName=ours[0], retentionInDays=30)
    volumes = [volume(ec2, {f"kubernetes.io/cluster/{name}": "owned"}), volume(ec2, {f"kubernetes.io/cluster/{name}": "shared"}), volume(ec2, {})]
    tags = ({f"kubernetes.io/cluster/{name}": "owned"}, {"elbv2.k8s.aws/cluster": name}, {"elbv2.k8s.aws/cluster": f"{name}2"})
    balancers = [balancer(cluster, f"{name}-{number}", subnet, each) for number, each in enumerate(tags)]
    result = found(cluster)
    kinds = by_kind(result)
    groups = {each["id"]: (each["ours"], each["details"]) for each in kinds["log_group"]}
    assert groups == {
        ours[0]: (False, {"stored_bytes": 0, "retention_days": 30}),
        ours[1]: (True, {"stored_bytes": 0, "retention_days": None}),
    }
    assert [(each["id"], each["ours"], each["status"]) for each in kinds["ebs_volume"]] == [(volumes[0], False, "available")]
    assert kinds["ebs_volume"][0]["details"] | {"availability_zone": ""} == {
        "size": 8,
        "type": "gp3",
        "availability_zone": "",
        "instance_id": "",
        "delete_on_termination": False,
    }
    assert [(each["id"], each["name"], each["details"], each["ours"]) for each in kinds["load_balancer"]] == [
        (arn, f"{name}-{number}", {"type": "network"}, False) for number, arn in enumerate(balancers[:2])
    ]
    blockers = [each for each in result["blockers"] if each["kind"] == "load_balancer"]
    assert sorted(each["id"] for each in blockers) == sorted(arn.partition("loadbalancer/")[2] for arn in balancers)
    assert blockers[0]["next_step"].startswith("delete its Service or Ingress while the cluster exists")
    for arn in balancers:
        cluster.elbv2.delete_load_balancer(LoadBalancerArn=arn)
    for each in (*ours, *theirs):
        cluster.logs.delete_log_group(logGroupName=each)
    for each in volumes:
        ec2.delete_volume(VolumeId=each)
    eventually(lambda: not found(cluster)["blockers"])


def volume(ec2: t.Any, tags: dict[str, str]) -> str:
    pairs = [{"Key": key, "Value": value} for key, value in tags.items()]
    spec = [{"ResourceType": "volume", "Tags": pairs}] if pairs else []
    created = ec2.create_volume(AvailabilityZone="us-west-2a", Size=8, VolumeType="gp3", TagSpecifications=spec)
    return str(created["VolumeId"])


def balancer(cluster: Belongings, name: str, subnet: str, tags: dict[str, str]) -> str:
    pairs = [{"Key": key, "Value": value} for key, value in tags.items()]
    given = {"Name": name, "Type": "network", "Scheme": "internal", "Subnets": [subnet], "Tags": pairs}
    return str(cluster.elbv2.create_load_balancer(**given)["LoadBalancers"][0]["LoadBalancerArn"])


def test_a_hyperpod_cluster_on_our_cluster_is_a_blocker(cluster: Belongings) -> None:
    sagemaker = cluster.simulator.client("sagemaker")
    group = {"InstanceGroupName": "gpu", "InstanceType": "ml.g5.8xlarge", "InstanceCount": 0, "ExecutionRole": ROLE}
    given = {"Orchestrator": {"Eks": {"ClusterArn": cluster.arn}}, "NodeProvisioningMode": "Continuous", "InstanceGroups": [group]}
    arn = sagemaker.create_cluster(ClusterName="on-eks", Tags=[{"Key": "lab/hosts", "Value": "none"}], **given)["ClusterArn"]
    (blocker,) = found(cluster)["blockers"]
    assert (blocker["kind"], blocker["id"]) == ("hyperpod_cluster", arn)
    assert f"hyperpod_cluster_remove={arn}" in blocker["next_step"]
    eventually(lambda: sagemaker.describe_cluster(ClusterName="on-eks")["ClusterStatus"] == "InService")
    sagemaker.delete_cluster(ClusterName="on-eks")
    eventually(lambda: not found(cluster)["blockers"])


def test_resources_of_others_in_our_vpc_are_blockers(cluster: Belongings) -> None:
    ec2, made = cluster.ec2, cluster.made
    vpc, subnet = made["vpc"], cluster.subnet(9, "us-west-2a", tagged=False)
    group = ec2.create_security_group(GroupName=f"GuardDutyManagedSecurityGroup-{vpc}", Description="x", VpcId=vpc)["GroupId"]
    table = ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
    service = {"VpcId": vpc, "ServiceName": "com.amazonaws.us-west-2.guardduty-data", "VpcEndpointType": "Interface"}
    endpoint = ec2.create_vpc_endpoint(**service, SubnetIds=made["subnet"][:1], SecurityGroupIds=[group])["VpcEndpoint"]["VpcEndpointId"]
    interfaces = [cluster.interface("EFS mount target for fs-0a1b (fsmt-0a1b)"), cluster.interface("aws-K8S-i-0a1b"), cluster.interface("left\u202e")]
    result = found(cluster)
    blockers = {each["id"]: each for each in result["blockers"]}
    by_id = {
        subnet: "subnet",
        group: "security_group",
        table: "route_table",
        endpoint: "vpc_endpoint",
        "fsmt-0a1b": "efs_mount_target",
        interfaces[1]: "network_interface",
        interfaces[2]: "network_interface",
    }
    assert {each["id"]: each["kind"] for each in result["blockers"]} == by_id
    assert blockers[endpoint]["text"] == f"VPC endpoint {endpoint} is in VPC {vpc}, but does not have the cluster's tag"
    assert blockers[endpoint]["next_step"].startswith("disable the automated agent of GuardDuty Runtime Monitoring")
    assert blockers[group]["next_step"].endswith(f"then the group: aws ec2 delete-security-group --group-id {group}")
    place = f"{made['subnet'][0]} of VPC {vpc}"
    assert blockers["fsmt-0a1b"]["text"] == f"EFS mount target fsmt-0a1b uses {place} through network interface {interfaces[0]}"
    assert blockers["fsmt-0a1b"]["next_step"].endswith("aws efs delete-mount-target --mount-target-id fsmt-0a1b")
    assert blockers[interfaces[1]]["text"] == f"network interface {interfaces[1]} uses {place}"
    assert blockers[interfaces[1]]["next_step"] == f"delete it: aws ec2 delete-network-interface --network-interface-id {interfaces[1]}"
    assert [each for each in result["resources"] if not each["ours"]] == []
    ec2.delete_vpc_endpoints(VpcEndpointIds=[endpoint])
    for each in interfaces:
        ec2.delete_network_interface(NetworkInterfaceId=each)
    ec2.delete_subnet(SubnetId=subnet)
    ec2.delete_route_table(RouteTableId=table)
    ec2.delete_security_group(GroupId=group)
    assert found(cluster)["blockers"] == []


def test_instances_of_node_groups_are_not_blockers_but_others_are(cluster: Belongings) -> None:
    ec2 = cluster.ec2
    node = instance(cluster, {"eks:cluster-name": cluster.name, "eks:nodegroup-name": "gpu"})
    gone = instance(cluster, {"eks:cluster-name": cluster.name, "eks:nodegroup-name": "gone"})
    other = instance(cluster, {})
    blockers = {each["id"]: each for each in found(cluster)["blockers"]}
    assert set(blockers) == {gone, other} and {each["kind"] for each in blockers.values()} == {"instance"}
    assert blockers[other]["next_step"].endswith(f"aws ec2 terminate-instances --instance-ids {other}")
    terminate(ec2, [node, gone, other])
    assert found(cluster)["blockers"] == []


def terminate(ec2: t.Any, instances: list[str]) -> None:
    """moto keeps the network interfaces."""
    interfaces = ec2.describe_network_interfaces(Filters=[{"Name": "attachment.instance-id", "Values": instances}])["NetworkInterfaces"]
    ec2.terminate_instances(InstanceIds=instances)
    for each in interfaces:
        ec2.delete_network_interface(NetworkInterfaceId=each["NetworkInterfaceId"])


def instance(cluster: Belongings, tags: dict[str, str]) -> str:
    image = cluster.ec2.register_image(Name=f"image-{len(tags)}", RootDeviceName="/dev/xvda")["ImageId"]
    spec = [{"ResourceType": "instance", "Tags": [{"Key": key, "Value": value} for key, value in tags.items()]}] if tags else []
    given = {"ImageId": image, "MinCount": 1, "MaxCount": 1, "SubnetId": cluster.made["subnet"][0], "TagSpecifications": spec}
    return str(cluster.ec2.run_instances(**given)["Instances"][0]["InstanceId"])


def test_resources_that_use_our_security_group_in_another_vpc_are_blockers(cluster: Belongings, network: dict[str, t.Any]) -> None:
    other, ec2 = Belongings(cluster.simulator), cluster.ec2
    group = ec2.create_security_group(
        GroupName=other.name, Description="x", VpcId=network["vpc"], TagSpecifications=other.spec("security_group")
    )["GroupId"]
    used = ec2.create_network_interface(SubnetId=network["subnets"][0], Groups=[group])["NetworkInterface"]["NetworkInterfaceId"]
    ec2.create_network_interface(SubnetId=network["subnets"][0])
    result = found(other)
    assert [each["id"] for each in result["resources"]] == [group]
    assert [(each["kind"], each["id"]) for each in result["blockers"]] == [("network_interface", used)]


def test_another_file_system_in_our_vpc_is_a_blocker(cluster: Belongings) -> None:
    made = cluster.made
    lustre = {"FileSystemType": "LUSTRE", "StorageCapacity": 1200, "SubnetIds": made["subnet"][:1], "SecurityGroupIds": [made["security_group"]]}
    other = cluster.file_system(**lustre, LustreConfiguration={"DeploymentType": "SCRATCH_2"}, Tags=[{"Key": TAG, "Value": "arn"}])
    (blocker,) = found(cluster)["blockers"]
    assert (blocker["kind"], blocker["id"]) == ("file_system", other) and "through network interfaces eni-" in blocker["text"]
    cluster.fsx.delete_file_system(FileSystemId=other)
    eventually(lambda: not found(cluster)["blockers"])


def test_a_cluster_of_others_with_this_name_is_not_ours(cluster: Belongings) -> None:
    other = Belongings(cluster.simulator)
    other.build_network()
    other.made["iam_role"] = cluster.made["iam_role"]
    role = f"arn:aws:iam::111111111111:role/hyperpod-eks/{cluster.made['iam_role'][0]}"
    access = {"authenticationMode": "CONFIG_MAP"}
    network = {"subnetIds": other.made["subnet"]}
    other.eks.create_cluster(name=other.name, roleArn=role, version="1.34", resourcesVpcConfig=network, accessConfig=access)
    interface = other.interface(f"Amazon EKS {other.name}")
    result = found(other)
    (theirs,) = by_kind(result)["eks_cluster"]
    assert (theirs["ours"], theirs["component"]) == (False, "") and "eks_access_entry" not in by_kind(result)
    assert [(each["kind"], each["id"]) for each in result["blockers"]] == [("network_interface", interface)]
    assert f"GET /clusters/{other.name}/access-entries" not in other.calls()


def test_deleted_resources_are_returned_with_their_status(cluster: Belongings, faults: t.Any) -> None:
    other = Belongings(cluster.simulator)
    other.build_network()
    other.ec2.delete_nat_gateway(NatGatewayId=other.made["nat_gateway"])
    kinds = by_kind(found(other))
    assert kinds["nat_gateway"][0]["status"] == "deleted" and kinds["elastic_ip"][0]["details"]["association_id"] == ""
    cluster.control("settings", {"transition_seconds": HOUR, "eks_nodegroup_lag_seconds": HOUR})
    groups = {"nodeRole": f"arn:aws:iam::111111111111:role/{cluster.made['iam_role'][1]}", "subnets": cluster.made["subnet"][:1]}
    cluster.eks.create_nodegroup(clusterName=cluster.name, nodegroupName="unseen", **groups)
    assert [each["id"] for each in by_kind(found(cluster))["eks_nodegroup"]] == ["gpu", "system"]
    assert f"GET /clusters/{cluster.name}/node-groups/unseen" in cluster.calls()


@pytest.mark.parametrize(
    ("action", "operation"),
    [
        ("eks:DescribeNodegroup", "DescribeNodegroup"),
        ("eks:ListFargateProfiles", "ListFargateProfiles"),
        ("iam:ListRoles", "ListRoles"),
        ("iam:ListRoleTags", "ListRoleTags"),
        ("ec2:DescribeNatGateways", "DescribeNatGateways"),
        ("ec2:DescribeAddresses", "DescribeAddresses"),
        ("fsx:DescribeFileSystems", "DescribeFileSystems"),
        ("logs:DescribeLogGroups", "DescribeLogGroups"),
        ("tag:GetResources", "GetResources"),
    ],
)
def test_a_missing_right_fails_with_the_operation(cluster: Belongings, policies: t.Any, action: str, operation: str) -> None:
    policies([without(document, action) for document in permissions.documented(*POLICIES)])
    failed = cluster.run(MODULE, eks_cluster=cluster.name)
    assert failed["failed"] and failed["msg"].startswith(f"{operation} for "), failed
    assert "allow the action for the calling role" in failed["msg"]


def without(document: t.Any, action: str) -> t.Any:
    for statement in document["Statement"]:
        actions = statement["Action"] if isinstance(statement["Action"], list) else [statement["Action"]]
        statement["Action"] = [each for each in actions if each != action] or ["none:None"]
    return document


@pytest.mark.parametrize("operation", ["DescribeVpcs", "ListRoles", "DescribeFileSystems", "GetResources"])
def test_throttling_is_waited_out(cluster: Belongings, faults: t.Any, operation: str) -> None:
    whole = found(cluster)["resources"]
    faults(kind="throttle", operation=operation, times=1)
    assert found(cluster)["resources"] == whole and cluster.calls().count(operation) >= 2


@pytest.mark.parametrize(("operation", "kind"), [("DescribeRouteTables", "error"), ("ListRolePolicies", "error")])
def test_a_failed_call_fails_the_module(cluster: Belongings, faults: t.Any, operation: str, kind: str) -> None:
    faults(kind=kind, operation=operation, code="InvalidAction")
    failed = cluster.run(MODULE, eks_cluster=cluster.name)
    assert failed["failed"] and failed["msg"].startswith(f"{operation} for "), failed


def test_bad_input_is_refused(cluster: Belongings) -> None:
    for wrong, text in (
        ("a b", "eks_cluster: 'a b' is not allowed"),
        (cluster.arn.replace("us-west-2", "us-east-1"), "it is in another Region"),
        (cluster.arn.replace("1" * 12, "2" * 12), "it is in another account. Allowed: an EKS cluster of account 111111111111."),
    ):
        refused = cluster.run(MODULE, eks_cluster=wrong)
        assert refused["failed"] and text in refused["msg"], refused
        assert cluster.calls() in ([], ["GetCallerIdentity"])
