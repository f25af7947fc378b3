# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of the role hyperpod_cluster."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import ROLE_TRUST, Text, Texts

TEXTS: Texts = {
    "quota-too-low": Text(
        "quota-too-low",
        "The quota '{name}' is {applied}, and {needed} are needed{asked}. Ask for more with mlfleet.hyperpod.service_quota, or set "
        "hyperpod_cluster_require_quota=false if AWS gives these nodes by another quota.",
        "name",
        kind="failure",
    ),
    "quota-too-low-tried": Text(
        "quota-too-low", "The quota '{name}' is {applied}, and {needed} are needed{asked}.", "name", kind="note"
    ),
    "quota-room": Text("quota-room", "Quotas of the nodes that are added, used + planned of what AWS allows: {quotas}."),
    "quota-unknown": Text("quota-unknown", "AWS lists no value for the quotas {names}; whether they suffice is not known."),
    "price": Text("price", "Price of the nodes that are added: {price}."),
    "eks-requirement": Text("eks-requirement", "{name} is {found}; HyperPod needs {needed}.", "name", kind="failure"),
    "eks-requirement-unknown": Text(
        "eks-requirement", "{name} is {found}; HyperPod needs {needed}, and nobody tells whether it is.", "name", kind="note"
    ),
    "eks-requirement-note": Text("eks-requirement", "{name} is {found}. {note}.", "name", kind="note"),
    "cluster-group-scaled": Text(
        "cluster-group-scaled",
        "Instance group {group} is under NodeClass {node_class}, which would be of no use without it. Take it out of "
        "karpenter_node_classes, or out of the NodeClass, and run karpenter first.",
        "group",
    ),
    "cluster-group-unknown": Text(
        "cluster-group-scaled",
        "Whether the instance groups {groups}, which would be deleted, are under a NodeClass of Karpenter can't be read ({why}): "
        "set hyperpod_cluster_kubeconfig to a kubeconfig that leads to the API server, or give the caller an access entry, and run "
        "again.",
    ),
    "cluster-group-without-scripts": Text(
        "cluster-group-without-scripts",
        "Instance groups {groups} have no life_cycle_config, and AWS may refuse them on a cluster with EKS. A script that does "
        "nothing is enough: name a folder in S3 as source_s3_uri, with on_create.sh (#!/bin/bash and exit 0) in it.",
    ),
    "cluster-role-taken": Text(
        "option-refused",
        "hyperpod_cluster_execution_role: the IAM role {role} is there and was not made for nodes (it has no tag "
        "mlfleet.hyperpod/component with execution-role). Allowed: another name, or its ARN as execution_role of the groups, "
        "which leaves it alone.",
        "role",
        kind="failure",
    ),
    "cluster-role-trust": ROLE_TRUST,
    "cluster-goes": Text(
        "cluster-goes",
        "With {cluster} go its nodes and what is on their disks: {nodes}. Volumes: {volumes}. Running jobs: {jobs}.",
    ),
    "cluster-made": Text(
        "cluster-made",
        "Cluster {cluster} is there: {arn}.{hint} Once the inventory has it, login_access lets people in.",
        "cluster",
    ),
}
