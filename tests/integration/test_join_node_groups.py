# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's node groups behave like those of EKS: instances become nodes, device plugins bring GPUs and EFA, and nothing is left."""

from __future__ import annotations

import json
import subprocess
import typing as t

import pytest
from kubernetes_world import until
from steps import step
from training_world import TrainingWorld

NAME, SYSTEM, GPUS, PATH = "train", "system", "gpus", "/hyperpod-eks/"
GPU, EFA, HUGE = "nvidia.com/gpu", "vpc.amazonaws.com/efa", "hugepages-2Mi"
TAINT = {"key": GPU, "value": "true", "effect": "NO_SCHEDULE"}
GPU_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.19.3"
EFA_IMAGE = "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.15"
POLICIES = {
    "cluster": ("AmazonEKSClusterPolicy",),
    "nodes": ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly", "AmazonEKS_CNI_Policy"),
}
SETS = "/apis/apps/v1/namespaces/kube-system/daemonsets"

pytestmark = pytest.mark.slow


class Cluster:
    """A cluster with its network and roles, as ``training_cluster`` creates them."""

    def __init__(self, world: TrainingWorld) -> None:
        self.world, self.eks, self.ec2, self.iam = world, world.aws("eks"), world.aws("ec2"), world.aws("iam")
        self.subnets = self._network()
        self.roles = {part: self._role(part) for part in ("cluster", "nodes")}
        access = {"authenticationMode": "API", "bootstrapClusterCreatorAdminPermissions": True}
        network = {"subnetIds": self.subnets}
        self.eks.create_cluster(name=NAME, version="1.34", roleArn=self.roles["cluster"], resourcesVpcConfig=network, accessConfig=access)

    def _network(self) -> list[str]:
        """Two private subnets with a NAT gateway in one of them."""
        vpc = self.ec2.create_vpc(CidrBlock="10.7.0.0/16")["Vpc"]["VpcId"]
        blocks = (("10.7.1.0/24", "us-west-2a"), ("10.7.2.0/24", "us-west-2b"))
        subnets = [
            self.ec2.create_subnet(VpcId=vpc, CidrBlock=block, AvailabilityZone=zone)["Subnet"]["SubnetId"] for block, zone in blocks
        ]
        gateway = self.ec2.create_internet_gateway()["InternetGateway"]["InternetGatewayId"]
        self.ec2.attach_internet_gateway(InternetGatewayId=gateway, VpcId=vpc)
        address = self.ec2.allocate_address(Domain="vpc")["AllocationId"]
        nat = self.ec2.create_nat_gateway(SubnetId=subnets[0], AllocationId=address)["NatGateway"]["NatGatewayId"]
        table = self.ec2.create_route_table(VpcId=vpc)["RouteTable"]["RouteTableId"]
        self.ec2.create_route(RouteTableId=table, DestinationCidrBlock="0.0.0.0/0", NatGatewayId=nat)
        self.ec2.associate_route_table(RouteTableId=table, SubnetId=subnets[1])
        s3 = "com.amazonaws.us-west-2.s3"
        self.ec2.create_vpc_endpoint(VpcId=vpc, ServiceName=s3, VpcEndpointType="Gateway", RouteTableIds=[table])
        self.ec2.create_security_group(GroupName="storage", Description="FSx", VpcId=vpc)
        return subnets

    def _role(self, part: str) -> str:
        trust = json.dumps({"Version": "2012-10-17", "Statement": []})
        made = self.iam.create_role(RoleName=f"{NAME}-{part}", Path=PATH, AssumeRolePolicyDocument=trust)["Role"]
        for each in POLICIES[part]:
            self.iam.attach_role_policy(RoleName=made["RoleName"], PolicyArn=f"arn:aws:iam::aws:policy/{each}")
        return str(made["Arn"])

    def template(self) -> dict[str, str]:
        interfaces = [{"DeviceIndex": int(card > 0), "NetworkCardIndex": card, "InterfaceType": "efa"} for card in range(4)]
        data = {"InstanceType": "p5.48xlarge", "NetworkInterfaces": interfaces}
        made = self.ec2.create_launch_template(LaunchTemplateName=NAME, LaunchTemplateData=data)["LaunchTemplate"]
        return {"id": made["LaunchTemplateId"], "version": "1"}

    def group(self, name: str, nodes: int, **parameters: t.Any) -> None:
        scaling = {"minSize": 0, "maxSize": 4, "desiredSize": nodes}
        fixed = {"clusterName": NAME, "nodeRole": self.roles["nodes"], "subnets": self.subnets[1:]}
        self.eks.create_nodegroup(nodegroupName=name, scalingConfig=scaling, **fixed, **parameters)

    def settled(self, name: str) -> t.Any:
        def ended() -> t.Any:
            found = self.eks.describe_nodegroup(clusterName=NAME, nodegroupName=name)["nodegroup"]
            assert not found["status"].endswith("ING"), found
            return found

        return self.world.world.eventually(ended)

    def configure(self, name: str, **parameters: t.Any) -> None:
        self.eks.update_nodegroup_config(clusterName=NAME, nodegroupName=name, **parameters)
        assert self.settled(name)["status"] == "ACTIVE"

    def nodes(self, group: str) -> dict[str, t.Any]:
        listed = self.world.api.get(f"/api/v1/nodes?labelSelector=eks.amazonaws.com/nodegroup={group}")["items"]
        return {each["metadata"]["name"]: each for each in listed}

    def offered(self) -> list[dict[str, str]]:
        """Devices of the nodes with GPUs."""
        wanted = (GPU, EFA, HUGE)
        found = [each["status"]["allocatable"] for each in self.nodes(GPUS).values()]
        return [{name: each[name] for name in wanted if name in each} for each in found]


