# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Managed node groups of a cluster. EKS creates, updates and removes them and their instances in the background.

With the setting ``eks_join_seconds``, a creation or an update of the version waits until all instances have joined Kubernetes, and fails
if they do not.
"""

from __future__ import annotations

import copy
import dataclasses
import threading
import time
import typing as t
import uuid

from moto.eks.exceptions import ResourceInUseException, ResourceNotFoundException

from .. import cloud, request
from ..delays import Delay, pause
from . import instances, joining, nodegroup_rules as rules
from .operation import Answer, operation, page

BUSY = ("CREATING", "UPDATING", "DELETING")
NOT_JOINED = {"code": instances.NOT_JOINED, "message": "Instances failed to join the kubernetes cluster"}


@dataclasses.dataclass
class NodeGroup:
    """``cluster`` and ``instances`` are moto's; ``fields`` are those of the API; ``updates`` are replies of DescribeUpdate by ID."""

    cluster: t.Any
    fields: Answer
    status: str = "CREATING"
    issues: list[Answer] = dataclasses.field(default_factory=list)
    updates: dict[str, Answer] = dataclasses.field(default_factory=dict)
    id: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))
    created: float = dataclasses.field(default_factory=time.time)
    before: Answer | None = None
    """The reply while reads lag; None if the group is not visible yet."""
    delay: Delay | None = None
    instances: list[t.Any] = dataclasses.field(default_factory=list)
    joined: set[str] = dataclasses.field(default_factory=set)
    """IDs of instances that are nodes in Kubernetes."""
    shortage: list[Answer] = dataclasses.field(default_factory=list)
    """The issue that keeps the group from the desired size."""

    @property
    def account(self) -> str:
        return str(self.cluster.arn.split(":")[4])

    @property
    def region(self) -> str:
        return str(self.cluster.arn.split(":")[3])

    @property
    def scaler(self) -> str:
        """Name of the Auto Scaling group."""
        return f"eks-{self.name}-{self.id}"

    @property
    def kubernetes(self) -> str:
        """The version of its kubelets."""
        release = str(self.fields["releaseVersion"])
        return f"{self.fields['version']}.0" if release.startswith("ami-") else release.partition("-")[0]

    @property
    def name(self) -> str:
        return str(self.fields["nodegroupName"])

    @property
    def arn(self) -> str:
        return f"{self.cluster.arn.replace(':cluster/', ':nodegroup/')}/{self.name}/{self.id}"

    @property
    def tags(self) -> dict[str, str]:
        return t.cast("dict[str, str]", self.fields["tags"])

    @property
    def injected(self) -> list[Answer]:
        """Issues that a test sets. EKS finds none if it starts no nodes."""
        if not self.fields["scalingConfig"]["desiredSize"]:
            return []
        found = [_issue(each) for each in cloud.current().settings["eks_nodegroup_issues"].get(self.name, ())]
        there = [each.id for each in self.instances]
        return [{**each, "resourceIds": there} if there and each["code"] == instances.NOT_JOINED else each for each in found]

    @property
    def current_issues(self) -> list[Answer]:
        return self.injected or list(self.shortage)

    @property
    def shown_status(self) -> str:
        return "DEGRADED" if self.status == "ACTIVE" and self.current_issues else self.status

    def answer(self) -> Answer:
        status = self.shown_status  # before the issues, which are set before a status
        issues = self.issues or (self.current_issues if status in ("ACTIVE", "CREATING", "DEGRADED") else [])
        return {
            **copy.deepcopy(self.fields),
            "nodegroupArn": self.arn,
            "status": status,
            "health": {"issues": issues},
            "createdAt": self.created,
            "modifiedAt": self.created,
            "resources": {"autoScalingGroups": [{"name": self.scaler}]},
        }

    @property
    def shown_updates(self) -> dict[str, Answer]:
        return {} if self.lags else self.updates

    @property
    def lags(self) -> bool:
        return self.delay is not None and not self.delay.is_over

    def lag(self, before: Answer | None) -> None:
        """Let reads return ``before`` for a while."""
        self.before, self.delay = before, Delay("eks_nodegroup_lag_seconds")


