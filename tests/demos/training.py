"""`make demo-training`: an empty account, a cluster that proves that it trains, a fault that a real job finds, and an empty account again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import typing as t

from stage import BOLD, DIM, PLAIN, TESTS, begin, go_inside, is_inside, lab, say, shown

os.environ.setdefault("LAB_NAME", "demo-training")
PAGE = TESTS.parent / ".lab" / "verify_training.html"
IMAGES = (
    "public.ecr.aws/deep-learning-containers/pytorch:2.12-cu130-amzn2023",
    "public.ecr.aws/docker/library/python:3.12-slim",
    "nvcr.io/nvidia/k8s-device-plugin:v0.20.0",
    "602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20",
)
"""Images on the nodes: those of the jobs and of the health check, and those of the device plugins, which only wait."""
NAME, BUILDER, GROUP, SPACE, CLAIM, SCRATCH = "ml", "builder", "gpus", "research", "checkpoints", "scratch"
QUOTAS = {"Running On-Demand G and VT instances": 64, "Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances": 64}
ON_CPUS = {"verify_training_steps": 20}
"""The nodes have no EFA, because on CPUs no job can use it."""
COST = ("-e", "training_cluster_accept_cost=10")
REMOVED = ("-e", "training_cluster_state=absent", "-e", f"training_cluster_confirm={NAME}")
SIMULATED = (
    "Real: all Pods, their network and storage, the program of the health check, and training and resume with PyTorch on CPUs",
    "Simulated: the GPUs that the health check reads on the nodes (nvidia-smi, kernel log, /sys and /proc)",
    "Simulated: NCCL's log and the 2.5 GB/s. The Pods of this check really meet, but gloo reduces a part of the data",
    "Real, but not steady: the tokens per second. On CPUs that other programs use, a run may report that training is slower",
)
LINES = r"(?<=^    - )[^:]* an hour.*|(?<=^    - ')(?:create|scale|remove|stays): .*(?=')"
"""What the playbook prints about its plan."""


def main() -> None:
    say("A lab: AWS's APIs and GPUs are simulated; Kubernetes, the kubelets and containers of two nodes, and PyTorch are real, on CPUs")
    begin()
    try:
        go_inside(__file__)
    finally:
        lab("down", quiet=True)
    say("Done. The lab is removed. See docs/use/training-cluster.md; docs/use/training.md explains each proof")
    print(f"    {PAGE}: the report of the last run as a page, with all checks and the loss", flush=True)


def inside() -> None:
    """Runs in the lab, which has the API."""
    from training_world import TrainingWorld

    with TrainingWorld(NAME, real=[GROUP], images=IMAGES) as world:
        world.training.start()
        world.world.settings(service_quotas=QUOTAS, price_list=True)
        Demo(world).run()
    world.world.settings(service_quotas={}, price_list=False)


class Demo:
    """:param world: a ``TrainingWorld``."""

    def __init__(self, world: t.Any) -> None:
        from harness import HOME

        self.world = world
        self.folder = HOME / "training-cluster"
        self.folder.mkdir(exist_ok=True)
        self.inventory = self.folder / "definitions.yml"
        self.kubeconfig = self.folder / "kubeconfig"

    def run(self) -> None:
        say("The account of another team: a VPC with a security group, a cluster, a file system, a launch template and a role")
        neighbours(self.world)
        before = account(self.world)
        show(before)

        say("What we want: a cluster with two GPU nodes and a file system. The first run prints plan and price, and changes nothing")
        self.declare()
        self.world.world.reset_calls()
        self.playbook("training_cluster", show=LINES)
        self.unchanged(before)

        say("The price is accepted: everything is built, Pods check the nodes and their network, and a real job trains and resumes")
        self.playbook("training_cluster", *COST)
        self.proof()
        print("\n".join(f"    {DIM}{each}.{PLAIN}" for each in SIMULATED), flush=True)

        say("Two nodes with a GPU each, as the new kubeconfig shows them. The claim of the file system is a folder that both share")
        self.kubectl("get", "nodes", "-L", "eks.amazonaws.com/nodegroup,node.kubernetes.io/instance-type")

        say("Someone adds a claim 'scratch'. Its access mode is ReadWriteMany too, but each node uses a separate folder. The job finds it")
        self.scratch()
        self.kubectl("get", "persistentvolumeclaims", "-n", SPACE)
        self.playbook("verify_training", "-e", f"verify_training_claim={SCRATCH}", "-e", f"verify_training_namespace={SPACE}", fails=True)
        self.proof()

        say("Fixed: the claim of the file system again. The second run of the playbook changes nothing, and its job passes")
        self.world.world.reset_calls()
        self.playbook("training_cluster", *COST)
        self.proof()
        self.unchanged()

        say("The end of the project: what a removal would remove")
        self.playbook("training_cluster", *REMOVED, "--check", show=LINES)
        self.unchanged()

        say("And the removal. What the other team has stays")
        self.playbook("training_cluster", *REMOVED)
        self.unchanged(before)
        show(before)

    def declare(self) -> None:
        """Write the inventory, and print it."""
        from lab.names import ACCOUNT
        from yaml import safe_dump

        variables = {
            "hyperpod_region": "us-west-2",
            "hyperpod_profile": BUILDER,
            "training_cluster_name": NAME,
            "training_cluster_public_access_cidrs": ["203.0.113.0/24"],
            "training_cluster_admins": [self.world.operator(BUILDER)],
            "training_cluster_groups": [{"name": GROUP, "instance_type": "g5.4xlarge", "nodes": 2}],
            "training_cluster_file_system": {"storage_capacity": 1200, "deployment_type": "SCRATCH_2"},
            "training_cluster_namespace": SPACE,
            "training_cluster_claim": CLAIM,
            "training_cluster_boundary": f"arn:aws:iam::{ACCOUNT}:policy/mlfleet-hyperpod-boundary",
            "training_cluster_kubeconfig": str(self.kubeconfig),
            **ON_CPUS,
        }
        text = safe_dump({"hyperpod_definitions": {"hosts": {NAME: variables}}}, sort_keys=False)
        self.inventory.write_text(text)
        print(f"    {DIM}$ cat {self.inventory.name}{PLAIN}\n{indented(text)}", flush=True)

    def playbook(self, verb: str, *arguments: str, show: str = "", fails: bool = False) -> None:
        """Run a playbook; prints changes and the report."""
        print(f"    {DIM}$ ansible-playbook -i {self.inventory.name} mlfleet.hyperpod.{verb} {' '.join(arguments)}{PLAIN}", flush=True)
        argv = ["ansible-playbook", "-i", str(self.inventory), f"mlfleet.hyperpod.{verb}", *arguments]
        shown(argv, os.environ, show=show, fails=fails)

    def proof(self) -> None:
        """Print the table of the last run, and keep its page."""
        from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.lines import lines
        from harness import STATE_DIR

        document = json.loads((STATE_DIR / "verify_training.json").read_text())
        print(f"{BOLD}{indented(chr(10).join(lines(document)))}{PLAIN}", flush=True)
        shutil.copyfile(STATE_DIR / "verify_training.html", PAGE)

    def kubectl(self, *arguments: str) -> None:
        argv = ["kubectl", "--kubeconfig", str(self.kubeconfig), *arguments]
        print(f"    {DIM}$ kubectl {' '.join(arguments)}{PLAIN}", flush=True)
        print(indented(subprocess.run(argv, check=True, capture_output=True, text=True).stdout), flush=True)

    def scratch(self) -> None:
        from lab.pods import claims

        claims.claim(self.world.api, SPACE, SCRATCH, shared=False)

    def unchanged(self, before: Account | None = None) -> None:
        """Stop unless nothing was changed in AWS since the calls were reset, or unless the account is as before."""
        calls = [call["operation"] for call in self.world.world.calls(mutating=True)]
        if calls if before is None else account(self.world) != before:
            sys.exit(f"The demo stopped: the account is not as expected: {calls}")
        print("    No call changed AWS." if before is None else "    The account is as it was before.", flush=True)


Account = dict[str, list[str]]


def neighbours(world: t.Any) -> None:
    """Resources of another team."""
    ec2, iam, eks, fsx = (world.aws(service) for service in ("ec2", "iam", "eks", "fsx"))
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnets = [
        ec2.create_subnet(VpcId=vpc, CidrBlock=f"10.0.{number}.0/24", AvailabilityZone=f"us-west-2{zone}")["Subnet"]["SubnetId"]
        for number, zone in enumerate("ab")
    ]
    ec2.create_security_group(GroupName="theirs", Description="Another team", VpcId=vpc)
    ec2.create_launch_template(LaunchTemplateName="theirs", LaunchTemplateData={"InstanceType": "g5.4xlarge"})
    trust = json.dumps({"Version": "2012-10-17", "Statement": []})
    role = iam.create_role(RoleName="theirs", Path="/hyperpod-eks/", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    network, access = {"subnetIds": subnets}, {"authenticationMode": "API"}
    eks.create_cluster(name="theirs", roleArn=role, resourcesVpcConfig=network, accessConfig=access)
    fsx.create_file_system(
        FileSystemType="LUSTRE", StorageCapacity=1200, SubnetIds=subnets[:1], LustreConfiguration={"DeploymentType": "SCRATCH_2"}
    )


def account(world: t.Any) -> Account:
    """All resources that a training cluster could have, by kind."""
    ec2, iam, eks, fsx = (world.aws(service) for service in ("ec2", "iam", "eks", "fsx"))
    gone = ("deleted", "terminated")
    instances = [each for found in ec2.describe_instances()["Reservations"] for each in found["Instances"]]
    found = {
        "VPCs": [each["VpcId"] for each in ec2.describe_vpcs()["Vpcs"]],
        "subnets": [each["SubnetId"] for each in ec2.describe_subnets()["Subnets"]],
        "security groups": [each["GroupId"] for each in ec2.describe_security_groups()["SecurityGroups"]],
        "route tables": [each["RouteTableId"] for each in ec2.describe_route_tables()["RouteTables"]],
        "NAT gateways": [each["NatGatewayId"] for each in ec2.describe_nat_gateways()["NatGateways"] if each["State"] not in gone],
        "addresses": [each["AllocationId"] for each in ec2.describe_addresses()["Addresses"]],
        "launch templates": [each["LaunchTemplateName"] for each in ec2.describe_launch_templates()["LaunchTemplates"]],
        "instances": [each["InstanceId"] for each in instances if each["State"]["Name"] not in gone],
        "roles": [each["RoleName"] for each in iam.list_roles()["Roles"]],
        "clusters": eks.list_clusters()["clusters"],
        "file systems": [each["FileSystemId"] for each in fsx.describe_file_systems()["FileSystems"]],
    }
    return {kind: sorted(each) for kind, each in found.items()}


def show(found: Account) -> None:
    print(f"    {', '.join(f'{kind}: {len(each)}' for kind, each in found.items())}", flush=True)


def indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.rstrip("\n").split("\n"))


if __name__ == "__main__":
    inside() if is_inside() else main()