@pytest.fixture(scope="module")
def cluster() -> t.Iterator[Cluster]:
    with TrainingWorld(NAME) as world:
        assert world.aws("eks").list_clusters()["clusters"] == []
        yield Cluster(world)
    eks, ec2, iam = (world.aws(service) for service in ("eks", "ec2", "iam"))
    assert eks.list_clusters()["clusters"] == [] and iam.list_roles(PathPrefix=PATH)["Roles"] == []
    assert ec2.describe_launch_templates()["LaunchTemplates"] == [] and ec2.describe_addresses()["Addresses"] == []
    assert "10.7.0.0/16" not in [each["CidrBlock"] for each in ec2.describe_vpcs()["Vpcs"]]


def plugin(world: TrainingWorld, name: str, image: str) -> None:
    """Install a device plugin as its chart does."""
    container, everywhere = {"name": name, "image": image}, [{"operator": "Exists"}]
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [container], "tolerations": everywhere}}
    spec = {"selector": {"matchLabels": {"app": name}}, "template": template}
    world.api.create(SETS, {"metadata": {"name": name}, "spec": spec})


def test_nodes_join_and_offer_devices_of_their_plugins(cluster: Cluster) -> None:
    world = cluster.world
    with step("nodes with the labels and taints of their group"):
        cluster.group(SYSTEM, 1, instanceTypes=["m7i.xlarge"], labels={"role": "system"})
        cluster.group(GPUS, 2, launchTemplate=cluster.template(), taints=[TAINT])
        assert (cluster.settled(SYSTEM)["status"], cluster.settled(GPUS)["status"]) == ("ACTIVE", "ACTIVE")
        (name, node), *_ = cluster.nodes(SYSTEM).items()
        own = [{"Name": "tag:eks:nodegroup-name", "Values": [SYSTEM]}]
        (instance,) = cluster.ec2.describe_instances(Filters=own)["Reservations"][0]["Instances"]
        assert (name, node["spec"]["providerID"]) == (instance["PrivateDnsName"], f"aws:///us-west-2b/{instance['InstanceId']}")
        expected = {
            "role": "system",
            "node.kubernetes.io/instance-type": "m7i.xlarge",
            "topology.kubernetes.io/zone": "us-west-2b",
            "eks.amazonaws.com/capacityType": "ON_DEMAND",
        }
        assert expected.items() <= node["metadata"]["labels"].items() and node["status"]["nodeInfo"]["kubeletVersion"] == "v1.34.2-eks-lab"
        assert {"cpu": "4", "memory": "16Gi"}.items() <= node["status"]["allocatable"].items()
        taints = [each["spec"]["taints"] for each in cluster.nodes(GPUS).values()]
        assert taints == [[{"key": GPU, "value": "true", "effect": "NoSchedule"}]] * 2

    with step("devices only with plugins"):
        assert cluster.offered() == [{HUGE: "10256Mi"}] * 2
        plugin(world, "nvidia", GPU_IMAGE)
        until(lambda: cluster.offered() == [{GPU: "8", HUGE: "10256Mi"}] * 2)
        plugin(world, "efa", EFA_IMAGE)
        until(lambda: cluster.offered() == [{GPU: "8", EFA: "4", HUGE: "10256Mi"}] * 2)
        limits = {GPU: "8", EFA: "4", HUGE: "5120Mi", "memory": "64Gi"}
        container = {"name": "a", "image": "registry.k8s.io/pause:3.10", "resources": {"limits": limits}}
        spec = {"containers": [container], "tolerations": [{"key": GPU, "operator": "Exists"}]}
        world.api.create("/api/v1/namespaces/default/pods", {"metadata": {"name": "train"}, "spec": spec})
        until(lambda: world.api.get("/api/v1/namespaces/default/pods/train")["status"].get("phase") == "Running")
        world.api.delete("/api/v1/namespaces/default/pods/train")
        world.api.delete(f"{SETS}/efa")
        until(lambda: cluster.offered() == [{GPU: "8", EFA: "0", HUGE: "10256Mi"}] * 2)

    with step("labels and taints that change"):
        cluster.configure(GPUS, labels={"addOrUpdateLabels": {"team": "a"}}, taints={"removeTaints": [TAINT]})
        until(lambda: all(each["metadata"]["labels"].get("team") == "a" for each in cluster.nodes(GPUS).values()))
        until(lambda: not any(each["spec"].get("taints") for each in cluster.nodes(GPUS).values()))

    with step("to no node and back"):
        before = set(cluster.nodes(GPUS))
        cluster.configure(GPUS, scalingConfig={"desiredSize": 0})
        until(lambda: cluster.nodes(GPUS) == {})
        cluster.configure(GPUS, scalingConfig={"desiredSize": 1})
        until(lambda: cluster.offered() == [{GPU: "8", HUGE: "10256Mi"}])
        assert not before & set(cluster.nodes(GPUS))

    with step("a removed group"):
        cluster.eks.delete_nodegroup(clusterName=NAME, nodegroupName=GPUS)
        until(lambda: cluster.nodes(GPUS) == {} and cluster.eks.list_nodegroups(clusterName=NAME)["nodegroups"] == [SYSTEM])
        assert len(cluster.nodes(SYSTEM)) == 1


