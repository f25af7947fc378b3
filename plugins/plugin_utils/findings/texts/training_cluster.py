# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role training_cluster."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts

TEXTS: Texts = {
    "training-cluster-planned": Text(
        "training-cluster-planned",
        "Nothing was changed, because no cost is accepted. The resources of the plan cost {total} an hour. To carry out the "
        "plan, set training_cluster_accept_cost to at least this amount.",
    ),
    "training-cluster-unforeseen": Text(
        "training-cluster-unforeseen",
        "Check mode did not compare {what}, because the API server could not be read ({reason}). The run first changes who can "
        "reach it.",
    ),
    "training-cluster-cost": Text(
        "training-cluster-cost",
        "The resources of the plan cost {total} an hour, and training_cluster_accept_cost is {accepted}. Nothing was changed. "
        "Raise training_cluster_accept_cost, or declare fewer or smaller resources.",
    ),
    "training-cluster-price-unknown": Text(
        "training-cluster-cost",
        "The prices of these resources are unknown: {names}. Nothing was changed. To accept them, list them in "
        "training_cluster_accept_unknown_prices.",
    ),
    "training-cluster-quota": Text(
        "quota-too-low",
        "The quota '{name}' is {value}, and {needed} are needed. Nothing was changed. {next}",
        "name",
        kind="failure",
    ),
    "training-cluster-blocked": Text(
        "training-cluster-blocked", "AWS would refuse the removal: {what}. Nothing was removed. Next step: {next}."
    ),
    "training-cluster-still-leaving": Text(
        "training-cluster-blocked",
        "{reason}, so {result}. Run training_cluster again later; it continues.",
    ),
    "training-cluster-ends": Text("training-cluster-ends", "These Pods and jobs of people end: {ended}."),
    "training-cluster-leaves": Text(
        "training-cluster-leaves",
        "Kubernetes created these resources, and they stay in the account and cost money after the removal of the cluster: "
        "{resources}. Delete the Services and claims before the cluster, or remove the resources in AWS afterwards.",
    ),
    "training-cluster-unread": Text(
        "training-cluster-unread",
        "Could not read {what}. Pods and jobs that end may therefore be missing in the plan, as may load balancers and volumes "
        "that the removal of the cluster leaves in the account.",
    ),
    "training-cluster-mounted": Text(
        "training-cluster-mounted",
        "These Pods still use the file system: {pods}. It was not removed. Delete the Pods, or raise "
        "training_cluster_drain_timeout, then run again.",
    ),
    "training-cluster-undrained": Text(
        "training-cluster-undrained",
        "After {seconds} s, these Pods on nodes of groups to remove have not ended: {pods}. Node groups {groups} were not removed, "
        "and their nodes accept no new Pods. Change the Pod disruption budgets, delete the Pods, or raise "
        "training_cluster_drain_timeout, then run again.",
    ),
    "training-cluster-undrainable": Text(
        "training-cluster-undrained",
        "Node groups {groups} are removed only after their nodes are drained, and the run could not read {what}. Nothing was "
        "changed. Run the playbook where the API server can be reached, as a user who may read and evict Pods.",
    ),
    "training-cluster-unverified": Text(
        "training-cluster-unverified",
        "The node groups {groups} were not verified, because a verification uses nodes of one instance type, in this run "
        "{instance_type}. To verify these groups, run verify_training with verify_training_groups.",
    ),
    "training-cluster-mpijobs": Text("training-cluster-mpijobs", "MPIJobs can fail: {clash}. {next}."),
    "training-cluster-mpijobs-unknown": Text(
        "training-cluster-mpijobs",
        "It is not known whether several operators manage MPIJobs: {reason}. To check this, run the module mpi_operator_info as a "
        "user who may read Deployments, where the API server can be reached.",
        kind="note",
    ),
    "training-cluster-device-plugins": Text(
        "training-cluster-device-plugins", "The images of the device plugins, with the digests on the nodes: {images}."
    ),
    "training-cluster-image": Text("training-cluster-image", "The training image is in ECR: {image}."),
    "training-cluster-reservation-ends": Text(
        "training-cluster-reservation-ends",
        "Capacity reservation {reservation} of node groups {groups} ends at {end}, within {days} days. {what}. Extend it, or let "
        "the jobs end before.",
        "reservation",
    ),
    "training-cluster-hop-limit": Text(
        "training-cluster-hop-limit",
        "With training_cluster_metadata_hop_limit 2, every Pod on the nodes of {groups} can use the IAM role of the node. Use pod "
        "identities where a program needs AWS, and set the limit to 1.",
    ),
    "training-cluster-without-plugin": Text(
        "training-cluster-without-plugin",
        "The nodes of {groups} have AWS Neuron devices, and a run installs no device plugin for them, so Pods cannot request "
        "aws.amazon.com/neuron. Install the plugin with AWS's Helm chart neuron-helm-chart.",
    ),
    "training-cluster-private": Text(
        "training-cluster-private",
        "The API server of the new cluster has only a private endpoint in {vpc} ({cidr}), which the control node must reach. "
        "Otherwise the run creates the cluster and its nodes, and fails afterwards. Run the playbook in this VPC or connect to it, "
        "or set training_cluster_public_access_cidrs.",
    ),
    "training-cluster-made": Text(
        "training-cluster-made",
        "EKS cluster {cluster} was created: {arn}. To remove it with everything that was created for it, run training_cluster "
        "with training_cluster_state=absent and training_cluster_confirm={cluster}.",
        "cluster",
    ),
}
