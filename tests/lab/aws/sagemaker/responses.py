# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""HyperPod's operations."""

from __future__ import annotations

import typing as t

from moto.sagemaker.responses import SageMakerResponse

from .. import cloud, request
from ..action import Refusal, action
from . import work
from .cluster import Cluster, Node
from .extensions import Extensions
from .governance import Governance
from .models import injected_polls, unknown
from .paging import moment, page, within
from .volumes import Volumes

Answer = dict[str, t.Any]


class HyperPodResponse(Extensions, Governance, Volumes, SageMakerResponse):
    """moto's SageMaker with HyperPod replaced."""

    @action
    def create_cluster(self, **params: t.Any) -> Answer:
        return {"ClusterArn": self.sagemaker_backend.create(params).arn}

    @action
    def describe_cluster(self, ClusterName: str) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        if cluster.gone and cluster.linger[1] <= 0:
            self.sagemaker_backend.forget(cluster)
            self.sagemaker_backend.find(ClusterName)
        found = cluster.describe()
        if found is None:
            raise unknown(ClusterName)
        return found

    @action
    def update_cluster(self, ClusterName: str, **params: t.Any) -> Answer:
        cluster = self.sagemaker_backend.find_idle(ClusterName)
        self.sagemaker_backend.update(cluster, params)
        return {"ClusterArn": cluster.arn}

    @action
    def update_cluster_software(
        self, ClusterName: str, InstanceGroups: t.Any = (), DeploymentConfig: t.Any = None, ImageId: str = ""
    ) -> Answer:
        cluster = self.sagemaker_backend.find_idle(ClusterName)
        if DeploymentConfig and not cluster.eks_arn:
            raise Refusal("ValidationException", "DeploymentConfig is for clusters with EKS")
        rolling = (DeploymentConfig or {}).get("RollingUpdatePolicy", {})
        versions = {group["InstanceGroupName"]: group.get("ImageReleaseVersion", "") for group in InstanceGroups}
        self.sagemaker_backend.update_software(cluster, versions, ImageId, rolling.get("MaximumBatchSize"))
        return {"ClusterArn": cluster.arn}

    @action
    def delete_cluster(self, ClusterName: str) -> Answer:
        cluster = self.sagemaker_backend.find_idle(ClusterName)
        if self.sagemaker_backend.governs(cluster):
            raise Refusal("ConflictException", f"Cluster {cluster.name} has task governance policies")
        self.sagemaker_backend.delete(cluster)
        return {"ClusterArn": cluster.arn}

    @action
    def list_clusters(self, NameContains: str = "", **params: t.Any) -> Answer:
        found = [
            cluster
            for cluster in list(self.sagemaker_backend.hyperpod.values())
            if NameContains.lower() in cluster.name.lower()
            and within(cluster.created, params.get("CreationTimeAfter"), params.get("CreationTimeBefore"))
        ]
        by_name = params.get("SortBy") == "NAME"
        shown, token = page(
            found,
            key=lambda cluster: (cluster.name if by_name else moment(cluster.created), cluster.id),
            size=params.get("MaxResults"),
            token=params.get("NextToken"),
            descending=params.get("SortOrder") == "Descending",
        )
        return _listing("ClusterSummaries", [cluster.summary() for cluster in shown], token)

    @action
    def list_cluster_nodes(self, ClusterName: str, InstanceGroupNameContains: str = "", **params: t.Any) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        found = [
            node
            for node in list(cluster.nodes.values())
            if InstanceGroupNameContains in node.group
            and within(node.launch_time, params.get("CreationTimeAfter"), params.get("CreationTimeBefore"))
        ]
        by_name = params.get("SortBy") == "NAME"
        shown, token = page(
            found,
            key=lambda node: (node.group if by_name else moment(node.launch_time), node.instance_id),
            size=params.get("MaxResults"),
            token=params.get("NextToken"),
            descending=params.get("SortOrder") == "Descending",
        )
        return _listing("ClusterNodeSummaries", [cluster.node_summary(node) for node in shown], token)

    @action
    def describe_cluster_node(self, ClusterName: str, NodeId: str = "", NodeLogicalId: str = "") -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        if bool(NodeId) == bool(NodeLogicalId):
            raise Refusal("ValidationException", "Specify exactly one of NodeId and NodeLogicalId")
        node = cluster.nodes.get(NodeId)
        if node is None:
            raise Refusal("ResourceNotFound", f"Node {NodeId or NodeLogicalId} not found in cluster {cluster.name}")
        hidden = node.status == "Pending" and cloud.current().settings["pending_ip"] == "hidden"
        return {"NodeDetails": cluster.node_details(node, show_address=not hidden)}

    @action
    def list_cluster_events(self, ClusterName: str, **params: t.Any) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        if not cluster.continuous:
            raise Refusal("ValidationException", "Events are for clusters with continuous provisioning")
        wanted = {name: params[name] for name in ("InstanceGroupName", "OperationId", "ResourceType") if name in params}
        wanted |= {"InstanceId": params["NodeId"]} if "NodeId" in params else {}
        found = [
            event
            for event in list(cluster.events)
            if wanted.items() <= event.items()
            and within(event["EventTime"], params.get("EventTimeAfter"), params.get("EventTimeBefore"))
        ]
        shown, token = page(
            found,
            key=lambda event: (moment(event["EventTime"]), event["EventId"]),
            size=params.get("MaxResults"),
            token=params.get("NextToken"),
            descending=params.get("SortOrder") == "Descending",
        )
        return _listing("Events", [{k: v for k, v in event.items() if k != "EventDetails"} for event in shown], token)

    @action
    def describe_cluster_event(self, ClusterName: str, EventId: str) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        event = next((each for each in cluster.events if each["EventId"] == EventId), None)
        if event is None:
            raise Refusal("ResourceNotFound", f"Event {EventId} not found")
        return {"EventDetails": {key: value for key, value in event.items() if key != "EventLevel"}}

    @action
    def list_cluster_operations(self, ClusterName: str, **params: t.Any) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        wanted = {name: params[name] for name in ("Status", "Type") if name in params}
        found = [
            each
            for each in list(cluster.operations)
            if wanted.items() <= each.items()
            and within(each["CreationTime"], params.get("CreationTimeAfter"), params.get("CreationTimeBefore"))
        ]
        shown, token = page(
            found,
            key=lambda each: (moment(each["CreationTime"]), each["OperationId"]),
            size=params.get("MaxResults"),
            token=params.get("NextToken"),
            descending=params.get("SortOrder") == "Descending",
        )
        names = ("OperationId", "ClusterArn", "Type", "Status", "CreationTime")
        return _listing("ClusterOperationSummaries", [{name: each[name] for name in names} for each in shown], token)

    @action
    def describe_cluster_operation(self, ClusterName: str, OperationId: str) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        found = next((each for each in cluster.operations if each["OperationId"] == OperationId), None)
        if found is None:
            raise Refusal("ResourceNotFound", f"Operation {OperationId} not found")
        return found

    @action
    def describe_training_plan(self, TrainingPlanName: str) -> Answer:
        name = TrainingPlanName.rpartition("/")[2]
        plans = cloud.current().settings["training_plans"]
        if name not in plans:
            raise Refusal("ResourceNotFound", f"Training plan {name} not found")
        backend = self.sagemaker_backend
        arn = f"arn:{backend.partition}:sagemaker:{backend.region_name}:{backend.account_id}:training-plan/{name}"
        counts = {"AvailableInstanceCount": plans[name][0], "AvailableSpareInstanceCount": plans[name][1]}
        return {"TrainingPlanArn": arn, "TrainingPlanName": name, "Status": "Active", "TotalInstanceCount": 16, **counts}

    @action
    def start_cluster_health_check(self, ClusterName: str, DeepHealthCheckConfigurations: list[Answer]) -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        chosen: list[Node] = []
        for each in DeepHealthCheckConfigurations:
            nodes = cluster.of_group(each["InstanceGroupName"])
            chosen += [node for node in nodes if node.instance_id in each.get("InstanceIds", [node.instance_id])]
        operation = cluster.begin("DeepHealthCheck", DeepHealthCheckDetails=DeepHealthCheckConfigurations)
        bad = cloud.current().faults.take(request.current(), "partial")
        if not cloud.current().settings["health_check_delay_seconds"]:
            work.mark(chosen, work.CHECKING)
        work.start(work.check, cluster, chosen, bad.nodes if bad else [], operation)
        return {"ClusterArn": cluster.arn}

    @action
    def batch_add_cluster_nodes(self, ClusterName: str, NodesToAdd: list[Answer], ClientToken: str = "") -> Answer:
        cluster = self.sagemaker_backend.find(ClusterName)
        if not cluster.continuous:
            raise Refusal("ValidationException", "BatchAddClusterNodes is for clusters with continuous provisioning")
        if sum(each["IncrementTargetCountBy"] for each in NodesToAdd) > 50:
            raise Refusal("ValidationException", "At most 50 nodes can be added by one request")
        return self.sagemaker_backend.once(ClientToken, lambda: self._added(cluster, NodesToAdd))

    def _added(self, cluster: Cluster, wanted: list[Answer]) -> Answer:
        rule = cloud.current().faults.take(request.current(), "partial")
        made: list[Node] = []
        failed: list[Answer] = []
        for each in wanted:
            name, count = each["InstanceGroupName"], each["IncrementTargetCountBy"]
            types, zones = each.get("InstanceTypes", []), each.get("AvailabilityZones", [])
            code = rule.code if rule else self.sagemaker_backend.refusal_code(cluster, name, types, zones)
            if code:
                failed.append({"InstanceGroupName": name, "ErrorCode": code, "FailedCount": count, "Message": "injected"})
            else:
                made += self.sagemaker_backend.grow(cluster, name, count, types, zones)
        if made:
            work.start(work.grow, cluster, made, self.sagemaker_backend.lose)
        added = [{"NodeLogicalId": node.logical_id, "InstanceGroupName": node.group, "Status": "Pending"} for node in made]
        return {"Successful": added, "Failed": failed}

    @action
    def batch_replace_cluster_nodes(self, ClusterName: str, NodeIds: t.Any = (), **_: t.Any) -> Answer:
        cluster, good, bad = self._sorted_out(ClusterName, NodeIds, allowed=("Running", "Failure"), spare=True)
        self._set_off(work.replace, cluster, good, status="ShuttingDown")
        return _batch_answer(good, bad, code="ErrorCode")

    @action
    def batch_reboot_cluster_nodes(self, ClusterName: str, NodeIds: t.Any = (), **_: t.Any) -> Answer:
        cluster, good, bad = self._sorted_out(ClusterName, NodeIds, allowed=("Running",), spare=False)
        self._set_off(work.reboot, cluster, good, status="Pending")
        return _batch_answer(good, bad, code="ErrorCode")

    @action
    def batch_delete_cluster_nodes(self, ClusterName: str, NodeIds: t.Any = (), **_: t.Any) -> Answer:
        cluster, good, bad = self._sorted_out(ClusterName, NodeIds, allowed=("Running", "Failure"), spare=True)
        for node in good:
            cluster.groups[node.group].target -= 1
            node.leaving = True
        self._set_off(work.remove, cluster, good, status="ShuttingDown")
        codes = {"InstanceIdNotFound": "NodeIdNotFound", "InvalidInstanceStatus": "InvalidNodeStatus"}
        bad = [{**entry, "ErrorCode": codes.get(entry["ErrorCode"], "NodeIdInUse")} for entry in bad]
        return _batch_answer(good, bad, code="Code")

    @action
    def add_tags(self, ResourceArn: str, Tags: list[dict[str, str]]) -> Answer:
        tags = self.sagemaker_backend.tags_of(ResourceArn)
        if tags is None:
            return {"Tags": self.sagemaker_backend.add_tags(ResourceArn, Tags)}
        tags.update({tag["Key"]: tag["Value"] for tag in Tags})
        return {"Tags": _tags(tags)}

    @action
    def list_tags(self, ResourceArn: str, MaxResults: int | None = None, NextToken: str | None = None) -> Answer:
        own_tags = self.sagemaker_backend.tags_of(ResourceArn)
        if own_tags is None:
            tags, token = self.sagemaker_backend.list_tags(arn=ResourceArn, MaxResults=MaxResults, NextToken=NextToken)
            return _listing("Tags", tags, token)
        size = max(MaxResults or 50, 50)
        tags, token = page(_tags(own_tags), key=lambda tag: (tag["Key"],), size=size, token=NextToken, descending=False)
        return _listing("Tags", tags, token)

    @action
    def delete_tags(self, ResourceArn: str, TagKeys: list[str]) -> None:
        tags = self.sagemaker_backend.tags_of(ResourceArn)
        if tags is None:
            self.sagemaker_backend.delete_tags(ResourceArn, TagKeys)
            return
        for key in TagKeys:
            tags.pop(key, None)

    def _sorted_out(
        self, name: str, ids: t.Sequence[str], *, allowed: tuple[str, ...], spare: bool
    ) -> tuple[Cluster, list[Node], list[Answer]]:
        """The valid nodes of a Batch* request, and the failure entries of the others."""
        cluster = self.sagemaker_backend.find(name)
        if not ids:
            raise Refusal("ValidationException", "NodeIds must not be empty")
        rule = cloud.current().faults.take(request.current(), "partial")
        good, bad = [], []
        for node_id in dict.fromkeys(ids):
            node = cluster.nodes.get(node_id)
            if rule and (not rule.nodes or node_id in rule.nodes):
                bad.append(_failed(node_id, rule.code or "InternalServerError", "injected"))
            elif node is None:
                bad.append(_failed(node_id, "InstanceIdNotFound", f"Node {node_id} not found"))
            elif node.status not in allowed:
                bad.append(_failed(node_id, "InvalidInstanceStatus", f"Node {node_id} is {node.status}"))
            elif spare and cluster.node_type(node.group) == "controller":
                bad.append(_failed(node_id, "InvalidInstanceStatus", f"Node {node_id} is the Slurm controller"))
            else:
                good.append(node)
        return cluster, good, bad

    @staticmethod
    def _set_off(job: t.Callable[..., None], cluster: Cluster, nodes: list[Node], *, status: str) -> None:
        polls = injected_polls()
        for node in nodes:
            node.status, node.linger = status, (status, polls)
        if nodes:
            work.start(job, cluster, nodes)


def _listing(key: str, items: list[t.Any], token: str | None) -> Answer:
    return {key: items, **({"NextToken": token} if token else {})}


def _failed(node_id: str, code: str, message: str) -> Answer:
    return {"NodeId": node_id, "ErrorCode": code, "Message": message}


def _batch_answer(good: list[Node], bad: list[Answer], *, code: str) -> Answer:
    failed = [{"NodeId": entry["NodeId"], code: entry["ErrorCode"], "Message": entry["Message"]} for entry in bad]
    answer: Answer = {"Failed": failed} if failed else {}
    if good:
        answer["Successful"] = [node.instance_id for node in good]
    return answer


def _tags(tags: dict[str, str]) -> list[dict[str, str]]:
    return [{"Key": key, "Value": value} for key, value in tags.items()]
