# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role hyperpod_cluster."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import ROLE_TRUST, Text, Texts

TEXTS: Texts = {
    "quota-too-low": Text(
        "quota-too-low",
        "The quota '{name}' is {applied}, and {needed} are needed{asked}. Request an increase with "
        "mlfleet.hyperpod.service_quota, or set hyperpod_cluster_require_quota=false if another quota covers these nodes.",
        "name",
        kind="failure",
    ),
    "quota-too-low-tried": Text(
        "quota-too-low", "The quota '{name}' is {applied}, and {needed} are needed{asked}.", "name", kind="note"
    ),
    "quota-room": Text("quota-room", "Quotas with the new nodes (used + planned of the limit): {quotas}."),
    "quota-unknown": Text("quota-unknown", "AWS lists no value for the quotas {names}, so whether they suffice is unknown."),
    "price": Text("price", "Price of the new nodes: {price}."),
    "eks-requirement": Text(
        "eks-requirement",
        "The EKS cluster or its subnets do not meet a requirement of HyperPod: {name}. Result of the check: {found}. Required: "
        "{needed}.",
        "name",
        kind="failure",
    ),
    "eks-requirement-unknown": Text(
        "eks-requirement",
        "It is unknown whether the EKS cluster and its subnets meet a requirement of HyperPod: {name}. Result of the check: "
        "{found}. Required: {needed}.",
        "name",
        kind="note",
    ),
    "eks-requirement-note": Text(
        "eks-requirement",
        "A requirement of HyperPod needs attention: {name}. Result of the check: {found}. {note}.",
        "name",
        kind="note",
    ),
    "cluster-group-scaled": Text(
        "cluster-group-scaled",
        "Instance group {group} belongs to NodeClass {node_class}, which would not work without the group. Remove the group from "
        "karpenter_node_classes, or from the NodeClass, and run karpenter first.",
        "group",
    ),
    "cluster-group-unknown": Text(
        "cluster-group-scaled",
        "Could not check whether the instance groups to delete ({groups}) belong to a NodeClass of Karpenter: {why}. Set "
        "hyperpod_cluster_kubeconfig to a kubeconfig for the API server, or give the caller an access entry, and run again.",
    ),
    "cluster-group-without-scripts": Text(
        "cluster-group-without-scripts",
        "Instance groups {groups} have no life_cycle_config, and AWS may refuse them on an EKS cluster. An empty script is "
        "enough: set source_s3_uri to a folder in S3 with on_create.sh (#!/bin/bash and exit 0).",
    ),
    "cluster-role-taken": Text(
        "option-refused",
        "hyperpod_cluster_execution_role: IAM role {role} exists and was not created for nodes (it lacks the tag "
        "mlfleet.hyperpod/component=execution-role). Allowed: another name, or the role's ARN as execution_role of the groups. "
        "The run does not change a role that is given by its ARN.",
        "role",
        kind="failure",
    ),
    "cluster-role-trust": ROLE_TRUST,
    "cluster-goes": Text(
        "cluster-goes",
        "Deleting {cluster} deletes its nodes and the data on their disks: {nodes}. Volumes: {volumes}. Running jobs: {jobs}.",
    ),
    "cluster-made": Text(
        "cluster-made",
        "Cluster {cluster} was created: {arn}.{hint} Once it is in the inventory, run login_access to let users log in.",
        "cluster",
    ),
}