def test_groups_fail_as_on_eks(cluster: Cluster) -> None:
    world = cluster.world.world
    world.settings(eks_nodegroup_issues={"lost": ["NodeCreationFailure: Instances failed to join the kubernetes cluster"]}, capacity={"scarce": 0})
    cluster.group("lost", 1)
    cluster.group("scarce", 1)
    for name, code in (("lost", "NodeCreationFailure"), ("scarce", "AsgInstanceLaunchFailures")):
        found = cluster.settled(name)
        assert (found["status"], [each["code"] for each in found["health"]["issues"]]) == ("CREATE_FAILED", [code]), found
        assert cluster.nodes(name) == {}


def test_entries_of_the_cluster_decide(cluster: Cluster) -> None:
    """The name of the cluster is the test's; the API server accepts no token for another one."""
    world = cluster.world
    done = world.kubectl("get", "namespaces", "-o", "name")
    assert "namespace/kube-system" in done.stdout, done.stderr
    viewer = world.person("viewer")
    assert "must be logged in" in world.kubectl("get", "pods", profile="viewer").stderr
    world.admit(viewer, "AmazonEKSViewPolicy")
    until(lambda: "No resources found" in world.kubectl("get", "pods", profile="viewer").stderr)
    assert "cannot create resource" in world.kubectl("create", "namespace", "a", profile="viewer").stderr
    argv = ["aws", "--profile", "lab-admin", "eks", "get-token", "--cluster-name", "other"]
    token = json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)["status"]["token"]
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}
    assert not world.api.create("/apis/authentication.k8s.io/v1/tokenreviews", body)["status"].get("authenticated")
