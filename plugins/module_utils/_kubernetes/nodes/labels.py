# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""API paths of nodes and pods, and the labels of nodes that HyperPod, AWS and Karpenter set."""

from __future__ import annotations

NODES, PODS = "/api/v1/nodes", "/api/v1/pods"
TYPE, ZONE = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone"
COMPUTE_TYPE, AUTO = "eks.amazonaws.com/compute-type", "auto"
"""The label of nodes of EKS Auto Mode, and its value."""
OF_HYPERPOD = "sagemaker.amazonaws.com/"
GROUP = f"{OF_HYPERPOD}instance-group-name"
HEALTH, CHECK, TYPES, REASONS = (
    f"{OF_HYPERPOD}{name}" for name in ("node-health-status", "deep-health-check-status", "fault-types", "fault-reasons")
)
SCHEDULABLE = "Schedulable"
"""The value of ``HEALTH`` on a healthy node."""
NODE_POOL = "karpenter.sh/nodepool"
READY = "Ready"
"""The condition that is true while the node's kubelet can start Pods."""
LOOK, NCCL, TRAINING = (f"mlfleet.hyperpod/{name}" for name in ("look", "nccl-test", "training"))
"""The labels of the objects of health checks, NCCL tests and training jobs. Their values identify the run."""
TESTS = frozenset({LOOK, NCCL, TRAINING})
