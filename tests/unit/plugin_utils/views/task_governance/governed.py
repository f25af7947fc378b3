# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of an EKS cluster for the role task_governance."""

from __future__ import annotations

import typing as t

P5, G5 = "ml.p5.48xlarge", "ml.g5.8xlarge"
ARN = "arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456"
EKS = "arn:aws:eks:us-west-2:111111111111:cluster/pods"
ALICE, BOB = "arn:aws:iam::111111111111:user/alice", "arn:aws:iam::111111111111:user/bob"
RESEARCH = {"name": "research", "resources": [{"instance_type": P5, "count": 2}], "submitters": [ALICE]}
VISION = {"name": "vision", "resources": [{"instance_type": P5, "count": 1}]}
FAIR = {"priority_classes": [{"name": "training", "weight": 80}]}


def group(name: str, target: int, *instance_types: str, mig_config: str = "", threads: int | None = None) -> dict[str, t.Any]:
    """In the form of ``cluster_info``; a flexible group has several types."""
    one = instance_types[0] if len(instance_types) == 1 else ""
    about = {"name": name, "instance_type": one, "instance_types": list(instance_types), "target": target}
    return {**about, "mig_config": mig_config, "threads_per_core": threads}


def quota(team: str, count: int, **more: t.Any) -> dict[str, t.Any]:
    resources = [{"instance_type": P5, "count": count}]
    about = {"name": team, "compute_quota_id": f"id-{team}", "compute_quota_arn": f"arn:{team}", "status": "Created", "version": 1}
    return {**about, "team_name": team, "compute_quota_resources": resources, **more}


def config(name: str = "fair", **more: t.Any) -> dict[str, t.Any]:
    return {"name": name, "status": "Created", "priority_classes": [], **more}


def entry(principal: str, *groups: str) -> dict[str, t.Any]:
    return {"principal_arn": principal, "kubernetes_groups": list(groups), "access_policies": [], "tags": {}}


def variables(*, quotas: t.Sequence[t.Any] = (), configs: t.Sequence[t.Any] = (), **more: t.Any) -> dict[str, t.Any]:
    return {
        "ansible_check_mode": False,
        "hyperpod_cluster_arn": ARN,
        "hyperpod_run": {"cluster": {"eks_cluster_arn": EKS, "groups": [group("gpus", 4, P5)]}},
        "task_governance_state": "present",
        "task_governance_teams": [RESEARCH, VISION],
        "task_governance_scheduler": FAIR,
        "task_governance_addon": True,
        "task_governance_addon_version": "default",
        "task_governance_allow_oversubscription": False,
        "task_governance_recreate": False,
        "task_governance_secrets": False,
        "task_governance_pod_security": "",
        "task_governance_kubeconfig": "",
        "task_governance_context": "",
        "task_governance_wait_timeout": 60,
        "task_governance_ready_timeout": 60,
        "task_governance_remove_addon": False,
        "__task_governance_addons": {"eks_addons": [{"status": "ACTIVE", "version": "v1.4.0-eksbuild.1"}]},
        "__task_governance_configs": {"cluster_scheduler_configs": list(configs)},
        "__task_governance_quotas": {"compute_quotas": list(quotas)},
        "__task_governance_types": {"skipped": True},
        "__task_governance_entries": {"eks_access_entries": []},
        "__task_governance_seen": {"kueue": {"installed": True, "available": True, "image": "kueue:v1", "elsewhere": []}},
        **more,
    }
