"""A lab with Kubernetes: an EKS cluster whose API server is real, and HyperPod clusters that are its nodes."""

from __future__ import annotations

import typing as t

from kubernetes_world import ADMINISTRATOR, KubernetesWorld, command, until
from lab.cli import world as lab_world
from lab.karpenter.controller import Karpenter
from lab.karpenter.machines import Machines
from lab.keda.operator import Keda
from lab.kubernetes.hyperpod_nodes import HyperPodNodes
from lab.kueue.governance import TaskGovernance
from lab.kueue.webhook import Webhook
from lab.names import ACCOUNT
from lab.training.operator import TrainingOperator

__all__ = ["ADMINISTRATOR", "EKS", "EKS_ARN", "ROLE", "EksWorld", "command", "until", "workers"]

EKS = "pods"
EKS_ARN = f"arn:aws:eks:us-west-2:{ACCOUNT}:cluster/{EKS}"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/eks"


class EksWorld(KubernetesWorld):
    """One world for all tests of a lab, which use different namespaces. ``karpenter``, ``keda``, ``governance`` and ``training`` work
    once they are started.

    :param version: of Kubernetes, as EKS reports it; add-ons need a newer one.
    """

    def __init__(self, version: str = "1.19", **options: t.Any) -> None:
        super().__init__(EKS, **options)
        self.version = version
        self.subnets, self.security_group = self.world.network()
        self.nodes = HyperPodNodes(self.world.control, self.kubelets, self._zone, self.of_groups)
        self.karpenter = Karpenter(self.api, Machines(self.aws("sagemaker"), self.aws("ec2"), EKS_ARN))
        self.keda = Keda(self.api)
        self.training = TrainingOperator(self.api)
        self.webhook = Webhook(self.plane.folder, self.api)
        self.governance = TaskGovernance(self.api, self.aws("sagemaker"), self.aws("eks"), EKS)

    def _prepare(self) -> None:
        self._remove_roles()
        vpc = {"subnetIds": self.subnets, "securityGroupIds": [self.security_group]}
        access = {"authenticationMode": "API"}
        eks = self.aws("eks")
        eks.create_cluster(name=EKS, version=self.version, roleArn=ROLE, resourcesVpcConfig=vpc, accessConfig=access)
        self.webhook.start()

    def stop(self) -> None:
        self.governance.stop()
        self.keda.stop()
        self.training.stop()
        self.karpenter.stop()
        self.webhook.stop()
        super().stop()
        if EKS in self.aws("eks").list_clusters()["clusters"]:
            self.aws("eks").delete_cluster(name=EKS)

    def _remove_roles(self) -> None:
        """Remove the roles of Karpenter that earlier tests have left."""
        iam = self.aws("iam")
        for name in [role["RoleName"] for role in iam.list_roles()["Roles"] if role["RoleName"].startswith("hyperpod-karpenter-")]:
            for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]:
                iam.delete_role_policy(RoleName=name, PolicyName=policy)
            iam.delete_role(RoleName=name)

    def _zone(self, subnet: str) -> str:
        return str(self.aws("ec2").describe_subnets(SubnetIds=[subnet])["Subnets"][0]["AvailabilityZone"])

    def hyperpod(self, name: str, groups: t.Sequence[dict[str, t.Any]], **more: t.Any) -> str:
        """Create a HyperPod cluster on the EKS cluster, with its nodes in Kubernetes; returns its ARN."""
        arn = self.aws("sagemaker").create_cluster(
            ClusterName=name,
            InstanceGroups=list(groups),
            VpcConfig={"SecurityGroupIds": [self.security_group], "Subnets": self.subnets[:1]},
            Orchestrator={"Eks": {"ClusterArn": EKS_ARN}},
            **{"NodeProvisioningMode": "Continuous", "NodeRecovery": "Automatic", **more},
        )["ClusterArn"]
        lab_world.wait_in_service(name)
        return arn


def workers(name: str, count: int, instance_type: str = "ml.g5.8xlarge") -> dict[str, t.Any]:
    """An instance group in the form of CreateCluster."""
    return {
        "InstanceGroupName": name,
        "InstanceType": instance_type,
        "InstanceCount": count,
        "ExecutionRole": f"arn:aws:iam::{ACCOUNT}:role/hyperpod-nodes",
        "LifeCycleConfig": {"SourceS3Uri": "s3://sagemaker-x", "OnCreate": "on_create.sh"},
    }
