# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backend: the clusters, and the immediate effect of requests."""

from __future__ import annotations

import copy
import typing as t

from moto.sagemaker.models import SageMakerModelBackend

from .. import cloud, request
from ..action import Refusal
from . import addresses, work
from .cluster import Cluster, Group, Node

if t.TYPE_CHECKING:
    from .governance import Policy

TRANSIENT = {"Creating", "Updating", "SystemUpdating", "Deleting", "RollingBack"}


class HyperPodBackend(SageMakerModelBackend):
    """moto's backend with real clusters in ``hyperpod`` by ID."""

    def __init__(self, region_name: str, account_id: str) -> None:
        super().__init__(region_name, account_id)
        self.hyperpod: dict[str, Cluster] = {}
        self.answers: dict[str, dict[str, t.Any]] = {}
        """Replies to requests by client token."""
        self.policies: dict[str, Policy] = {}
        """Policies of task governance by ID."""

    def find(self, name_or_arn: str) -> Cluster:
        """The cluster with a name or ARN.

        :raises Refusal: ResourceNotFound.
        """
        for cluster in list(self.hyperpod.values()):
            if name_or_arn in (cluster.name, cluster.arn):
                return cluster
        raise unknown(name_or_arn)

    def by_arn(self, arn: str) -> Cluster:
        """The cluster with an ARN, for operations that do not declare ResourceNotFound.

        :raises Refusal: ValidationException.
        """
        found = next((cluster for cluster in list(self.hyperpod.values()) if cluster.arn == arn), None)
        if found is None:
            raise Refusal("ValidationException", f"Cluster {arn} does not exist")
        return found

    def tags_of(self, arn: str) -> dict[str, str] | None:
        """Tags of a cluster or of a task governance policy; None for other resources.

        :raises Refusal: ValidationException.
        """
        if ":cluster/" in arn:
            return self.by_arn(arn).tags
        if ":compute-quota/" not in arn and ":cluster-scheduler-config/" not in arn:
            return None
        found = self.policies.get(arn.rpartition("/")[2])
        if found is None or found.status == "Deleted":
            raise Refusal("ValidationException", f"{arn} does not exist")
        return found.tags

    def governs(self, cluster: Cluster) -> bool:
        """Whether a scheduler configuration or a compute quota exists; AWS then refuses to delete the cluster."""
        return any(each.cluster is cluster and each.status != "Deleted" for each in list(self.policies.values()))

    def find_idle(self, name_or_arn: str) -> Cluster:
        """As :meth:`find`, but a cluster in transition is refused.

        :raises Refusal: ResourceNotFound or ConflictException.
        """
        cluster = self.find(name_or_arn)
        if cluster.shown_status in TRANSIENT:
            raise Refusal("ConflictException", f"Cluster {cluster.name} is {cluster.shown_status}")
        return cluster

    def create(self, params: dict[str, t.Any]) -> Cluster:
        """Create the cluster and its pending nodes; the rest happens in the background."""
        with cloud.current().lock:
            if any(cluster.name == params["ClusterName"] for cluster in self.hyperpod.values()):
                raise Refusal("ResourceInUse", f"Cluster with name {params['ClusterName']} already exists")
            cluster = Cluster(
                partition=self.partition, region=self.region_name, account=self.account_id, request=params
            )
            specs, restricted = params.get("InstanceGroups", []), params.get("RestrictedInstanceGroups", [])
            self._check(cluster, [*specs, *restricted])
            for spec in [*specs, *restricted]:
                self._set_group(cluster, spec, restricted=spec in restricted)
            _begin_scaler(cluster, params)
            cluster.remember(new=True)
            self.hyperpod[cluster.id] = cluster
        cluster.linger = ("Creating", injected_polls())
        work.start(work.create, cluster, injected_failure())
        return cluster

    def update(self, cluster: Cluster, params: dict[str, t.Any]) -> None:
        """Apply the request; groups that it does not name are unchanged."""
        specs, deleted = params.pop("InstanceGroups", []), params.pop("InstanceGroupsToDelete", [])
        restricted = params.pop("RestrictedInstanceGroups", [])
        missing = [name for name in deleted if name not in cluster.groups]
        if missing:
            raise Refusal("ValidationException", f"Instance group {missing[0]} does not exist")
        with cloud.current().lock:
            self._check(cluster, [*specs, *restricted])
            if cluster.scaler_status and params.get("ClusterRole", cluster.request.get("ClusterRole")) != cluster.request.get("ClusterRole"):
                raise Refusal("ValidationException", "ClusterRole cannot be changed while AutoScaling is enabled")
            cluster.remember()
            _begin_scaler(cluster, params)
            before = work.Before({name: copy.copy(group) for name, group in cluster.groups.items()}, dict(cluster.request))
            leaving = [node for name in deleted for node in cluster.of_group(name)]
            for spec in [*specs, *restricted]:
                leaving += self._set_group(cluster, spec, restricted=spec in restricted)
            operation = cluster.begin("Scaling", ScalingDetails=[self._scaling(cluster, before, spec) for spec in specs])
            for node in leaving:
                node.leaving = True
            for name in deleted:
                cluster.groups[name].status = "Deleting"
            cluster.request.update({key: value for key, value in params.items() if key != "ClusterName"})
            cluster.status = "Updating"
            cluster.linger = ("Updating", injected_polls())
        work.start(work.update, cluster, leaving, deleted, before, injected_failure(), operation)

    def delete(self, cluster: Cluster) -> None:
        """Delete the cluster; its status is Deleting until the last node is removed."""
        cluster.remember()
        cluster.status = "Deleting"
        cluster.linger = ("Deleting", injected_polls())
        work.start(work.delete, cluster, lambda: self.forget(cluster))

    def forget(self, cluster: Cluster) -> None:
        """Remove the record of the cluster."""
        self.hyperpod.pop(cluster.id, None)

    def update_software(
        self, cluster: Cluster, versions: dict[str, str], image_id: str, batch: dict[str, t.Any] | None
    ) -> None:
        """SystemUpdating until all nodes of the groups are wiped; ``versions`` by group, all groups if empty."""
        unknown = [name for name in versions if name not in cluster.groups]
        if unknown:
            raise Refusal("ValidationException", f"Instance group {unknown[0]} does not exist")
        newest = cloud.current().settings["image_release_version"]
        chosen = {name: version or newest for name, version in versions.items()} or dict.fromkeys(cluster.groups, newest)
        cluster.remember()
        cluster.status = "SystemUpdating"
        cluster.linger = ("SystemUpdating", injected_polls())
        for name in chosen:
            cluster.groups[name].status = "SystemUpdating"
            cluster.groups[name].software_update = "InProgress"
        work.start(work.update_software, cluster, chosen, image_id, batch)

    def once(self, token: str, answer: t.Callable[[], dict[str, t.Any]]) -> dict[str, t.Any]:
        """The reply to a request; a repeated request has no effect and gets the first reply."""
        with cloud.current().lock:
            if token not in self.answers:
                self.answers[token] = answer()
            return self.answers[token]

    def refusal_code(self, cluster: Cluster, name: str, types: t.Sequence[str], zones: t.Sequence[str]) -> str:
        """The error code if a group cannot have nodes of these types in these zones; else empty."""
        if name not in cluster.groups:
            return "InstanceGroupNotFound"
        if not set(types) <= set(cluster.groups[name].types):
            return "IncompatibleInstanceTypes"
        config = cluster.vpc_config(name)
        zones_of_subnets = addresses.zones(self.account_id, self.region_name, config) if config else {}
        return "IncompatibleAvailabilityZones" if not set(zones) <= set(zones_of_subnets.values()) else ""

    def grow(self, cluster: Cluster, name: str, count: int, types: t.Sequence[str] = (), zones: t.Sequence[str] = ()) -> list[Node]:
        """Add ``count`` pending nodes to a group, of the given types and zones if any."""
        spec = {**cluster.groups[name].spec, "InstanceGroupName": name, "InstanceCount": cluster.groups[name].target + count}
        self._check(cluster, [spec])
        before = set(cluster.nodes)
        self._set_group(cluster, spec, restricted=cluster.groups[name].restricted, types=types, zones=zones)
        return [node for node in cluster.nodes.values() if node.instance_id not in before]

    def lose(self, cluster: Cluster, node: Node) -> None:
        """Remove a node that was never launched."""
        cluster.nodes.pop(node.instance_id, None)
        cluster.groups[node.group].target -= 1
        if node.address:
            addresses.give_back(self.account_id, self.region_name, node.address)

    def _check(self, cluster: Cluster, specs: list[dict[str, t.Any]]) -> None:
        """Check the conditions of CreateCluster and UpdateCluster beyond the model."""
        names = [spec["InstanceGroupName"] for spec in specs]
        if len(set(names)) != len(names):
            raise Refusal("ValidationException", "Instance group names must be unique")
        if cluster.continuous and "SlurmConfigStrategy" in cluster.request.get("Orchestrator", {}).get("Slurm", {}):
            raise Refusal("ValidationException", "SlurmConfigStrategy is not for clusters with continuous provisioning")
        configs = [spec["OverrideVpcConfig"] for spec in specs if "OverrideVpcConfig" in spec]
        for config in [*configs, *([cluster.request["VpcConfig"]] if "VpcConfig" in cluster.request else [])]:
            addresses.check(self.account_id, self.region_name, config)
        for spec in specs:
            if ("InstanceType" in spec) == ("InstanceRequirements" in spec):  # a restricted group always has a type
                raise Refusal("ValidationException", "Specify exactly one of InstanceType and InstanceRequirements")
            known = cluster.groups.get(spec["InstanceGroupName"])
            if not known and cluster.eks_arn and "LifeCycleConfig" not in spec and cloud.current().settings["eks_needs_scripts"]:
                raise Refusal("ValidationException", "LifeCycleConfig is required for instance groups of clusters with EKS")
            if known and spec.get("OverrideVpcConfig") != known.spec.get("OverrideVpcConfig"):
                raise Refusal("ValidationException", "OverrideVpcConfig of an instance group cannot be changed")
        wanted = sum(spec["InstanceCount"] for spec in specs)
        others = [c for c in self.hyperpod.values() if c.id != cluster.id]
        kept = [group for name, group in cluster.groups.items() if name not in names]
        total = wanted + sum(g.target for c in others for g in c.groups.values()) + sum(g.target for g in kept)
        limit = cloud.current().settings["max_nodes"]
        if total > limit:
            raise Refusal("ResourceLimitExceeded", f"The account limit of {limit} instances would be exceeded")

    def _scaling(self, cluster: Cluster, before: work.Before, spec: dict[str, t.Any]) -> dict[str, t.Any]:
        name = spec["InstanceGroupName"]
        counts = {"TargetCount": before.groups[name].target} if name in before.groups else {}
        return {"InstanceGroupName": name, "Status": "InProgress", "Original": counts, "Desired": {"TargetCount": spec["InstanceCount"]}}

    def _set_group(
        self,
        cluster: Cluster,
        spec: dict[str, t.Any],
        *,
        restricted: bool,
        types: t.Sequence[str] = (),
        zones: t.Sequence[str] = (),
    ) -> list[Node]:
        """Create or change a group; new nodes are pending, surplus nodes are returned."""
        spec = dict(spec)
        name, target = spec.pop("InstanceGroupName"), spec.pop("InstanceCount")
        group = cluster.groups.get(name)
        if group is None:
            group = cluster.groups[name] = Group(name, spec, target, restricted)
        else:
            group.spec, group.target, group.status = spec, target, "Updating"
        group.release = spec.get("ImageReleaseVersion") or group.release or cloud.current().settings["image_release_version"]
        known = cluster.of_group(name)
        nodes = [node for node in known if not node.leaving]
        free = [turn for turn in range(target + len(known)) if turn not in {node.turn for node in known}]
        for turn in free[: max(target - len(nodes), 0)]:
            node = self._new_node(cluster, group, turn, types, zones)
            cluster.nodes[node.instance_id] = node
        return nodes[target:]

    def _new_node(self, cluster: Cluster, group: Group, turn: int, types: t.Sequence[str], zones: t.Sequence[str]) -> Node:
        config = cluster.vpc_config(group.name)
        about = f"{cluster.id} {group.name}"
        if config and zones:
            there = addresses.zones(self.account_id, self.region_name, config)
            config = {**config, "Subnets": [subnet for subnet in config["Subnets"] if there[subnet] in zones]}
        place = addresses.take(self.account_id, self.region_name, config, turn=turn, about=about) if config else None
        return Node(group.name, turn, (types or group.types)[0], place)


