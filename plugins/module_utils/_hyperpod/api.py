# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The calls of the SageMaker API that read clusters and nodes."""

from __future__ import annotations

import dataclasses
import typing as t
from concurrent.futures import ThreadPoolExecutor

from .._aws.client import Api, AwsError, connect, knows, refuse_old_botocore
from .._aws.tags import plain_tags
from .._core.arn import ClusterArn
from .._core.failure import Refused
from .model import Cluster, Node, NodeTypes, node_types_of

THREADS = 8
NOT_FOUND = ("ResourceNotFound", "ResourceNotFoundException")
BUSY = "ConflictException"
"""The error code while AWS is already changing the resource."""
PAGE_SIZE = 100
"""The maximum number of entries that ListClusterNodes and ListClusters return per page."""

_NEWER_FIELDS = (
    ("DescribeCluster", ("InstanceGroups", "SlurmConfig"), "node types come only from the option node_types"),
    ("DescribeClusterNode", ("NodeDetails", "PrivatePrimaryIp"), "the addresses of nodes are unknown"),
    ("ListClusterNodes", ("ClusterNodeSummaries", "LastSoftwareUpdateTime"), "software updates are not detected"),
)


class HyperPod(Api):
    """The ``sagemaker`` client for clusters and nodes. Threads can share it, because botocore's retries are thread-safe."""

    def describe(self, name_or_arn: str, *, node_types: NodeTypes | None = None) -> Cluster | None:
        """The cluster, or None if it does not exist.

        :raises AwsError: for every other error, including denied access.
        """
        try:
            answer = self.call("DescribeCluster", about=f"cluster {name_or_arn}", ClusterName=name_or_arn)
        except AwsError as error:
            if error.code in NOT_FOUND:
                return None
            raise
        return Cluster.from_api(answer, node_types)

    def require_cluster(self, arn: str, *, node_types: NodeTypes | None = None) -> Cluster:
        """The cluster, as :meth:`describe` returns it.

        :raises Refused: for a value that is not the ARN of a cluster, and if the cluster does not exist.
        """
        cluster = self.describe(ClusterArn.parse(arn).text, node_types=node_types)
        if cluster is None:
            raise Refused(f"Cluster {arn} does not exist in Region {self.client.meta.region_name}.")
        return cluster

    def cluster_arns(self) -> tuple[str, ...]:
        summaries = self.pages(
            "ListClusters", "ClusterSummaries", about="all clusters", PaginationConfig={"PageSize": PAGE_SIZE}
        )
        return tuple(summary["ClusterArn"] for summary in summaries)

    def tags(self, arn: str) -> dict[str, str]:
        tags = self.pages("ListTags", "Tags", about=f"cluster {arn}", ResourceArn=arn)
        return plain_tags(tags)

    def nodes(self, cluster: Cluster, *, group: str | None = None) -> tuple[Node, ...]:
        """Every node of the cluster, or of the group named exactly ``group``, without addresses.

        :raises AwsError: if any page fails. The result is complete, so a missing node does not exist.
        """
        arguments: dict[str, t.Any] = {"ClusterName": cluster.arn, "PaginationConfig": {"PageSize": PAGE_SIZE}}
        if group is not None:
            arguments["InstanceGroupNameContains"] = group  # a substring, hence the exact comparison below
        summaries = self.pages("ListClusterNodes", "ClusterNodeSummaries", about=f"cluster {cluster.name}", **arguments)
        node_types = node_types_of(cluster)
        by_id = {summary["InstanceId"]: Node.from_api(summary, node_types) for summary in summaries}
        return tuple(node for node in by_id.values() if group is None or node.group == group)

    def details(self, cluster: Cluster, node_ids: t.Iterable[str], *, threads: int = THREADS) -> dict[str, Node]:
        """Nodes, keyed by ID, with addresses: one call per node. A node that no longer exists is missing from the result.

        :raises AwsError: if any other call fails. Calls that have not started are cancelled.
        """
        node_types = node_types_of(cluster)
        with ThreadPoolExecutor(max_workers=threads) as pool:
            futures = [pool.submit(self._detail, cluster, node_id, node_types) for node_id in node_ids]
            try:
                found = [future.result() for future in futures]
            except AwsError:
                for future in futures:
                    future.cancel()
                raise
        return {node.instance_id: node for node in found if node is not None}

    def with_addresses(
        self, cluster: Cluster, nodes: t.Sequence[Node], *, wanted: t.Callable[[Node], bool] = lambda node: True
    ) -> tuple[Node, ...]:
        """The nodes, with ``ip``, ``az`` and ``image_id`` for nodes that are ``wanted`` and still exist."""
        found = self.details(cluster, [node.instance_id for node in nodes if wanted(node)])
        return tuple(_addressed(node, found.get(node.instance_id)) for node in nodes)

    def unknown_fields(self) -> list[str]:
        """A sentence for each field that the installed botocore drops from answers, with the consequence."""
        return [
            f"botocore is too old to return {operation}.{'.'.join(path)}, so {consequence}."
            for operation, path, consequence in _NEWER_FIELDS
            if not self._returns(operation, path)
        ]

    def require_answer(self, operation: str, *path: str) -> None:
        """Require a field of an answer.

        :raises Refused: if the installed botocore would drop the field.
        """
        if not self._returns(operation, path):
            refuse_old_botocore(".".join((operation, *path)))

    def _detail(self, cluster: Cluster, node_id: str, node_types: NodeTypes) -> Node | None:
        about = f"node {node_id} of cluster {cluster.name}"
        try:
            answer = self.call("DescribeClusterNode", about=about, ClusterName=cluster.arn, NodeId=node_id)
        except AwsError as error:
            if error.code in NOT_FOUND:
                return None
            raise
        return Node.from_api(answer["NodeDetails"], node_types)

    def _returns(self, operation: str, path: tuple[str, ...]) -> bool:
        model = self.client.meta.service_model
        if operation not in model.operation_names:
            return False
        return knows(model.operation_model(operation).output_shape, path)


def connect_hyperpod(module: t.Any) -> HyperPod:
    """A client with one connection per thread."""
    return HyperPod(connect(module, "sagemaker", max_pool_connections=THREADS).client)


def _addressed(node: Node, detail: Node | None) -> Node:
    return node if detail is None else dataclasses.replace(node, ip=detail.ip, az=detail.az, image_id=detail.image_id)
