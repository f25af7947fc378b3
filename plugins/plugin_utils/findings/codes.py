# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All codes of findings, for programs that count findings or act on them.

docs/reference/findings.md is generated from this table.

A code never changes its meaning. A finding with a code that is not in this table is reported as ``unknown``.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

FAILURE, PENDING, NOTE = "failure", "pending", "note"


@dataclass(frozen=True)
class Code:
    name: str
    kinds: tuple[str, ...]
    """Kinds that findings with this code can have; the first is the default."""
    says: str
    """The meaning. If the code has several kinds, also which kind applies when."""
    subject: str = ""
    """The type of the findings' subject, such as an option or a user; empty if they have no subject."""


UNKNOWN, TASK_FAILED, UNREACHABLE = "unknown", "task-failed", "node-unreachable"
NODE_FAILED = "node-failed"
LOCK_HELD, NOT_LOOKED_AT = "lock-held", "not-looked-at"
NOT_SLURM, NOT_EKS, NOT_SELECTED, NOTHING_DECLARED = "not-slurm", "not-eks", "not-selected", "nothing-declared"
EVENTS_SHARED, FLEET_REPORT = "events-shared", "fleet-report"
NOT_APPLICABLE = (NOT_SLURM, NOT_EKS, NOT_SELECTED, NOTHING_DECLARED, EVENTS_SHARED, FLEET_REPORT)
"""Codes that explain why a run skipped a cluster before any request to AWS or to a node."""

