# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role karpenter."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import ROLE_TRUST, Text, Texts

TEXTS: Texts = {
    "karpenter-requirement": Text(
        "karpenter-requirement", "{name}: {found}. Karpenter requires: {needed}. {remedy}", "name", kind="failure"
    ),
    "karpenter-requirement-unknown": Text(
        "karpenter-requirement",
        "{name}: {found}. Karpenter requires: {needed}, which could not be checked. {remedy}",
        "name",
        kind="note",
    ),
    "karpenter-ends-nodes": Text(
        "karpenter-ends-nodes",
        "Karpenter terminates the current nodes of instance groups that it takes over: {found}.",
        kind="note",
    ),
    "karpenter-topology-scheduling": Text(
        "karpenter-topology-scheduling",
        "Kueue's topology-aware scheduling is turned off because Karpenter does not support it ({found}).",
        kind="note",
    ),
    "karpenter-topology-scheduling-kept": Text(
        "karpenter-topology-scheduling",
        "Kueue's topology-aware scheduling is still on: the add-on or Kueue's manager failed with the new setting, so the "
        "previous settings of the add-on were restored.",
        kind="failure",
    ),
    "karpenter-topology-scheduling-file": Text(
        "karpenter-topology-scheduling",
        "Kueue's configuration file turns topology-aware scheduling off, because add-on {version} has no setting for it. An "
        "update of the add-on may turn it on again, so run the playbook karpenter after each update.",
        kind="note",
    ),
    "karpenter-would-end-nodes": Text(
        "karpenter-ends-nodes",
        "Karpenter would terminate the current nodes of instance groups that it takes over: {found}. Scale the groups to 0 first. "
        "Or list the groups in karpenter_ended_groups to let Karpenter terminate their nodes.",
        kind="failure",
    ),
    "karpenter-group-taken": Text(
        "karpenter-requirement",
        "Instance group {group} already belongs to NodeClass {theirs}, and a group can belong to one NodeClass only. Declare "
        "{theirs} with its other groups in karpenter_node_classes. Or remove {theirs} and its NodePools first, with state: absent. "
        "If {theirs} is the only NodeClass, use karpenter_state=absent.",
        "group",
        kind="failure",
    ),
    "karpenter-quota": Text(
        "quota-too-low",
        "The quota '{name}' is {applied}, {used}so Karpenter could not add a node of a new group{others}{asked}. Request an "
        "increase with mlfleet.hyperpod.service_quota, or set karpenter_require_quota=false.",
        "name",
        kind="failure",
    ),
    "karpenter-quota-tried": Text(
        "quota-too-low",
        "The quota '{name}' is {applied}, {used}so Karpenter could not add a node of a new group{others}{asked}.",
        "name",
        kind="note",
    ),
    "karpenter-quota-unknown": Text(
        "quota-unknown", "AWS lists no value for the quotas {names}, so whether Karpenter can add nodes is unknown."
    ),
    "karpenter-goes": Text(
        "karpenter-goes",
        "The removal deletes NodePools {pools} and NodeClasses {classes}, their nodes ({nodes}) and the pods on them: {pods}.",
    ),
    "karpenter-held": Text("karpenter-held", "NodeClaim {claim} ({node}) is not deleted yet: {held}.", "claim"),
    "karpenter-held-step": Text(
        "karpenter-held",
        "Run again after these pods have ended, or set karpenter_force=true to end them: {pods}.",
    ),
    "karpenter-used": Text(
        "karpenter-used",
        "Karpenter stays on because it is used by NodePools or NodeClasses that this role did not create: {names}. Remove them, "
        "or declare them with state: absent and karpenter_adopt=true.",
    ),
    "karpenter-class-used": Text(
        "karpenter-used",
        "NodeClass {name} stays because NodePools use it: {pools}. Give these NodePools another NodeClass, or declare them with "
        "state: absent.",
        "name",
    ),
    "karpenter-group-leaves": Text(
        "karpenter-goes",
        "Instance group {group} leaves NodeClass {name}: Karpenter replaces its nodes ({nodes}) as drifted, within the budgets of "
        "the NodePools.",
        "group",
        kind="note",
    ),
    "karpenter-role-taken": Text(
        "option-refused",
        "karpenter_role_name: IAM role {role} exists and was not created for this cluster (it lacks the tag "
        "mlfleet.hyperpod/cluster={cluster}). Allowed: another name, or the role's ARN in karpenter_cluster_role. The run does "
        "not change a role that is given by its ARN.",
        "role",
        kind="failure",
    ),
    "karpenter-role-trust": ROLE_TRUST,
    "karpenter-role-left": Text(
        "karpenter-role",
        "Karpenter no longer uses IAM role {role}. Remove the role if nothing else uses it.",
        "role",
        kind="note",
    ),
    "karpenter-drain": Text("karpenter-held", "Node {node} could not be drained: {why}", "node"),
    "karpenter-proof-later": Text(
        "karpenter-proof",
        "NodePool {pool} does not exist yet or is not ready. A later run starts a test Pod for it, and reports the price first.",
        "pool",
        kind="note",
    ),
    "karpenter-replicas": Text(
        "karpenter-replicas",
        "ScaledObject {name} never has fewer pods than its min_replicas ({count}), so at least one node stays. Set min_replicas: 0 "
        "to let Karpenter remove all nodes.",
        "name",
    ),
    "karpenter-proof-price": Text(
        "price", "The proof of NodePool {pool} starts one node of {instance_type}: {price}.", "pool", kind="note"
    ),
    "karpenter-proven": Text(
        "karpenter-proof",
        "NodePool {pool} works: a pod ran on a new node of group {group} after {up} s, and the node was removed {down} s after "
        "the pod. {timeline}.",
        "pool",
        kind="note",
    ),
    "karpenter-group-gone": Text(
        "karpenter-group-gone",
        "NodeClass {node_class} names instance group {group}, which the cluster lacks, so the NodeClass is not Ready and its "
        "NodePools get no nodes. Remove the group from the NodeClass (karpenter_node_classes) and run karpenter, or add the group "
        "to the cluster.",
        "group",
    ),
    "karpenter-waits": Text("karpenter-waits", "Pod {pod} waits for a node: {text} {next_step}", "pod"),
    "karpenter-waits-more": Text("karpenter-waits", "{count} more pods wait for a node: {causes}."),
}
