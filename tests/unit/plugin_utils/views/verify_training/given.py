# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of a cluster's host, and results of jobs."""

from __future__ import annotations

import typing as t

P5 = {"name": "ml.p5.48xlarge", "known": True, "gpus": 8, "efa_devices": 32, "neuron_devices": 0}
G5 = {"name": "ml.g5.8xlarge", "known": True, "gpus": 1, "efa_devices": 1, "neuron_devices": 0}
CPU = {"name": "ml.c5.2xlarge", "known": True, "gpus": 0, "efa_devices": 0, "neuron_devices": 0}
UNKNOWN = {"name": "ml.p9.48xlarge", "known": False}
CLAIM = {"verify_training_claim": "fsx", "verify_training_namespace": "ml"}
KILL = {**CLAIM, "verify_training_kill": True}
PASSED = [{"name": name, "verdict": "passed", "text": "Good.", "problems": []} for name in ("nodes", "health", "nccl")]
BROKEN = [{"name": "nodes", "verdict": "failed", "text": "Bad.", "problems": [{"code": "gpus-differ", "text": "7 of 8 GPUs."}]}]


def iid(number: int) -> str:
    return f"i-{number:017x}"


def job(first: int = 0, steps: int = 20, **changes: t.Any) -> dict[str, t.Any]:
    losses = [[step, 9.0 / step] for step in range(first + 1, steps + 1)]
    return {
        "verdict": "passed", "failure": "", "text": "Trained.", "problems": [], "first_step": first, "losses": losses, "first_loss": 4.11,
        "last_loss": 0.5, "validation": 2.0 if first else None, "checkpoints": [[steps, 2.0]], "tokens_per_second": 200.4,
        "weights": "equal", "carried_by": "EFA", "dtypes": ["bfloat16"], "manifest": {"kind": "Job"}, **changes,
    }  # fmt: skip


BUSY = job(verdict="not_run", failure="busy", losses=[], first_loss=None, checkpoints=[], tokens_per_second=None, carried_by="")
THREE = (job(), job(20, 40), job(40, 60))
FOUR = (*THREE, job(60, 80))


def group(name: str, kind: str, target: int, **changes: t.Any) -> dict[str, t.Any]:
    """An instance group as the inventory describes it."""
    return {"name": name, "count": target, "target": target, "instance_type": kind, "instance_types": [kind], **changes}


def groups(nodes: t.Sequence[tuple[str, str]]) -> list[dict[str, t.Any]]:
    """The groups of nodes, with as many nodes as declared."""
    names = [name for name, _kind in nodes]
    return [group(name, kind, names.count(name)) for name, kind in dict(nodes).items()]


def variables(*nodes: tuple[str, str], results: t.Sequence[t.Any] = (), **given: t.Any) -> dict[str, t.Any]:
    """``nodes``: instance group and type of each."""
    hosts = {
        f"ml-{number}": {"hyperpod_instance_id": iid(number), "hyperpod_instance_group": group, "hyperpod_instance_type": kind}
        for number, (group, kind) in enumerate(nodes or [("gpu", P5["name"])] * 2, start=1)
    }
    own = {
        "inventory_hostname": "ml", "hyperpod_cluster_group": "cluster_ml", "hyperpod_cluster_id": "abc", "hyperpod_cluster_arn": "arn",
        "hyperpod_account_id": "111111111111", "hyperpod_region": "us-west-2", "hyperpod_state_dir": "/state",
        "verify_training_kill": False, "verify_training_kind": "auto", "verify_training_groups": [], "verify_training_nodes": [],
        "verify_training_steps": 40, "verify_training_claim": "",
        "verify_training_namespace": "", "verify_training_queue": "", "verify_training_priority_class": "", "verify_training_health": True,
        "verify_training_nccl": True, "verify_training_image": "pytorch:2",
        "verify_training_model": "", "verify_training_model_image": "", "verify_training_model_timeout": 7200, "verify_training_model_endpoint": "https://hub.example.com",
        "verify_training_environment": {"NCCL_DEBUG": "WARN"},
        "verify_training_queue_timeout": 60, "verify_training_start_timeout": 900, "verify_training_timeout": 600,
        "verify_training_kubeconfig": "", "verify_training_context": "", "verify_training_json": "verify_training.json",
        "verify_training_html": "", "verify_training_junit": "",
        "__verify_training_types_seen": [P5, G5, CPU, UNKNOWN], "__verify_training_checkpoint": "abc-1",
        "__verify_training_checks": PASSED, "__verify_training_results": list(results), "ansible_play_hosts": ["ml"], "ansible_play_hosts_all": ["ml"],
        "hyperpod_instance_groups": [group("empty", CPU["name"], 0), *groups(nodes or [("gpu", P5["name"])] * 2)],
        "groups": {"cluster_ml": ["ml", *hosts], "hyperpod_clusters": ["ml", "other"]}, **given,
    }  # fmt: skip
    return {**own, "hostvars": {**hosts, "ml": own}}


def row(number: int, **changes: t.Any) -> dict[str, t.Any]:
    """A node as ``eks_node_info`` returns it."""
    return {
        "name": f"ip-{number}", "instance_id": iid(number), "instance_type": "p5.48xlarge", "node_group": "gpus", "efa_interfaces": 32,
        "unknown": "", "differences": [], "gpus": 8, **changes,
    }  # fmt: skip


ARN = "arn:aws:eks:us-west-2:222222222222:cluster/training"


def without_hyperpod(*rows: dict[str, t.Any], **given: t.Any) -> dict[str, t.Any]:
    """Variables of an EKS cluster without HyperPod. ``rows``: its nodes."""
    own = {
        name: value
        for name, value in variables().items()
        if not name.startswith("hyperpod_") and name not in ("hostvars", "groups")
    }
    own |= {
        "inventory_hostname": "Plain_1", "training_cluster_name": "training", "hyperpod_region": "us-west-2",
        "ansible_play_hosts": ["Plain_1"], "ansible_play_hosts_all": ["Plain_1"], "groups": {"hyperpod_definitions": ["Plain_1", "ml"]},
        "__verify_training_eks_cluster": {"arn": ARN}, "__verify_training_eks_nodes": list(rows or (row(1), row(2))), **given,
    }  # fmt: skip
    return {**own, "hostvars": {"Plain_1": own, "ml": {"hyperpod_region": "us-west-2"}}}


def codes(found: t.Sequence[t.Mapping[str, t.Any]]) -> list[str]:
    return [str(each["code"]) for each in found]