AREAS: t.Mapping[str, tuple[Code, ...]] = {
    "Every run": (
        Code(TASK_FAILED, (FAILURE,), "A task failed, and its module returned no code.", "task"),
        Code("module-failed", (FAILURE,), "A request that the module made failed."),
        Code("option-refused", (FAILURE,), "An option or a variable is wrong, and nothing was changed.", "option"),
        Code(UNREACHABLE, (PENDING,), "The node did not answer over SSH or Session Manager."),
        Code(NODE_FAILED, (PENDING,), "A task failed on the node, and the run continued without the node.", "code of the failure"),
        Code(LOCK_HELD, (NOTE,), "Another run holds the lock of the cluster, so this run skipped the cluster."),
        Code("rollout-step", (NOTE,), "The step of a rollout that this run takes, or what the rollout waits for."),
        Code("rollout-not-reached", (PENDING,), "The settings of the cluster changed, and a rollout has not reached it."),
        Code("event-not-handled", (FAILURE,), "Another run held the lock of the cluster, so this run did not handle its event."),
        Code("event-handled", (NOTE,), "A full look began after the event of this run, so the run left the cluster alone."),
        Code(NOT_EKS, (NOTE,), "The playbook is for EKS clusters, and this cluster does not use EKS."),
        Code(NOT_SELECTED, (NOTE,), "The option selects other clusters, so this run skipped the cluster.", "option"),
        Code(
            NOTHING_DECLARED,
            (NOTE, FAILURE),
            "The cluster has no declaration for this playbook. If no cluster of the run has one, the finding is a failure.",
        ),
        Code("report-not-stored", (PENDING,), "The report of the run could not be added to the report store."),
        Code(NOT_SLURM, (NOTE,), "The playbook is for Slurm clusters, and this cluster does not use Slurm."),
        Code(NOT_LOOKED_AT, (NOTE,), "No task read the cluster in AWS or one of its nodes, so the cluster counts as skipped."),
        Code(
            UNKNOWN,
            (FAILURE, PENDING, NOTE),
            "A finding had a code that is not in this table. A compromised node can report such a finding.",
        ),
    ),
    "Readiness gate": (
        Code("gate-host-keys", (PENDING,), "sshd on the node does not present the expected host keys."),
        Code("gate-host-certificates", (PENDING,), "A host certificate is missing, unexpected or expired."),
        Code("gate-sshd", (PENDING,), "sshd refuses its configuration files, or they differ from the expected ones."),
        Code("gate-users", (PENDING,), "Expected users are missing on the node or have a different UID."),
        Code(
            "gate-mounts",
            (PENDING, NOTE),
            "A file system is not mounted or does not answer. If the readiness gate stays open, the finding is a note.",
        ),
        Code("gate-ports", (PENDING,), "Another process uses a port of the readiness gate, or any user could use it."),
        Code("node-clock-wrong", (FAILURE,), "The clocks of the node and of the control node differ by more than five minutes."),
        Code("gate-check", (PENDING,), "The readiness check on the node failed with an error or timed out."),
        Code(
            "gate-kept-open",
            (NOTE,),
            "The readiness gate stays open because the node matches the previous expected settings, although not the new ones.",
        ),
        Code("gate-closed-itself", (NOTE,), "The node closed its readiness gate between two runs."),
    ),
    "Result of the run": (
        Code(
            "cluster-locked", (FAILURE,), "Another run holds the lock of the cluster, and this run does not skip locked clusters."
        ),
        Code("cluster-not-usable", (FAILURE,), "The cluster does not exist, has failed, or is being created or deleted."),
        Code(
            "order-not-carried-out",
            (FAILURE,),
            "The action that an extra variable requests was not carried out, or was carried out only in part.",
            "option",
        ),
        Code("plans-failed", (FAILURE,), "The declared users and groups conflict with too many nodes, so no node was changed."),
        Code("other-nodes-failed", (PENDING,), "Several login nodes failed before this node, so this node was not changed."),
        Code("login-nodes-failed", (FAILURE,), "All login nodes failed or were unreachable, so none was taken out of service."),
        Code(
            "change-failed", (FAILURE,), "A change failed on most login nodes where it was tried, so the others were not changed."
        ),
        Code("run-stops", (FAILURE,), "The run stops for the cluster or the node because of another failure in the report."),
        Code("variables-unused", (NOTE,), "Variables with a prefix of this collection are unknown, so they have no effect."),
        Code("nothing-selected", (FAILURE,), "--tags and --skip-tags select no task of the playbook."),
        Code("cluster-failed", (FAILURE,), "The report has failures of the cluster, so the run fails at the end."),
        Code("cluster-degraded", (FAILURE,), "Something is pending, and hyperpod_degraded_fails is true."),
        Code("inventory-not-read", (FAILURE,), "The inventory could not read an account, a Region or a cluster."),
    ),
    "Status": (
        Code(
            "status-not-read",
            (PENDING, FAILURE),
            "A part of the status could not be read. If no part could be read, the finding is a failure.",
            "part",
        ),
        Code("cluster-not-in-service", (PENDING,), "The cluster is not InService."),
        Code("login-node-not-asked", (PENDING,), "The expiry of a login node's host certificates could not be read."),
        Code(
            "host-certificate-ends",
            (NOTE, FAILURE),
            "A host certificate expires soon. If it has expired, the finding is a failure.",
            "type",
        ),
        Code(
            "vpn-certificate-ends",
            (NOTE, FAILURE),
            "A certificate or the CRL of the Client VPN expires soon. If it has expired, the finding is a failure.",
            "part or user",
        ),
        Code(
            "lifecycle-script-changed",
            (PENDING, NOTE),
            "A lifecycle script was changed or removed in S3. If this run uploads it again, the finding is a note.",
            "object",
        ),
        Code(
            "lifecycle-object-unknown",
            (NOTE,),
            "The folder of lifecycle scripts has objects that are neither declared nor recorded as uploaded.",
            "folder",
        ),
        Code("lifecycle-digests-not-readable", (PENDING,), "The recorded digests of lifecycle scripts can't be read.", "parameter"),
        Code(
            "lifecycle-bucket",
            (FAILURE,),
            "The bucket of lifecycle scripts belongs to another account, is missing or can't be read.",
            "option",
        ),
        Code("lock-left", (NOTE,), "The lock of the cluster belongs to a run that has ended."),
        Code("last-run", (NOTE,), "The last run left the cluster degraded, skipped or failed."),
    ),
    "Nodes": (
        Code(
            "node-not-reached",
            (PENDING, NOTE),
            "The run could not reach the node, or did not try because the node has no trust record. In a teardown, a missing "
            "trust record is only a note.",
        ),
        Code("host-key-changed", (PENDING,), "The node's host key differs from its trust record, although the disk is the same."),
        Code("node-would-gain-access", (NOTE,), "In check mode: a run would set up its access to the node."),
        Code("node-trusted", (NOTE,), "A trust record was created for the node. The finding gives the host key."),
        Code("users-not-everywhere", (PENDING,), "Some nodes have not been verified since the declared users changed."),
        Code("record-not-readable", (NOTE,), "A parameter in the cluster's folder of records is not a valid record.", "parameter"),
    ),
    "Host keys": (
        Code("host-keys-not-trusted", (FAILURE,), "The node has host keys that are not in its trust record."),
        Code("host-keys-not-seen", (FAILURE,), "Neither the control node nor another node could read the host keys of a node."),
        Code("other-host-keys", (PENDING,), "A login node presents host keys that differ from the expected ones.", "port"),
        Code("host-keys-disputed", (PENDING,), "Nodes disagree about the host keys of a login node.", "port"),
        Code("host-keys-unverified", (PENDING,), "Neither the control node nor another node could read a login node's host keys."),
        Code("same-host-keys", (NOTE,), "Login nodes that should have different host keys have the same ones."),
        Code("host-keys-announced", (NOTE,), "Login nodes announce the next host keys, in addition to the current ones."),
        Code("known-hosts-needed", (NOTE,), "ssh clients refuse to connect until their users install the new known_hosts."),
        Code(
            "new-host-keys-not-learned",
            (NOTE,),
            "It lists the declared users who have not logged in since the host keys were announced, or states that all have.",
        ),
    ),
    "Drained nodes": (
        Code("node-drained", (NOTE,), "The node is drained. The finding gives the operator, the time and the reason."),
        Code("drained-node-gone", (NOTE,), "A drained node no longer exists, so its drain record is removed."),
        Code("drained-node-not-reached", (PENDING,), "A drained node could not be reached, so it may still accept logins."),
    ),
    "Access report": (
        Code("node-not-read", (PENDING,), "The report lacks the users of a node that could not be read."),
        Code("file-not-read", (PENDING,), "A file on the node that may grant access could not be read."),
    ),
    "Fleet report": (
        Code(FLEET_REPORT, (NOTE,), "The state of the cluster according to the reports of earlier runs."),
        Code("no-reports", (FAILURE,), "The report store has no report of the clusters, so nothing is known about them."),
        Code("report-not-read", (PENDING,), "A report or file of the report store could not be used, so its data are not known."),
        Code("report-store-not-read", (FAILURE,), "The report store could not be listed, so nothing is known about the clusters."),
    ),
    "Client VPN": (
        Code(
            "vpn-change-waits",
            (PENDING,),
            "A change is postponed because it would disconnect users or make their profiles useless.",
            "change",
        ),
        Code("crl-waits", (PENDING,), "The endpoint lacks the new CRL because its import would disconnect users.", "endpoint"),
        Code("crl-import-disconnects", (NOTE,), "The import of a CRL disconnects users.", "endpoint"),
        Code("vpn-missing", (FAILURE,), "The Client VPN endpoint does not exist yet.", "VPC"),
        Code("vpn-stays", (NOTE,), "Other clusters use the Client VPN, so it stays.", "VPC"),
        Code("vpn-group-stays", (NOTE,), "Rules refer to the Client VPN's security group, so the group stays.", "security group"),
        Code("profiles-written", (NOTE,), "The profiles of users were written to a folder."),
        Code("nothing-to-revoke", (NOTE,), "The user has no known valid certificate, so none was revoked.", "user"),
        Code("crl-did-not-wait", (NOTE,), "A CRL is imported at once, because the previous CRL is about to expire.", "endpoint"),
    ),
    "Load balancer": (
        Code("cluster-without-vpc", (FAILURE,), "The cluster was created without VpcConfig."),
        Code("cluster-without-login-nodes", (FAILURE,), "No instance group of the cluster has node type login."),
        Code("no-such-load-balancer", (FAILURE, PENDING), "The load balancer does not exist yet (pending in the status)."),
        Code("who-may-connect", (NOTE,), "The load balancer admits the whole internet, or it admits no CIDR range."),
        Code("balancer-without-groups", (NOTE,), "The adopted load balancer can't have security groups.", "load balancer"),
        Code("node-rules-needed", (NOTE,), "Rules must be added manually to the nodes' security groups."),
        Code(
            "health-check-elsewhere",
            (NOTE,),
            "The health check uses a port other than the declared one until all targets are verified.",
            "target group",
        ),
        Code("targets-not-handed-back", (FAILURE,), "An adopted target group can't be handed back yet.", "target group"),
        Code("no-login-service", (FAILURE,), "No login node is in service, so users can't log in."),
        Code("login-service-starting", (PENDING,), "No login node is in service yet; AWS is processing a registration."),
        Code("login-nodes-all-drained", (PENDING,), "No login node is in service, because all of them are drained."),
        Code("target-held", (PENDING,), "A login node is not yet registered, or not yet deregistered.", "port or address"),
        Code(
            "target-stays",
            (PENDING, FAILURE),
            "A target that the run wanted to remove stays; the finding gives the reason.",
            "port or address",
        ),
        Code("login-node-out", (PENDING,), "A login node that could not be verified was taken out of service.", "port or address"),
        Code(
            "target-not-healthy",
            (PENDING,),
            "A registered login node is not healthy, or (in the status) a login node is not registered.",
            "port or address",
        ),
        Code("target-starting", (NOTE,), "A login node was registered in this run and is not healthy yet.", "port or address"),
        Code("targets-at-former-port", (NOTE,), "The load balancer still sends logins to targets at a previous port."),
        Code("targets-all-unhealthy", (NOTE,), "All targets are unhealthy, so the load balancer sends users to all of them."),
    ),
    "Sessions": (
        Code("sessions-open", (PENDING, NOTE), "Sessions remain on a drained node. In check mode, the finding is a note."),
        Code("sessions-not-ended", (PENDING,), "Sessions on a drained node could not be ended."),
    ),
    "Accounts": (
        Code("offboarded-still-declared", (NOTE,), "Offboarded users are still declared, but get no account."),
        Code("users-cannot-log-in", (NOTE,), "All keys of a declared user have expired, or no users are declared."),
        Code("home-waits", (PENDING,), "A home could not be created, archived or checked.", "user"),
        Code("processes-left", (PENDING,), "Processes of an offboarded user could not be ended.", "user"),
        Code("scheduled-work-left", (PENDING,), "Scheduled work of an offboarded user (cron, at or systemd) reappeared.", "user"),
        Code("home-not-removed", (PENDING,), "A home of an offboarded user could not be removed completely.", "folder"),
        Code("operations-key-waits", (PENDING,), "The operations account's key or home directory could not be changed.", "file"),
        Code("access-file-waits", (PENDING,), "A folder is at the path of a file for keys or sudo rules.", "file"),
        Code("home-stays", (NOTE,), "The home of an offboarded user stays because something is mounted in it.", "user"),
        Code(
            "account-locked",
            (NOTE, PENDING),
            "A run removes the locked account of an offboarded user after the user's Slurm jobs have ended. The finding is a note "
            "in the node's result, and pending in the cluster's.",
            "user",
        ),
        Code("uid-taken", (NOTE,), "A UID of an offboarded user belongs to another user on the node.", "user"),
        Code(
            "rights-not-declared",
            (NOTE,),
            "A user's file with keys or sudo rules stays, because the declaration of the user does not set keys or sudo rules.",
            "user",
        ),
        Code("key-expired", (NOTE,), "A declared key has expired and is not written.", "user"),
        Code("key-shared", (NOTE,), "A key can log in to several accounts.", "fingerprint"),
        Code(
            "home-keys-left", (NOTE,), "The home of a removed account has keys, which have no effect without the account.", "file"
        ),
        Code("home-file-skipped", (NOTE,), "A file with keys was not read, or is not a plain file.", "user"),
        Code(
            "home-of-other", (NOTE,), "The home of an offboarded user belongs to a different user, so it was not changed.", "user"
        ),
    ),
    "Offboarding": (
        Code("user-in-directory", (PENDING,), "Accounts come from a directory, where the user must be disabled.", "user"),
        Code("user-may-have-access", (FAILURE,), "The user may still have access to the cluster.", "user"),
        Code("evidence-written", (NOTE,), "The evidence of an operator's action was written. Check mode writes none."),
    ),
    "Done by hand": (
        Code("not-locked", (NOTE,), "The lock to remove does not exist."),
        Code("done-by-hand", (NOTE,), "A lock or a record was removed as requested. In check mode, it would be removed.", "user"),
    ),
    "Clusters": (
        Code(
            "quota-too-low",
            (FAILURE, NOTE),
            "An AWS quota is too low for the new nodes. If a variable waives the quota, the finding is a note.",
            "quota",
        ),
        Code("quota-room", (NOTE,), "The finding compares AWS quotas with their current use and the use by the new nodes."),
        Code("quota-unknown", (NOTE,), "AWS lists no value for a quota of the new nodes, so whether it suffices is unknown."),
        Code("price", (NOTE,), "The finding gives the price of the new nodes per hour."),
        Code(
            "eks-requirement",
            (FAILURE, NOTE),
            "An EKS cluster does not meet a requirement of HyperPod. If this is unknown or only a warning, the finding is a note.",
            "requirement",
        ),
        Code(
            "maintenance-waits",
            (PENDING, FAILURE),
            "Nodes may be in use, or a saved Slurm state could not be checked, so nodes are not replaced, updated or repaired "
            "yet. If the run can't connect to the controller node, the finding is a failure.",
        ),
        Code("maintenance-next", (PENDING,), "Login nodes are left to the next run because enough of them must stay in service."),
        Code(
            "maintenance-held", (PENDING,), "Nodes stay drained after a replacement or an update because they were not configured."
        ),
        Code("maintenance-failed", (FAILURE,), "A replacement or an update failed or was not started. The text has the next step."),
        Code("maintenance-nothing", (NOTE,), "Instance groups already run the requested software."),
        Code("cluster-goes", (NOTE,), "The finding lists the nodes, volumes and jobs that are lost when a cluster is deleted."),
        Code(
            "cluster-group-scaled",
            (FAILURE,),
            "An instance group to delete belongs to a NodeClass of Karpenter, or this could not be checked.",
            "group",
        ),
        Code("cluster-group-without-scripts", (PENDING,), "New instance groups of an EKS cluster have no lifecycle script."),
        Code("cluster-made", (NOTE,), "A cluster was created; the finding gives the next step.", "cluster"),
        Code("role-trust", (NOTE,), "An IAM role's trust policy trusts more than the AWS service that needs the role.", "role"),
    ),
    "Training clusters": (
        Code("training-cluster-planned", (NOTE,), "The run printed the plan and its cost, and changed nothing."),
        Code("training-cluster-unforeseen", (NOTE,), "Check mode could not read objects of Kubernetes."),
        Code("training-cluster-cost", (FAILURE,), "The plan costs more than was accepted, or has unknown prices."),
        Code("training-cluster-blocked", (FAILURE,), "Resources of someone else block the removal of the cluster."),
        Code("training-cluster-ends", (NOTE,), "The removal or the change of nodes or add-ons ends Pods or jobs of people."),
        Code(
            "training-cluster-leaves",
            (PENDING,),
            "Kubernetes created load balancers or volumes that stay in the account after the removal of the cluster.",
        ),
        Code("training-cluster-unread", (NOTE,), "Pods, jobs, Services or volumes of the cluster could not be read."),
        Code("training-cluster-mounted", (FAILURE,), "Pods still use the file system, so it is not removed."),
        Code("training-cluster-undrained", (FAILURE,), "Nodes of a group could not be drained, so the group is not removed."),
        Code("training-cluster-unverified", (PENDING,), "Node groups of other instance types were not verified."),
        Code(
            "training-cluster-mpijobs",
            (PENDING, NOTE),
            "Two operators manage MPIJobs. The finding is a note if the operators could not be read.",
        ),
        Code("training-cluster-image", (NOTE,), "The finding has the reference of the image, with its digest."),
        Code("training-cluster-reservation-ends", (NOTE,), "A capacity reservation or capacity block ends soon.", "reservation"),
        Code("training-cluster-hop-limit", (NOTE,), "Pods can use the IAM role of their node."),
        Code("training-cluster-without-plugin", (NOTE,), "Nodes have devices for which a run installs no device plugin."),
        Code("training-cluster-private", (NOTE,), "The new API server can be reached only from inside a VPC."),
        Code("training-cluster-device-plugins", (NOTE,), "The finding has the images of the device plugins, with their digests."),
        Code("training-cluster-made", (NOTE,), "An EKS cluster was created; the finding gives the next step.", "cluster"),
    ),
    "Repair": (
        Code("remediation-planned", (NOTE,), "A repair or check of a node is planned, or no node needs a repair."),
        Code(
            "remediation-unread",
            (PENDING, FAILURE),
            "The health of nodes is unknown. If it is unknown for all nodes, the finding is a failure.",
        ),
        Code("remediation-unapproved", (PENDING,), "Planned repairs or checks are not approved, so the run skipped them."),
        Code(
            "remediation-waits",
            (PENDING,),
            "A repair or check is left to HyperPod or to a later run, is not verified yet, or did not remove a fault.",
        ),
        Code("remediation-unconfigured", (PENDING,), "A node stays drained after its repair because the run did not configure it."),
        Code("remediation-unchecked", (PENDING,), "A deep health check is left to a later run."),
        Code(
            "remediation-stopped", (FAILURE,), "Many nodes have the same fault, so no node of the cluster is repaired or checked."
        ),
        Code("remediation-escalated", (FAILURE,), "A node gets no further repair, so an operator must decide what to do."),
        Code("remediation-failed", (FAILURE,), "Not all requested repairs or checks were completed, so the nodes stay drained."),
        Code("remediation-unfit", (FAILURE,), "A node is unfit after its repair or its deep health checks."),
        Code("remediation-repaired", (NOTE,), "A node was rebooted, replaced or checked, and is fit."),
    ),
    "Topology": (
        Code(
            "topology-not-read",
            (FAILURE,),
            "The network locations of a cluster's nodes could not be read, or a job could not be submitted to the cluster.",
        ),
        Code("topology-unknown", (NOTE,), "The network location of some nodes is unknown, so jobs on them may be far apart."),
        Code("topology-job-kept", (NOTE,), "A job is placed as requested, or all jobs of a cluster were checked.", "job"),
        Code(
            "topology-job-spilled",
            (NOTE,),
            "The preferred placement of a job had no room, so the job spans more of the network.",
            "job",
        ),
        Code("topology-job-misplaced", (FAILURE,), "Pods of a job are outside the requested layer or their assigned nodes.", "job"),
        Code("topology-job-unproven", (NOTE,), "The placement or the request of a job is unknown.", "job"),
        Code("topology-job-waits", (PENDING, FAILURE), "A job waits for its placement; the finding gives the reason.", "job"),
        Code("topology-job-failed", (FAILURE,), "A job was not submitted, or has failed.", "job"),
        Code("topology-job-unseen", (PENDING,), "The caller lacks read permissions, so the run may have missed jobs."),
        Code("topology-gain", (NOTE,), "The bandwidth between nearby nodes, and between nodes that are far apart."),
        Code("topology-gain-not-measured", (NOTE, PENDING), "The gain of nearby nodes was not measured; the text has the reason."),
    ),
    "Training": (
        Code("training-passed", (NOTE,), "A training job passed its checks."),
        Code(
            "training-failed",
            (FAILURE,),
            "A training job did not pass its checks, or a check before the training jobs failed.",
            "code of the problem",
        ),
        Code("training-not-verified", (FAILURE,), "No training job ran, a check was not completed, or logs do not prove enough."),
        Code("training-none-idle", (PENDING,), "No node was idle, so a run with verify_training_idle verified nothing."),
        Code("training-not-resumed", (NOTE,), "No PersistentVolumeClaim was named, so checkpoints were not tested."),
        Code(
            "training-group-unverified",
            (PENDING, NOTE),
            "No training job ran on nodes that the cluster declares. If the group has no nodes or has Neuron devices, the finding "
            "is a note.",
        ),
        Code("training-planned", (NOTE,), "The finding describes the training job that a run outside check mode would start."),
        Code("training-image-unpatched", (NOTE,), "AWS no longer patches the image of the training jobs, or will soon stop."),
        Code("training-slower", (PENDING,), "Training is more than 10 % slower than in the previous comparable run."),
    ),
    "Karpenter": (
        Code(
            "karpenter-requirement",
            (FAILURE, NOTE),
            "A requirement of managed Karpenter is not met. If this could not be checked, the finding is a note.",
            "requirement",
        ),
        Code(
            "karpenter-ends-nodes",
            (FAILURE, NOTE),
            "Karpenter terminates the nodes of instance groups that it takes over. If karpenter_ended_groups does not list the "
            "groups, the finding is a failure.",
        ),
        Code(
            "karpenter-topology-scheduling",
            (FAILURE, NOTE),
            "Kueue's topology-aware scheduling is turned off for Karpenter. If this failed, the finding is a failure.",
        ),
        Code("karpenter-replicas", (NOTE,), "A ScaledObject keeps at least one Pod, so at least one node stays.", "ScaledObject"),
        Code("karpenter-goes", (NOTE,), "NodePools or NodeClasses are deleted with their nodes, or a group leaves a NodeClass."),
        Code("karpenter-held", (PENDING,), "Nodes of removed NodePools still exist; the finding gives the reason.", "NodeClaim"),
        Code("karpenter-used", (PENDING,), "Karpenter or a NodeClass stays because other objects use it."),
        Code("karpenter-role", (NOTE,), "Karpenter no longer uses an IAM role, which the run does not remove.", "role"),
        Code(
            "karpenter-proof", (NOTE,), "A test Pod ran on a new node of a NodePool, or a later run must do this test.", "NodePool"
        ),
        Code("karpenter-group-gone", (NOTE,), "A NodeClass names an instance group that the cluster lacks.", "instance group"),
        Code("karpenter-waits", (NOTE,), "A Pod waits for a node; the finding gives the reason.", "pod"),
    ),
    "Events": (
        Code("events-do-not-arrive", (PENDING,), "The rule or the queue for events is missing, disabled or changed.", "rule"),
        Code(
            "events-not-received",
            (PENDING,),
            "The oldest event has waited too long in the queue, so ansible-rulebook is down or does not receive from it.",
            "queue",
        ),
        Code(
            "events-dead-letters",
            (PENDING,),
            "The dead-letter queue has messages that EventBridge could not deliver, or that ended ansible-rulebook.",
            "queue",
        ),
        Code("events-rulebook-kept", (PENDING,), "The rulebook was not written, because a queue was not set up.", "path"),
        Code(EVENTS_SHARED, (NOTE,), "The events of the cluster are set up together with those of another cluster.", "cluster"),
    ),
    "Task governance": (
        Code("governance-requirement", (FAILURE,), "A requirement of task governance is not met.", "requirement"),
        Code("governance-team", (NOTE,), "The finding lists the compute and the submitters that a team gains or loses.", "team"),
        Code("governance-priorities", (NOTE,), "Priority classes are removed, so tasks that name them are no longer admitted."),
        Code("governance-disabled", (NOTE,), "Compute quotas of teams are disabled, and no activation_state is declared for them."),
        Code("governance-unnamed", (NOTE,), "Compute quotas of teams that are not declared are left unchanged."),
        Code(
            "governance-karpenter",
            (PENDING, NOTE),
            "Kueue uses topology-aware scheduling on a cluster with Karpenter. If this is unknown, the finding is a note.",
        ),
        Code("governance-pod-security", (NOTE,), "Pods violate the Pod Security level of their namespace.", "namespace"),
        Code("governance-kept", (PENDING,), "Quotas or a scheduler configuration that are not declared were not removed."),
    ),
    "Adoption": (
        Code("balancer-adopted", (NOTE,), "The load balancer is adopted, or would be.", "load balancer"),
        Code("host-keys-adopted", (NOTE,), "The finding states whether the host keys are adopted, and if not, why."),
        Code("keys-not-adoptable", (FAILURE,), "The host keys of the login nodes can't be adopted."),
        Code("accounts-differ", (NOTE,), "Accounts on nodes differ from the declaration, or are not declared."),
        Code("nodes-not-checked", (NOTE,), "Nodes did not answer or could not be reached, so they were not checked."),
        Code("enforce-refused", (NOTE,), "login_access_mode=enforce would be refused on the node.", "node"),
        Code("enforce-would-change", (NOTE,), "The finding gives a change that login_access_mode=enforce would make.", "node"),
        Code(
            "enforce-would-install", (NOTE,), "login_access_mode=enforce would install parts on login nodes; the text names them."
        ),
    ),
    "Jobs": (
        Code(
            "jobs-running",
            (PENDING, NOTE, FAILURE),
            "Jobs are on nodes that the run will replace, update or repair. In check mode, the finding is a note. If the run must "
            "not wait for jobs, it is a failure.",
        ),
        Code("jobs-unknown", (PENDING,), "The user's jobs could not be queried from Slurm.", "user"),
        Code("jobs-not-ended", (PENDING,), "Cancelled jobs did not end in time.", "user"),
        Code(
            "jobs-go-on",
            (NOTE, PENDING),
            "Jobs of an offboarded user continue. The finding is a note in the node's result, and pending in the cluster's.",
            "user or job",
        ),
        Code("slurm-account-unknown", (PENDING,), "The user's Slurm account could not be queried.", "user"),
        Code("slurm-account-stays", (PENDING,), "The Slurm account stays while the user has jobs.", "user"),
    ),
    "Accelerators": (
        Code(
            "accelerators-common",
            (FAILURE, PENDING, NOTE),
            "Many nodes have the same fault. The cause is probably the image, driver, thresholds or a tool, not the hardware.",
        ),
        Code("accelerators-coverage", (NOTE,), "The finding gives the number of checked nodes and their verdicts."),
        Code("accelerators-disagree", (NOTE,), "HyperPod or Slurm disagrees with the verdict on a node."),
        Code("accelerators-slurm", (NOTE,), "Slurm could not be queried, so the states and jobs of nodes are unknown."),
        Code(
            "accelerators-unseen",
            (FAILURE, PENDING, NOTE),
            "A part of the node's accelerators could not be checked, so it is unknown whether the node is fit.",
        ),
        Code("driver-hangs", (FAILURE, PENDING), "A tool's call to the driver does not return.", "tool"),
        Code("driver-mismatch", (FAILURE,), "The versions of NVIDIA's libraries and of the loaded driver differ."),
        Code("driver-not-loaded", (FAILURE, PENDING), "NVIDIA's driver is not loaded."),
        Code("efa-down", (FAILURE, PENDING), "The port of an EFA device is not active, or its state is unknown.", "device"),
        Code("efa-error", (FAILURE, PENDING, NOTE), "The kernel reported that an EFA device does not answer its driver.", "device"),
        Code("efa-errors", (NOTE,), "An EFA device reports more than one local error per second.", "device"),
        Code("efa-missing", (FAILURE, PENDING), "The node has fewer EFA devices than its instance type should have."),
        Code("efa-not-offered", (NOTE, PENDING), "libfabric offers fewer EFA devices than the kernel lists."),
        Code("efa-security-groups", (NOTE,), "The security groups of nodes do not allow EFA traffic between them."),
        Code("fabric-manager-down", (FAILURE, PENDING), "The fabric manager does not run on a board with NVSwitches.", "service"),
        Code("fabric-manager-version", (NOTE,), "The versions of the fabric manager and of the driver differ.", "service"),
        Code(
            "gpu-dcgm",
            (FAILURE, PENDING, NOTE),
            "A GPU or the node fails a DCGM test. If the node is still fit, the finding is a note.",
            "GPU",
        ),
        Code("gpu-fabric", (FAILURE, PENDING), "A GPU is not part of the NVLink fabric.", "GPU"),
        Code(
            "gpu-fabric-health",
            (FAILURE, PENDING, NOTE),
            "The driver reports a fault of the NVLink fabric. If only its configuration is incorrect, the finding is a note.",
            "GPU",
        ),
        Code("dcgm-not-run", (PENDING,), "The requested level of dcgmi diag ran on no node.", "test"),
        Code("gpu-held-back", (NOTE,), "The hardware or the driver throttles a GPU under load to limit heat or power.", "GPU"),
        Code("gpu-hot", (NOTE,), "A GPU is at its temperature limit.", "GPU"),
        Code("gpu-inforom", (FAILURE, PENDING, NOTE), "The infoROM of a GPU is damaged.", "GPU"),
        Code("gpu-lost", (FAILURE,), "A GPU does not answer the driver.", "GPU"),
        Code("gpu-memory-unrepairable", (FAILURE,), "A GPU has memory beyond repair.", "GPU"),
        Code(
            "gpu-missing",
            (FAILURE, PENDING),
            "The node has fewer GPUs than its instance type should have, or the driver or the PCIe bus lacks one.",
            "GPU",
        ),
        Code("gpu-nvlink-down", (FAILURE, PENDING), "A GPU has fewer NVLinks than its type should have.", "GPU"),
        Code("gpu-nvlink-errors", (NOTE,), "NVLinks of a GPU retransmit, recover, or fail to correct errors.", "GPU"),
        Code("gpu-pages-retired", (FAILURE,), "A GPU without row remapping has retired too many pages.", "GPU"),
        Code(
            "gpu-pcie-width",
            (NOTE, FAILURE),
            "A GPU has fewer PCIe lanes than the node's other GPUs. If a reboot did not help, the finding is a failure.",
            "GPU",
        ),
        Code("gpu-recovery-action", (FAILURE, PENDING), "The driver reports that a GPU needs a recovery action.", "GPU"),
        Code("gpu-repair-pending", (FAILURE,), "A GPU waits for a reset to repair its memory.", "GPU"),
        Code("gpu-reset-required", (FAILURE,), "A GPU needs a reset.", "GPU"),
        Code("gpu-rows-failed", (FAILURE,), "A GPU could not remap a row of its memory.", "GPU"),
        Code(
            "gpu-rows-pending",
            (NOTE, FAILURE),
            "A GPU waits for a reset to remap a row or retire a page. If a reboot did not help, the finding is a failure.",
            "GPU",
        ),
        Code("gpu-sram", (FAILURE,), "A GPU has more SRAM errors than NVIDIA accepts.", "GPU"),
        Code(
            "gpu-unreadable",
            (NOTE, PENDING),
            "The driver could not read some values of a GPU. If it is unknown whether the GPU is fit, the finding is pending.",
            "GPU",
        ),
        Code(
            "gpu-xid",
            (FAILURE, PENDING, NOTE),
            "The kernel reported an Xid that no job caused. If the node is still fit, the finding is a note.",
            "GPU",
        ),
        Code("gpu-xid-unconfirmed", (NOTE,), "The kernel reported an Xid, and the GPU shows no other sign of the fault.", "GPU"),
        Code("job-xid", (NOTE,), "The kernel reported an Xid that a job caused, and the GPU keeps working.", "GPU"),
        Code("kernel-log-stranger", (NOTE,), "The kernel log has driver records of devices that the node lacks."),
        Code("locked-memory", (NOTE,), "The limit of locked memory of the service that starts jobs is too low for EFA.", "service"),
        Code("nccl-failed", (NOTE,), "An NCCL test returned wrong values, or a GPU failed during the test.", "nodes"),
        Code("nccl-no-efa", (NOTE,), "An NCCL test between nodes used sockets instead of EFA.", "nodes"),
        Code("nccl-no-gdr", (NOTE,), "EFA carried an NCCL test without GPUDirect RDMA.", "nodes"),
        Code(
            "nccl-not-run",
            (PENDING, NOTE),
            "An NCCL test did not run, or failed for a reason outside the nodes, so it proves nothing about them.",
            "nodes",
        ),
        Code("nccl-slow", (NOTE,), "An NCCL test was slower than usual for such nodes.", "nodes"),
        Code("image-not-pinned", (NOTE,), "An image that runs as root on nodes is referenced by a tag, which can change.", "image"),
        Code("neuron-error", (NOTE,), "The Neuron runtime reported a hardware error."),
        Code("neuron-memory", (FAILURE,), "A Neuron device has uncorrected memory errors.", "device"),
        Code("neuron-missing", (FAILURE, PENDING), "The node has fewer Neuron devices than its instance type should have."),
        Code(
            "nvswitch-sxid",
            (FAILURE, PENDING, NOTE),
            "The kernel reported an SXid of an NVSwitch. If the node is still fit, the finding is a note.",
            "NVSwitch",
        ),
    ),
}

CODES: t.Mapping[str, Code] = {code.name: code for codes in AREAS.values() for code in codes}
