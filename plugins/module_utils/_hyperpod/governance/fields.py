# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The two kinds of task governance as tables: the scheduler configuration of a cluster, and the compute quota of a team.

In options, settings are flat. In requests and answers, some settings are in one of two structures.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

from ..._core.settings import Answer, Setting, Table, Values, observed, request
from ..cluster.parts import INSTANCE_TYPE, INSTANCE_TYPE_ALLOWED

MOST = 10_000_000
ENABLED, DISABLED = "Enabled", "Disabled"
STRATEGIES = ("Lend", "DontLend", "LendAndBorrow")
BORROWING = "LendAndBorrow"
LIMITS = ("borrow_limit", "absolute_borrow_limits")
"""Settings that are valid only with the strategy ``BORROWING``."""
LABEL_ALLOWED = "small letters, digits and hyphens, with no hyphen at either end"
TEAM = "[a-z0-9]([-a-z0-9]{0,49}[a-z0-9])?"
"""The form of a team's name. The team's namespace, ``hyperpod-ns-NAME``, has at most 63 characters."""
TEAM_ALLOWED = f"1 to 51 {LABEL_ALLOWED}"
PRIORITY = "[a-z0-9]([-a-z0-9]{0,52}[a-z0-9])?"
"""The form of a class's name. Tasks use the label value ``NAME-priority``, which has at most 63 characters."""
PRIORITY_ALLOWED = f"1 to 54 {LABEL_ALLOWED}"
MIG = (
    *("mig-1g.5gb", "mig-1g.10gb", "mig-1g.18gb", "mig-1g.20gb", "mig-1g.23gb", "mig-1g.35gb", "mig-1g.45gb", "mig-1g.47gb"),
    *("mig-2g.10gb", "mig-2g.20gb", "mig-2g.35gb", "mig-2g.45gb", "mig-2g.47gb"),
    *("mig-3g.20gb", "mig-3g.40gb", "mig-3g.71gb", "mig-3g.90gb", "mig-3g.93gb"),
    *("mig-4g.20gb", "mig-4g.40gb", "mig-4g.71gb", "mig-4g.90gb", "mig-4g.93gb"),
    *("mig-7g.40gb", "mig-7g.80gb", "mig-7g.141gb", "mig-7g.180gb", "mig-7g.186gb"),
)
AMOUNTS = ("count", "accelerators", "vcpu", "memory_in_gib", "accelerator_partition")

DESCRIPTION = Setting(
    "description",
    "Description",
    about="Description, at most 1024 characters.",
    pattern=r"[^\x00-\x1f\x7f-\x9f]{0,1024}",
    allowed="at most 1024 characters, none of them a control character",
    sends_empty=True,
)
PRIORITY_CLASS: Table = (
    Setting("name", "Name", about="Name of the class.", pattern=PRIORITY, allowed=PRIORITY_ALLOWED, required=True),
    Setting(
        "weight",
        "Weight",
        "int",
        "Weight of the class. Tasks of the class with the highest weight start first.",
        low=0,
        high=100,
        required=True,
    ),
)
RESOURCE: Table = (
    Setting(
        "instance_type",
        "InstanceType",
        about="Instance type of an instance group of the cluster, such as V(ml.p5.48xlarge).",
        required=True,
        pattern=INSTANCE_TYPE,
        allowed=INSTANCE_TYPE_ALLOWED,
    ),
    Setting("count", "Count", "int", "Number of whole instances.", low=0, high=MOST),
    Setting("accelerators", "Accelerators", "int", "GPUs or Neuron devices.", low=0, high=MOST),
    Setting("vcpu", "VCpu", "float", "vCPUs.", low=0, high=MOST),
    Setting("memory_in_gib", "MemoryInGiB", "float", "Memory in GiB.", low=0, high=MOST),
    Setting(
        "accelerator_partition",
        "AcceleratorPartition",
        "dict",
        "GPU partitions (MIG).",
        parts=(
            Setting("type", "Type", about="MIG profile.", choices=MIG, required=True),
            Setting("count", "Count", "int", "Number of partitions.", low=0, high=MOST, required=True),
        ),
    ),
)
SHARING = Setting(
    "resource_sharing_config",
    "ResourceSharingConfig",
    "dict",
    "How the team lends its idle compute, and borrows idle compute of other teams.",
    parts=(
        Setting("strategy", "Strategy", about="Whether the team lends and borrows.", choices=STRATEGIES, required=True),
        Setting(
            "borrow_limit",
            "BorrowLimit",
            "int",
            "Idle compute that the team may borrow, as a percentage of its own quota.",
            low=0,
            high=10000,
        ),
        Setting(
            "absolute_borrow_limits",
            "AbsoluteBorrowLimits",
            "list",
            "Limits for borrowing by instance type, in addition to the percentage.",
            parts=RESOURCE,
            low=0,
            high=15,
            sends_empty=True,
        ),
    ),
)


