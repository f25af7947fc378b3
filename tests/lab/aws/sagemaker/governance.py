# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Task governance of clusters with EKS: one scheduler configuration for a cluster, one compute quota for a team.

A fault ``fail_later`` ends the operation of a call in ``CreateFailed``, ``UpdateFailed`` or ``DeleteFailed``; a ``code`` such as
``UpdateRollbackFailed: no queue`` sets another status before the reason.
"""

from __future__ import annotations

import copy
import dataclasses
import secrets
import threading
import time
import typing as t

from .. import cloud, request
from ..action import Refusal, action
from ..delays import Delay, pause
from ..modelcheck import service_model
from .cluster import ID_LETTERS, Cluster, now
from .paging import moment, page, within

Answer = dict[str, t.Any]
SCHEDULER, QUOTA = "ClusterSchedulerConfig", "ComputeQuota"
CONTENT = ("SchedulerConfig", "ComputeQuotaConfig", "ComputeQuotaTarget", "ActivationState", "Description")
UNDER_WAY = ("Creating", "Updating", "Deleting")
HOPELESS = ("CreateFailed", "CreateRollbackFailed", "UpdateRollbackFailed")
"""Statuses that AWS requires to delete and recreate (Developer Guide, sagemaker-hyperpod-eks-operate-console-ui-governance-troubleshoot)."""


@dataclasses.dataclass
class Policy:
    """A policy of either kind. ``content`` are the members of the request that descriptions also have."""

    kind: str
    cluster: Cluster
    name: str
    content: Answer
    tags: dict[str, str]
    id: str = dataclasses.field(default_factory=lambda: "".join(secrets.choice(ID_LETTERS) for _turn in range(12)))
    version: int = 1
    status: str = "Creating"
    failure: str = ""
    created: t.Any = dataclasses.field(default_factory=now)
    modified: t.Any = dataclasses.field(default_factory=now)
    before: tuple[Delay, Answer | None] | None = None
    """How long descriptions and listings return the state before a change, and that state; None before the creation."""
    ended: float = 0.0
    former: dict[int, Answer] = dataclasses.field(default_factory=dict)
    """Former states by version, which descriptions accept."""

    @property
    def arn(self) -> str:
        part = "compute-quota" if self.kind == QUOTA else "cluster-scheduler-config"
        return f"{self.cluster.arn.rpartition(':cluster/')[0]}:{part}/{self.id}"

    @property
    def team(self) -> str:
        return str(self.content.get("ComputeQuotaTarget", {}).get("TeamName", ""))

    @property
    def forgotten(self) -> bool:
        """Whether AWS no longer lists the deleted policy."""
        return self.status == "Deleted" and time.monotonic() - self.ended > cloud.current().settings["deleted_policy_seconds"]

    def remember(self, *, new: bool = False) -> None:
        self.before = (Delay("policy_lag_seconds"), None if new else self.current())

    def describe(self) -> Answer | None:
        if self.before is None or self.before[0].is_over:
            return self.current()
        return copy.deepcopy(self.before[1])

    def current(self) -> Answer:
        """The current state, without the delay of AWS."""
        about = {f"{self.kind}Arn": self.arn, f"{self.kind}Id": self.id, f"{self.kind}Version": self.version, "Name": self.name}
        times = {"CreationTime": self.created, "LastModifiedTime": self.modified, "ClusterArn": self.cluster.arn}
        answer = {**about, **times, "Status": self.status, **self.content}
        if self.failure:
            answer["FailureReason"] = self.failure
        if self.kind == SCHEDULER:
            answer["StatusDetails"] = dict.fromkeys(self.content["SchedulerConfig"], self.status)
        return copy.deepcopy(answer)

    def summary(self) -> Answer | None:
        found = self.describe()
        if found is None:
            return None
        shape = service_model("sagemaker").shape_for(f"{self.kind}Summary")
        return {name: value for name, value in found.items() if name in shape.members}


class Governance:
    """The operations; ``policies`` of the backend are by ID."""

    sagemaker_backend: t.Any

    @action
    def create_cluster_scheduler_config(self, **params: t.Any) -> Answer:
        return self._create(SCHEDULER, params)

    @action
    def create_compute_quota(self, **params: t.Any) -> Answer:
        return self._create(QUOTA, params)

    @action
    def describe_cluster_scheduler_config(self, ClusterSchedulerConfigId: str, ClusterSchedulerConfigVersion: int = 0) -> Answer:
        return self._described(SCHEDULER, ClusterSchedulerConfigId, ClusterSchedulerConfigVersion)

    @action
    def describe_compute_quota(self, ComputeQuotaId: str, ComputeQuotaVersion: int = 0) -> Answer:
        return self._described(QUOTA, ComputeQuotaId, ComputeQuotaVersion)

    @action
    def update_cluster_scheduler_config(self, ClusterSchedulerConfigId: str, TargetVersion: int, **params: t.Any) -> Answer:
        return self._update(SCHEDULER, ClusterSchedulerConfigId, TargetVersion, params)

    @action
    def update_compute_quota(self, ComputeQuotaId: str, TargetVersion: int, **params: t.Any) -> Answer:
        return self._update(QUOTA, ComputeQuotaId, TargetVersion, params)

    @action
    def delete_cluster_scheduler_config(self, ClusterSchedulerConfigId: str) -> None:
        self._delete(SCHEDULER, ClusterSchedulerConfigId)

    @action
    def delete_compute_quota(self, ComputeQuotaId: str) -> None:
        self._delete(QUOTA, ComputeQuotaId)

    @action
    def list_cluster_scheduler_configs(self, **params: t.Any) -> Answer:
        return self._listed(SCHEDULER, params)

    @action
    def list_compute_quotas(self, **params: t.Any) -> Answer:
        return self._listed(QUOTA, params)

    def _create(self, kind: str, params: Answer) -> Answer:
        with cloud.current().lock:
            cluster = self.sagemaker_backend.by_arn(params["ClusterArn"])
            if not cluster.eks_arn:
                raise Refusal("ValidationException", "Task governance is for clusters with EKS")
            content = _completed({key: params[key] for key in CONTENT if key in params})
            tags = {tag["Key"]: tag["Value"] for tag in params.get("Tags", ())}
            policy = Policy(kind, cluster, params["Name"], content, tags)
            for other in self._standing(kind, cluster):
                if other.name == policy.name or kind == SCHEDULER or other.team == policy.team:
                    raise Refusal("ConflictException", f"{kind} {other.name} exists in cluster {cluster.name}")
            policy.remember(new=True)
            self.sagemaker_backend.policies[policy.id] = policy
        _set_off(policy, "Created", "CreateFailed")
        return {f"{kind}Arn": policy.arn, f"{kind}Id": policy.id}

    def _described(self, kind: str, policy_id: str, version: int) -> Answer:
        policy = self._policy(kind, policy_id)
        found = policy.describe()
        if found is not None and version not in (0, found[f"{kind}Version"]):
            found = copy.deepcopy(policy.former.get(version))
        if found is None:
            raise Refusal("ResourceNotFound", f"{kind} {policy_id} not found")
        return found

    def _update(self, kind: str, policy_id: str, version: int, params: Answer) -> Answer:
        with cloud.current().lock:
            policy = self._policy(kind, policy_id)
            if policy.status in (*UNDER_WAY, *HOPELESS, "Deleted"):
                raise Refusal("ConflictException", f"{kind} {policy_id} is {policy.status}")
            if version != policy.version:
                raise Refusal("ConflictException", f"{kind} {policy_id} has version {policy.version}, not {version}")
            if params.get("ComputeQuotaTarget", {}).get("TeamName", policy.team) != policy.team:
                raise Refusal("ValidationException", "The team of a compute quota can't be changed")
            policy.remember()
            policy.former[policy.version] = policy.current()
            content = policy.content
            policy.content = _completed({**content, **params})
            policy.version, policy.status, policy.modified = version + 1, "Updating", now()
        _set_off(policy, "Updated", "UpdateFailed", lambda: setattr(policy, "content", content))
        return {f"{kind}Arn": policy.arn, f"{kind}Version": policy.version}

    def _delete(self, kind: str, policy_id: str) -> None:
        with cloud.current().lock:
            policy = self._policy(kind, policy_id)
            if policy.status == "Deleted":
                raise Refusal("ResourceNotFound", f"{kind} {policy_id} not found")
            if policy.status in UNDER_WAY:
                raise Refusal("ValidationException", f"{kind} {policy_id} is {policy.status}")
            policy.remember()
            policy.status, policy.modified = "Deleting", now()
        _set_off(policy, "Deleted", "DeleteFailed")

    def _listed(self, kind: str, params: Answer) -> Answer:
        cluster = self.sagemaker_backend.by_arn(params["ClusterArn"]) if "ClusterArn" in params else None
        found = [policy.summary() for policy in self._all(kind) if cluster in (None, policy.cluster)]
        by = params.get("SortBy", "CreationTime")
        shown, token = page(
            [
                each
                for each in found
                if each is not None
                and params.get("NameContains", "") in each["Name"]
                and params.get("Status", each["Status"]) == each["Status"]
                and within(each["CreationTime"], params.get("CreatedAfter"), params.get("CreatedBefore"))
            ],
            key=lambda each: (moment(each[by]) if by == "CreationTime" else each[by], each[f"{kind}Id"]),
            size=params.get("MaxResults"),
            token=params.get("NextToken"),
            descending=params.get("SortOrder", "Descending") == "Descending",
        )
        return {f"{kind}Summaries": shown, **({"NextToken": token} if token else {})}

    def _all(self, kind: str) -> list[Policy]:
        return [each for each in list(self.sagemaker_backend.policies.values()) if each.kind == kind and not each.forgotten]

    def _standing(self, kind: str, cluster: Cluster) -> list[Policy]:
        return [each for each in self._all(kind) if each.cluster is cluster and each.status != "Deleted"]

    def _policy(self, kind: str, policy_id: str) -> Policy:
        for policy in self._all(kind):
            if policy.id == policy_id:
                return policy
        raise Refusal("ResourceNotFound", f"{kind} {policy_id} not found")


def _set_off(policy: Policy, done: str, failed: str, undo: t.Callable[[], None] = lambda: None) -> None:
    rule = cloud.current().faults.take(request.current(), "fail_later")

    def end() -> None:
        pause()
        named, colon, reason = rule.code.partition(": ") if rule else ("", "", "")
        with cloud.current().lock:
            policy.failure = (reason or rule.code or "injected") if rule else ""
            if rule:
                undo()
            policy.ended = time.monotonic()
            policy.status = (named if colon else failed) if rule else done
        for follow in cloud.current().quota_followers if policy.kind == QUOTA else ():
            follow(policy)

    threading.Thread(target=end, daemon=True).start()


def _completed(content: Answer) -> Answer:
    """The content with defaults and amounts that AWS fills in (API reference, ComputeQuotaResourceConfig)."""
    made = copy.deepcopy(content)
    if "SchedulerConfig" in made:
        made["SchedulerConfig"] = {"FairShare": "Enabled", **made["SchedulerConfig"]}
        return made
    config = {"PreemptTeamTasks": "LowerPriority", **made["ComputeQuotaConfig"]}
    sharing = config.get("ResourceSharingConfig", {"Strategy": "LendAndBorrow"})
    if sharing["Strategy"] == "LendAndBorrow":
        sharing = {"BorrowLimit": 50, **sharing}
    elif {"BorrowLimit", "AbsoluteBorrowLimits"} & sharing.keys():
        raise Refusal("ValidationException", f"Borrow limits are not for strategy {sharing['Strategy']}")
    config["ResourceSharingConfig"] = sharing
    config["ComputeQuotaResources"] = [_derived(each) for each in config.get("ComputeQuotaResources", [])]
    made["ComputeQuotaTarget"] = {"FairShareWeight": 0, **made["ComputeQuotaTarget"]}
    return {"ActivationState": "Enabled", **made, "ComputeQuotaConfig": config}


def _derived(resource: Answer) -> Answer:
    """Amounts for an instance with 8 accelerators, 96 vCPUs and 1024 GiB."""
    if "VCpu" in resource or "MemoryInGiB" in resource:
        vcpus = resource.get("VCpu", resource.get("MemoryInGiB", 0) * 96 / 1024)
        memory = resource.get("MemoryInGiB", resource.get("VCpu", 0) * 1024 / 96)
        return {"Accelerators": 0, **resource, "VCpu": float(vcpus), "MemoryInGiB": float(memory)}
    if "Accelerators" in resource:
        return {**resource, "VCpu": resource["Accelerators"] * 12.0, "MemoryInGiB": resource["Accelerators"] * 128.0}
    return resource
