# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Of the role karpenter."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import ROLE_TRUST, Text, Texts

TEXTS: Texts = {
    "karpenter-requirement": Text(
        "karpenter-requirement", "{name}: {found}. Karpenter asks for: {needed}. {remedy}", "name", kind="failure"
    ),
    "karpenter-requirement-unknown": Text(
        "karpenter-requirement",
        "{name}: {found}. Karpenter asks for: {needed}, and nobody tells whether it is so. {remedy}",
        "name",
        kind="note",
    ),
    "karpenter-ends-nodes": Text(
        "karpenter-ends-nodes", "Karpenter ends the nodes that groups have when they come under it: {found}.", kind="note"
    ),
    "karpenter-topology-scheduling": Text(
        "karpenter-topology-scheduling",
        "Kueue's topology-aware scheduling is switched off, since Karpenter does not support it ({found}).",
        kind="note",
    ),
    "karpenter-topology-scheduling-kept": Text(
        "karpenter-topology-scheduling",
        "Kueue's topology-aware scheduling is not switched off: the add-on or Kueue's manager did not work with that setting, "
        "and the add-on has its settings of before again.",
        kind="failure",
    ),
    "karpenter-topology-scheduling-file": Text(
        "karpenter-topology-scheduling",
        "The feature gates of Kueue's topology-aware scheduling are off in Kueue's own file, since the add-on {version} offers no "
        "setting for them: its next update may switch it on again. Run the playbook karpenter after an update.",
        kind="note",
    ),
    "karpenter-would-end-nodes": Text(
        "karpenter-ends-nodes",
        "Karpenter would end the nodes that groups have when they come under it: {found}. Scale them to 0 first, or name the "
        "groups in karpenter_ended_groups.",
        kind="failure",
    ),
    "karpenter-group-taken": Text(
        "karpenter-requirement",
        "Instance group {group} is under NodeClass {theirs} already. A group is under one NodeClass only: keep that one in "
        "karpenter_node_classes with its other groups, or run first with state: absent for it and its NodePools "
        "(karpenter_state=absent where it is the only NodeClass).",
        "group",
        kind="failure",
    ),
    "karpenter-quota": Text(
        "quota-too-low",
        "The quota '{name}' is {applied}, {used}so Karpenter could have no node of a new group{others}{asked}. Ask for more "
        "with mlfleet.hyperpod.service_quota, or set karpenter_require_quota=false.",
        "name",
        kind="failure",
    ),
    "karpenter-quota-tried": Text(
        "quota-too-low",
        "The quota '{name}' is {applied}, {used}so Karpenter could have no node of a new group{others}{asked}.",
        "name",
        kind="note",
    ),
    "karpenter-quota-unknown": Text(
        "quota-unknown", "AWS lists no value for the quotas {names}; whether Karpenter can have nodes is not known."
    ),
    "karpenter-goes": Text(
        "karpenter-goes",
        "What goes: NodePools {pools} and NodeClasses {classes}, their nodes ({nodes}) and what runs on them: {pods}.",
    ),
    "karpenter-held": Text("karpenter-held", "NodeClaim {claim} ({node}) is not gone: {held}.", "claim"),
    "karpenter-held-step": Text(
        "karpenter-held",
        "Run again once these pods have ended, or set karpenter_force=true, which ends them: {pods}.",
    ),
    "karpenter-used": Text(
        "karpenter-used",
        "Karpenter stays switched on, since NodePools or NodeClasses that this role did not make use it: {names}. Remove them, or "
        "name them with state: absent and karpenter_adopt=true.",
    ),
    "karpenter-class-used": Text(
        "karpenter-used",
        "NodeClass {name} stays, since NodePools use it: {pools}. Give them another NodeClass, or state: absent.",
        "name",
    ),
    "karpenter-group-leaves": Text(
        "karpenter-goes",
        "Instance group {group} leaves NodeClass {name}: Karpenter replaces its nodes ({nodes}) as drifted, as the budgets of the "
        "NodePools allow.",
        "group",
        kind="note",
    ),
    "karpenter-role-taken": Text(
        "option-refused",
        "karpenter_role_name: the IAM role {role} is there and was not made for this cluster (it has no tag "
        "mlfleet.hyperpod/cluster with {cluster}). Allowed: another name, or its ARN in karpenter_cluster_role, which leaves it "
        "alone.",
        "role",
        kind="failure",
    ),
    "karpenter-role-trust": ROLE_TRUST,
    "karpenter-role-left": Text(
        "karpenter-role",
        "Karpenter had the IAM role {role} until now. It stays: remove it if nobody else needs it.",
        "role",
        kind="note",
    ),
    "karpenter-drain": Text("karpenter-held", "Node {node} could not be emptied: {why}", "node"),
    "karpenter-proof-later": Text(
        "karpenter-proof",
        "NodePool {pool} is not there and ready yet; a run proves it once it is, and tells its price before.",
        "pool",
        kind="note",
    ),
    "karpenter-replicas": Text(
        "karpenter-replicas",
        "ScaledObject {name} keeps {count} pods for good, and so at least one node; min_replicas: 0 lets all nodes go.",
        "name",
    ),
    "karpenter-proof-price": Text(
        "price", "The proof of NodePool {pool} takes one node of {instance_type}: {price}.", "pool", kind="note"
    ),
    "karpenter-proven": Text(
        "karpenter-proof",
        "NodePool {pool} is proven: a node of group {group} was there after {up} s, and gone {down} s after its pod. {timeline}.",
        "pool",
        kind="note",
    ),
    "karpenter-group-gone": Text(
        "karpenter-group-gone",
        "Instance group {group} is under NodeClass {node_class} and not in the cluster, so the NodeClass is not Ready and its "
        "NodePools get no nodes. Take the group out of the NodeClass (karpenter_node_classes) and run karpenter, or add it to the "
        "cluster again.",
        "group",
    ),
    "karpenter-waits": Text("karpenter-waits", "Pod {pod} waits for a node: {text} {next_step}", "pod"),
    "karpenter-waits-more": Text("karpenter-waits", "{count} more pods wait for a node: {causes}."),
}
