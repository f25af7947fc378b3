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
    "training-cluster-unverified": Text(
        "training-cluster-unverified",
        "The node groups {groups} were not verified, because a verification uses nodes of one instance type, in this run "
        "{instance_type}. To verify these groups, run verify_training with verify_training_groups.",
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