class NodeGroups:
    """The operations."""

    eks_backend: t.Any

    @operation
    def create_nodegroup(self, clusterName: str, nodegroupName: str, **params: t.Any) -> Answer:
        cluster = self.eks_backend.describe_cluster(clusterName)
        if nodegroupName in cluster.nodegroups:
            message = f"NodeGroup already exists with name {nodegroupName} and cluster name {clusterName}"
            raise ResourceInUseException(clusterName=clusterName, nodegroupName=nodegroupName, message=message)
        fields = rules.created(cluster, {"clusterName": clusterName, "nodegroupName": nodegroupName, **params})
        made = NodeGroup(cluster, fields)
        made.lag(None)
        cluster.nodegroups[nodegroupName] = made
        joining.admit(made)
        rule = cloud.current().faults.take(request.current(), "fail_later")

        instances.scale(made)

        def end() -> None:
            pause()
            made.issues = [_issue(rule.code)] if rule else made.current_issues or _absence(made)
            made.status = "CREATE_FAILED" if made.issues else "ACTIVE"

        threading.Thread(target=end, daemon=True).start()
        return {"nodegroup": made.answer()}

    @operation
    def describe_nodegroup(self, clusterName: str, nodegroupName: str) -> Answer:
        found = self._nodegroup(clusterName, nodegroupName)
        if not found.lags:
            if found.status == "ACTIVE":
                instances.scale(found)
            return {"nodegroup": found.answer()}
        if found.before is None:
            raise _absent(clusterName, nodegroupName)
        return {"nodegroup": found.before}

    @operation
    def list_nodegroups(self, clusterName: str, maxResults: int = 100, nextToken: str = "") -> Answer:
        shown, more = page(self.eks_backend.describe_cluster(clusterName).nodegroups, maxResults, nextToken)
        return {"nodegroups": shown, **more}

    @operation
    def update_nodegroup_config(self, clusterName: str, nodegroupName: str, **params: t.Any) -> Answer:
        found = self._active(clusterName, nodegroupName)
        return {"update": _update(found, "ConfigUpdate", rules.configured(found.fields, params))}

    @operation
    def update_nodegroup_version(self, clusterName: str, nodegroupName: str, **params: t.Any) -> Answer:
        found = self._active(clusterName, nodegroupName)
        return {"update": _update(found, "VersionUpdate", rules.upgraded(found.cluster, found.fields, params))}

    @operation
    def delete_nodegroup(self, clusterName: str, nodegroupName: str) -> Answer:
        found = self._nodegroup(clusterName, nodegroupName)
        if found.status in BUSY:
            raise _in_use(found, f"Nodegroup is {found.status}")
        found.lag(found.answer())
        found.status = "DELETING"
        rule = cloud.current().faults.take(request.current(), "fail_later")

        def end() -> None:
            if not rule:
                instances.terminate(found)
            pause()
            if rule:
                found.status, found.issues = "DELETE_FAILED", [_issue(rule.code)]
            else:
                found.cluster.nodegroups.pop(nodegroupName, None)
                joining.dismiss(found)

        threading.Thread(target=end, daemon=True).start()
        return {"nodegroup": found.answer()}

    def _nodegroup(self, cluster: str, name: str) -> NodeGroup:
        found = self.eks_backend.describe_cluster(cluster).nodegroups.get(name)
        if found is None:
            raise _absent(cluster, name)
        return t.cast(NodeGroup, found)

    def _active(self, cluster: str, name: str) -> NodeGroup:
        """EKS refuses updates of groups in any other status, also of degraded ones (containers-roadmap, issue 2204)."""
        found = self._nodegroup(cluster, name)
        if found.shown_status != "ACTIVE":
            raise _in_use(found, "Nodegroup cannot be updated as it is currently not in Active State")
        return found


def _absent(cluster: str, name: str) -> ResourceNotFoundException:
    return ResourceNotFoundException(clusterName=cluster, nodegroupName=name, message=f"No node group found for name: {name}.")


def _in_use(group: NodeGroup, message: str) -> ResourceInUseException:
    return ResourceInUseException(clusterName=group.cluster.name, nodegroupName=group.name, message=message)


def _absence(group: NodeGroup) -> list[Answer]:
    """The issue of a group whose new nodes do not join in time, or can't join if nodes are not waited for."""
    deadline = time.monotonic() + cloud.current().settings["eks_join_seconds"]
    while (absent := [each.id for each in group.instances if each.id not in group.joined]) and time.monotonic() < deadline:
        time.sleep(0.05)
    waits = cloud.current().settings["eks_join_seconds"] > 0
    missing = absent if waits else [each.id for each in group.instances if joining.obstacle(group)]
    return [{**NOT_JOINED, "resourceIds": missing}] if missing else []


def _issue(text: str) -> Answer:
    """An issue from ``CODE: message``, or from a message without a code."""
    code, colon, message = text.partition(": ")
    return {"code": code if colon else "InternalFailure", "message": message or text, "resourceIds": ["i-0123456789abcdef0"]}


def _update(group: NodeGroup, kind: str, after: Answer) -> Answer:
    """Start an update, which ends with the fields ``after``. A fault ``fail_later`` fails it with an error, and so do new nodes that do
    not join: EKS then returns to the earlier version.
    """
    rule = cloud.current().faults.take(request.current(), "fail_later")
    update = {"id": str(uuid.uuid4()), "status": "InProgress", "type": kind, "createdAt": time.time(), "params": [], "errors": []}
    group.updates[update["id"]] = update
    group.lag(group.answer())
    group.status = "UPDATING"

    def end() -> None:
        pause()
        issues = [_issue(rule.code)] if rule else _changed(group, after, instances.replace if kind == "VersionUpdate" else instances.scale)
        errors = [{"errorCode": each["code"], "errorMessage": each["message"], "resourceIds": each["resourceIds"]} for each in issues]
        update.update(status="Failed" if errors else "Successful", errors=errors)
        group.status = "ACTIVE"

    threading.Thread(target=end, daemon=True).start()
    return dict(update)


def _changed(group: NodeGroup, after: Answer, follow: t.Callable[[NodeGroup], None]) -> list[Answer]:
    """Change the group and let its instances follow; returns why EKS has returned to the earlier version."""
    before, group.fields = group.fields, {**after, "tags": group.tags}
    follow(group)
    issues = _absence(group) if follow is instances.replace else []
    if issues:
        group.fields = {**before, "tags": group.tags}
        follow(group)
    return issues
