# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of the role login_balancer."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.texts.text import Text, Texts, refused

TEXTS: Texts = {
    "balancer-without-groups": Text(
        "balancer-without-groups",
        "Load balancer {load_balancer} was created without security groups, and AWS can't add any, so the load balancer does not "
        "limit who may connect. The nodes' security groups admit the CIDR ranges of the load balancer's subnets.",
        "load_balancer",
    ),
    "health-check-elsewhere": Text(
        "health-check-elsewhere",
        "The health check of {target_group} uses port {asked} until every target is a login node that was verified at port {port}.",
        "target_group",
    ),
    "health-check-at-each-port": Text(
        "health-check-elsewhere",
        "The health check of {target_group} uses the port of each target until every target is a login node that was verified at "
        "port {port}.",
        "target_group",
    ),
    "port-taken": refused("{option}", "{port}", "any port except {taken}"),
    "drain-no-login-node": Text(
        "option-refused", "Nothing was changed because {cluster} has no login node {nodes}.", "drain_nodes"
    ),
    "drain-needed": Text(
        "option-refused",
        "Nothing was changed. These login nodes must stay in service because login_balancer_minimum_healthy is {minimum}: {nodes}.",
        "drain_nodes",
    ),
    "targets-not-handed-back": Text(
        "targets-not-handed-back",
        "Target group {target_group} can't be handed back yet. These nodes are healthy at port {ports}, but not at port {port}, "
        "which was used before the adoption: {nodes}. Check their status, sshd and security group rules, then run again.",
        "target_group",
    ),
    "no-such-groups": refused(
        "login_balancer_allowed_security_groups",
        "{missing}",
        "security groups that exist in this account and Region",
    ),
    "node-stays-in-service": Text("target-stays", "{node} stays in service: {reasons}.", kind="failure"),
    "balancer-without-vpc": Text(
        "cluster-without-vpc",
        "Cluster {cluster} can't have a load balancer: it was created without VpcConfig, so its nodes have no addresses in your "
        "VPC.",
    ),
    "balancer-without-login-nodes": Text(
        "cluster-without-login-nodes",
        "Cluster {cluster} can't have a load balancer: none of its instance groups ({groups}) has node type login. If the cluster "
        "is older than SlurmConfig, set node_types in the inventory source.",
    ),
    "subnets-of-several-vpcs": refused(
        "login_balancer_subnets",
        "{subnets}",
        "subnets of one VPC that exist in this account and Region",
    ),
    "zones-without-subnet": refused(
        "login_balancer_subnets",
        "{subnets}",
        "one subnet for each Availability Zone of the login nodes",
        "no subnet is in {zones}",
    ),
    "node-rules-missing": refused(
        "login_balancer_manage_node_rules",
        "false",
        "true, or rules of {groups} that admit {peers} at these ports. Until then, the port for logins does not change ({now})",
        "the nodes' security groups do not admit the load balancer at TCP {ports}",
    ),
    "node-rules-needed": Text("node-rules-needed", "Allow TCP ports {ports} from {peers} in {groups}."),
}