@dataclass(frozen=True)
class Kind:
    """``parts``: each structure of requests and answers with its settings; an empty name for settings outside of structures."""

    noun: str
    key: str
    """The key in results of modules."""
    create: str
    describe: str
    update: str
    delete: str
    listing: str
    summaries: str
    id: str
    arn: str
    version: str
    parts: tuple[tuple[str, Table], ...]

    @property
    def table(self) -> Table:
        return tuple(setting for _structure, table in self.parts for setting in table)

    def observed(self, answer: Answer) -> dict[str, t.Any]:
        """The settings of an answer, under the names of the options."""
        found: dict[str, t.Any] = {}
        for structure, table in self.parts:
            found |= observed(table, (answer.get(structure) or {}) if structure else answer)
        return found

    def request(self, values: Values, *, differing: t.Container[str]) -> dict[str, t.Any]:
        """The request: complete structures that contain a differing setting, and differing settings outside of structures."""
        sent: dict[str, t.Any] = {}
        for structure, table in self.parts:
            if structure and any(setting.option in differing for setting in table):
                sent[structure] = request(table, values)
            elif not structure:
                sent |= request(tuple(setting for setting in table if setting.option in differing), values)
        return sent


SCHEDULER = Kind(
    noun="scheduler configuration",
    key="cluster_scheduler_config",
    create="CreateClusterSchedulerConfig",
    describe="DescribeClusterSchedulerConfig",
    update="UpdateClusterSchedulerConfig",
    delete="DeleteClusterSchedulerConfig",
    listing="ListClusterSchedulerConfigs",
    summaries="ClusterSchedulerConfigSummaries",
    id="ClusterSchedulerConfigId",
    arn="ClusterSchedulerConfigArn",
    version="ClusterSchedulerConfigVersion",
    parts=(
        (
            "SchedulerConfig",
            (
                Setting(
                    "priority_classes",
                    "PriorityClasses",
                    "list",
                    "Priority classes of tasks.",
                    parts=PRIORITY_CLASS,
                    low=0,
                    high=10,
                    sends_empty=True,
                ),
                Setting(
                    "fair_share",
                    "FairShare",
                    about="Whether teams borrow idle compute by their weights, instead of in the order of their requests.",
                    choices=(ENABLED, DISABLED),
                ),
                Setting(
                    "idle_resource_sharing",
                    "IdleResourceSharing",
                    about="Whether teams borrow compute that is not allocated by a quota.",
                    choices=(ENABLED, DISABLED),
                ),
            ),
        ),
        ("", (DESCRIPTION,)),
    ),
)
QUOTA = Kind(
    noun="compute quota",
    key="compute_quota",
    create="CreateComputeQuota",
    describe="DescribeComputeQuota",
    update="UpdateComputeQuota",
    delete="DeleteComputeQuota",
    listing="ListComputeQuotas",
    summaries="ComputeQuotaSummaries",
    id="ComputeQuotaId",
    arn="ComputeQuotaArn",
    version="ComputeQuotaVersion",
    parts=(
        (
            "ComputeQuotaConfig",
            (
                Setting(
                    "compute_quota_resources",
                    "ComputeQuotaResources",
                    "list",
                    "Guaranteed compute of the team, by instance type.",
                    parts=RESOURCE,
                    low=0,
                    high=15,
                    sends_empty=True,
                ),
                SHARING,
                Setting(
                    "preempt_team_tasks",
                    "PreemptTeamTasks",
                    about="Whether tasks of the team with a higher priority preempt other tasks of the team.",
                    choices=("Never", "LowerPriority"),
                ),
            ),
        ),
        (
            "ComputeQuotaTarget",
            (
                Setting("team_name", "TeamName", about="Name of the team.", pattern=TEAM, allowed=TEAM_ALLOWED),
                Setting(
                    "fair_share_weight",
                    "FairShareWeight",
                    "int",
                    "Weight of the team if idle compute is shared by weights.",
                    low=0,
                    high=100,
                ),
            ),
        ),
        (
            "",
            (
                Setting(
                    "activation_state", "ActivationState", about="Whether the quota is in effect.", choices=(ENABLED, DISABLED)
                ),
                DESCRIPTION,
            ),
        ),
    ),
)


def completed(kind: Kind, values: Values) -> dict[str, t.Any]:
    """``values`` with AWS's documented defaults."""
    if kind is SCHEDULER:
        return {"fair_share": ENABLED, **values}
    sharing = dict(values.get("resource_sharing_config") or {"strategy": BORROWING})
    if sharing["strategy"] == BORROWING:
        sharing = {"borrow_limit": 50, **sharing}
    defaults = {"preempt_team_tasks": "LowerPriority", "fair_share_weight": 0, "activation_state": ENABLED}
    return {**defaults, **values, "resource_sharing_config": sharing}
