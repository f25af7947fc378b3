"""A lab with Kubernetes for training clusters: no EKS cluster exists at the start, and nodes are the instances of node groups."""

from __future__ import annotations

import typing as t

from kubernetes_world import KubernetesWorld
from lab.kubernetes.eks_nodes import EksNodes
from lab.pods.fsx import FsxDriver
from lab.training.operator import TrainingOperator
from training_account import Account

JOIN_SECONDS = 30
"""A node group fails if its nodes have not joined after this time."""


class TrainingWorld(KubernetesWorld):
    """One world for all tests of a lab. Its API server is the endpoint of every EKS cluster of the account, so a test has one cluster
    at a time. Access entries of the cluster decide who may do what.

    :param cluster: name of the cluster that a test creates.
    """

    def __init__(self, cluster: str, **options: t.Any) -> None:
        super().__init__(cluster, **options)
        self.nodes = EksNodes(self.world.control, self.kubelets, self.of_groups)
        self.training = TrainingOperator(self.api)
        self.fsx = FsxDriver(self.plane.folder, self.api)

    def _prepare(self) -> None:
        if self.real:
            self.fsx.start()
        self.world.settings(eks_join_seconds=JOIN_SECONDS, eks_nodes_need_all=True, eks_without_nodes=[self.cluster])

    def _empty(self) -> None:
        self.world.empty()
        self.world.settings(eks_join_seconds=0, eks_nodes_need_all=False, eks_without_nodes=[], eks_nodegroup_issues={}, capacity={})
        Account(self.aws, self.world.eventually).empty()

    def stop(self) -> None:
        self.training.stop()
        super().stop()
        self.fsx.stop()