def unknown(name_or_arn: str) -> Refusal:
    return Refusal("ResourceNotFound", f"Cluster with name {name_or_arn.rsplit('/', 1)[-1]} not found")


def _begin_scaler(cluster: Cluster, params: dict[str, t.Any]) -> None:
    mode = params.get("AutoScaling", {}).get("Mode")
    if mode == "Enable" and not cluster.eks_arn:
        raise Refusal("ValidationException", "AutoScaling is only supported for clusters with the EKS orchestrator")
    if mode == "Enable" and "ClusterRole" not in {**cluster.request, **params}:
        raise Refusal("ValidationException", "ClusterRole is required to enable AutoScaling")
    if mode == "Enable" and cluster.scaler_status != "InService":
        cluster.scaler_status, cluster.scaler_failure = "Creating", ""
    elif mode == "Disable" and cluster.scaler_status:
        cluster.scaler_status = "Deleting"


def injected_failure() -> str:
    """The reason if the operation of this request shall fail; else empty."""
    rule = cloud.current().faults.take(request.current(), "fail_later")
    return rule.code if rule else ""


def injected_polls() -> int:
    """Number of descriptions by which the state of this request's operation is prolonged."""
    rule = cloud.current().faults.take(request.current(), "polls")
    return rule.polls if rule else 0
