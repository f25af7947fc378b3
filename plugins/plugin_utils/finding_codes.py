# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All codes of findings: what programs count and act on. docs/reference/findings.md is written from this table.

A code keeps its meaning for good. What a module or a role tells under a code that is not here counts as ``unknown``.
"""

from __future__ import annotations

import typing as t
from dataclasses import dataclass

FAILURE, PENDING, NOTE = "failure", "pending", "note"


@dataclass(frozen=True)
class Code:
    """One kind of thing that is found."""

    name: str
    kinds: tuple[str, ...]
    """Those that findings of this code may have."""
    says: str
    """What it means, in one sentence."""
    subject: str = ""
    """What a finding's subject is, if it has one."""


UNKNOWN, TASK_FAILED, UNREACHABLE = "unknown", "task-failed", "node-unreachable"
NODE_FAILED = "node-failed"
LOCK_HELD, NOT_LOOKED_AT = "lock-held", "not-looked-at"
NOT_SLURM, NOT_EKS, NOT_SELECTED, NOTHING_DECLARED = "not-slurm", "not-eks", "not-selected", "nothing-declared"
LEFT_AS_IT_IS = (NOT_SLURM, NOT_EKS, NOT_SELECTED, NOTHING_DECLARED)
"""Reasons for which nothing was asked about a cluster."""

AREAS: t.Mapping[str, tuple[Code, ...]] = {
    "Every run": (
        Code(TASK_FAILED, (FAILURE,), "A task failed, and its module gave no code of its own.", "task"),
        Code("module-failed", (FAILURE,), "What the module asked for did not work."),
        Code("option-refused", (FAILURE,), "An option or a variable is wrong, and nothing was changed.", "option"),
        Code(UNREACHABLE, (PENDING,), "The node did not answer over SSH or Session Manager."),
        Code(NODE_FAILED, (PENDING,), "A task failed on the node, which the rest of the run left out.", "code of the failure"),
        Code(LOCK_HELD, (NOTE,), "Another run holds the lock of the cluster, so this run left it as it is."),
        Code(NOT_EKS, (NOTE,), "The playbook is for clusters with EKS, and this is none."),
        Code(NOT_SELECTED, (NOTE,), "What was asked for is for another cluster.", "option"),
        Code(
            NOTHING_DECLARED,
            (NOTE, FAILURE),
            "What the playbook keeps is not declared for the cluster; a failure if it is not declared for any cluster of the run.",
        ),
        Code(NOT_SLURM, (NOTE,), "The playbook is for clusters with Slurm, and this is none."),
        Code(NOT_LOOKED_AT, (NOTE,), "No task asked AWS or a node about the cluster."),
        Code(
            UNKNOWN,
            (FAILURE, PENDING, NOTE),
            "A result had a code that this table lacks, as of a node that somebody else controls.",
        ),
    ),
    "Readiness gate": (
        Code("gate-host-keys", (PENDING,), "sshd on the node does not present the host keys that it should."),
        Code("gate-host-certificates", (PENDING,), "A host certificate is missing, is another one, or has ended."),
        Code("gate-sshd", (PENDING,), "sshd does not accept its files, or its files are not as they should be."),
        Code("gate-users", (PENDING,), "Users that the node should have are missing, or have another UID."),
        Code(
            "gate-mounts",
            (PENDING, NOTE),
            "A file system is missing or does not answer; a note where the gate stays open for all that.",
        ),
        Code("gate-ports", (PENDING,), "A port of the gate is taken, or any user could take it."),
        Code("node-clock-wrong", (FAILURE,), "The clock of the node is wrong by more than five minutes."),
        Code("gate-check", (PENDING,), "The check of the node itself failed."),
        Code("gate-kept-open", (NOTE,), "The gate stays open, because the node is as was expected before."),
        Code("gate-closed-itself", (NOTE,), "The node closed its gate between two runs."),
    ),
    "Result of the run": (
        Code("cluster-locked", (FAILURE,), "Another run holds the lock of the cluster, and this one was not to skip it."),
        Code("cluster-not-usable", (FAILURE,), "The cluster is gone, being made or deleted, or failed."),
        Code("order-not-carried-out", (FAILURE,), "What an extra variable asked for by name was not done, or not whole.", "option"),
        Code("plans-failed", (FAILURE,), "What is declared of users and groups fits too few nodes, so no node was changed."),
        Code("other-nodes-failed", (PENDING,), "Several login nodes failed in their turn, so this one was not changed."),
        Code("login-nodes-failed", (FAILURE,), "All login nodes failed or were unreachable, so none was taken out of service."),
        Code("change-failed", (FAILURE,), "A change failed on most login nodes that got it, so the others did not get it."),
        Code("run-stops", (FAILURE,), "The run stops for the cluster, because of a failure that stands beside."),
        Code("variables-unused", (NOTE,), "Variables that begin like those of the collection, and that nobody reads."),
        Code("nothing-selected", (FAILURE,), "--tags and --skip-tags select no task of the playbook."),
        Code("cluster-failed", (FAILURE,), "The report has failures of the cluster, so the run fails at its end."),
        Code("cluster-degraded", (FAILURE,), "Something is pending, and hyperpod_degraded_fails is true."),
        Code("inventory-not-read", (FAILURE,), "The inventory could not read an account, a Region or a cluster."),
    ),
    "Status": (
        Code("status-not-read", (PENDING, FAILURE), "A part of the status, or all of it, could not be read.", "part"),
        Code("cluster-not-in-service", (PENDING,), "The cluster is not InService."),
        Code("login-node-not-asked", (PENDING,), "A login node did not tell when its host certificates end."),
        Code("host-certificate-ends", (NOTE, FAILURE), "A host certificate ends soon, or has ended.", "type"),
        Code(
            "vpn-certificate-ends",
            (NOTE, FAILURE),
            "A certificate or the CRL of the Client VPN ends soon, or has ended.",
            "part or user",
        ),
        Code(
            "lifecycle-script-changed",
            (PENDING, NOTE),
            "A lifecycle script in S3 differs from the uploaded one; a note if this run uploads it again.",
            "object",
        ),
        Code("lifecycle-object-unknown", (NOTE,), "The folder of lifecycle scripts has objects that no run uploaded.", "folder"),
        Code("lifecycle-digests-not-readable", (PENDING,), "The recorded digests of lifecycle scripts can't be read.", "parameter"),
        Code(
            "lifecycle-bucket",
            (FAILURE,),
            "The bucket of lifecycle scripts belongs to another account, is missing or can't be read.",
            "option",
        ),
        Code("lock-left", (NOTE,), "A run that has ended still holds the lock of the cluster."),
        Code("last-run", (NOTE,), "The last run left the cluster degraded, skipped or failed."),
    ),
    "Nodes": (
        Code(
            "node-not-reached",
            (PENDING, NOTE),
            "No access to the node, or none is wanted in this run; a note for a node without a trust record.",
        ),
        Code("host-key-changed", (PENDING,), "The node has another host key than its trust record, on the same disk."),
        Code("node-would-gain-access", (NOTE,), "Check mode: a run would gain access to the node."),
        Code("node-trusted", (NOTE,), "The node was trusted anew, with this host key."),
        Code("users-not-everywhere", (PENDING,), "Some nodes have not got what was declared of users."),
        Code("record-not-readable", (NOTE,), "A parameter among the records of the cluster is none.", "parameter"),
    ),
    "Host keys": (
        Code("host-keys-not-trusted", (FAILURE,), "The node has host keys that are not in its trust record."),
        Code("host-keys-not-seen", (FAILURE,), "The host keys of login nodes could not be read from a node."),
        Code("other-host-keys", (PENDING,), "A login node presents host keys that differ from the expected ones.", "port"),
        Code("host-keys-disputed", (PENDING,), "Nodes contradict each other about the host keys of a login node.", "port"),
        Code("host-keys-unverified", (PENDING,), "Neither the controller nor another node could read a login node's host keys."),
        Code("same-host-keys", (NOTE,), "Login nodes that should have own host keys have the same."),
        Code("host-keys-announced", (NOTE,), "The next host keys are announced."),
        Code("known-hosts-needed", (NOTE,), "ssh clients refuse to connect until their users install the new known_hosts."),
        Code("new-host-keys-not-learned", (NOTE,), "Who has, or may have, not logged in since the new host keys were announced."),
    ),
    "Drained nodes": (
        Code("node-drained", (NOTE,), "The node is drained: by whom, since when and why."),
        Code("drained-node-gone", (NOTE,), "A drained node is gone, and its record is removed."),
        Code("drained-node-not-reached", (PENDING,), "A drained node could not be reached, so it may still take logins."),
    ),
    "Access report": (
        Code("node-not-read", (PENDING,), "The node did not tell who can log in."),
        Code("file-not-read", (PENDING,), "A node could not read a file that may let somebody in."),
    ),
    "Client VPN": (
        Code("vpn-change-waits", (PENDING,), "A change waits, because it would disconnect users.", "change"),
        Code("crl-waits", (PENDING,), "The endpoint does not know the new CRL, because an import disconnects users.", "endpoint"),
        Code("crl-import-disconnects", (NOTE,), "The import of a CRL disconnects users.", "endpoint"),
        Code("vpn-missing", (FAILURE,), "There is no Client VPN endpoint yet.", "VPC"),
        Code("vpn-stays", (NOTE,), "Other clusters use the Client VPN, so it stays.", "VPC"),
        Code("vpn-group-stays", (NOTE,), "Rules refer to the security group of the Client VPN, so it stays.", "security group"),
        Code("profiles-written", (NOTE,), "Where the profiles of users are."),
        Code("nothing-to-revoke", (NOTE,), "No valid certificate of the user is known, so none was revoked.", "user"),
        Code("crl-did-not-wait", (NOTE,), "The import did not wait, because the CRL in force ends.", "endpoint"),
    ),
    "Load balancer": (
        Code("cluster-without-vpc", (FAILURE,), "The cluster was created without VpcConfig."),
        Code("cluster-without-login-nodes", (FAILURE,), "No instance group of the cluster has node type login."),
        Code("no-such-load-balancer", (FAILURE, PENDING), "There is no load balancer yet; pending in the status."),
        Code("who-may-connect", (NOTE,), "Everybody or nobody may connect to the load balancer."),
        Code("balancer-without-groups", (NOTE,), "The adopted load balancer can have no security groups.", "load balancer"),
        Code("node-rules-needed", (NOTE,), "Rules that somebody else has to add to the nodes' security groups."),
        Code(
            "health-check-elsewhere",
            (NOTE,),
            "The health check uses another port until all targets are verified.",
            "target group",
        ),
        Code("targets-not-handed-back", (FAILURE,), "An adopted target group can't be handed back yet.", "target group"),
        Code("no-login-service", (FAILURE,), "No login node is in service, so nobody can log in."),
        Code("login-service-starting", (PENDING,), "No login node is in service yet; AWS is at work on a registration."),
        Code("login-nodes-all-drained", (PENDING,), "No login node is in service, because all of them are drained."),
        Code("target-held", (PENDING,), "A login node is not registered, or not deregistered, yet.", "port or address"),
        Code(
            "target-stays",
            (PENDING, FAILURE),
            "A target that should go stays, for a doubt or for login_balancer_minimum_healthy.",
            "port or address",
        ),
        Code("login-node-out", (PENDING,), "A login node that could not be verified was taken out of service.", "port or address"),
        Code("target-not-healthy", (PENDING,), "A registered login node is not healthy.", "port or address"),
        Code("target-starting", (NOTE,), "A login node was registered in this run and is not healthy yet.", "port or address"),
        Code("targets-at-former-port", (NOTE,), "Users still come to login nodes at the port of before."),
        Code("targets-all-unhealthy", (NOTE,), "All targets are unhealthy, so the load balancer sends users to all of them."),
    ),
    "Sessions": (
        Code("sessions-open", (PENDING, NOTE), "Sessions are left on a drained node; a note in check mode."),
        Code("sessions-not-ended", (PENDING,), "Sessions on a drained node could not be ended."),
    ),
    "Accounts": (
        Code("offboarded-still-declared", (NOTE,), "Users who were offboarded are still declared; they get no account."),
        Code("users-cannot-log-in", (NOTE,), "Declared users who can't log in, or nobody is declared."),
        Code("home-waits", (PENDING,), "A home could not be made, archived or looked at.", "user"),
        Code("processes-left", (PENDING,), "Processes of an offboarded user could not be ended.", "user"),
        Code("scheduled-work-left", (PENDING,), "cron, at or systemd work of an offboarded user came back.", "user"),
        Code("home-not-removed", (PENDING,), "A home of an offboarded user could not be removed whole.", "folder"),
        Code("operations-key-waits", (PENDING,), "A key could not be added to the operations user's file.", "file"),
        Code("home-stays", (NOTE,), "Something is mounted in the home of an offboarded user, so it stays.", "user"),
        Code(
            "account-locked",
            (NOTE, PENDING),
            "The account of an offboarded user is locked, and goes when Slurm jobs have ended.",
            "user",
        ),
        Code("uid-taken", (NOTE,), "A UID of an offboarded user belongs to another user on the node.", "user"),
        Code(
            "rights-not-declared",
            (NOTE,),
            "Keys or sudo rules that were given earlier stay, because nothing is declared now.",
            "user",
        ),
        Code("key-expired", (NOTE,), "A declared key has expired and is not written.", "user"),
        Code("key-shared", (NOTE,), "A key opens several accounts.", "fingerprint"),
        Code("home-keys-left", (NOTE,), "A home has keys that open nothing while the account is gone.", "file"),
        Code("home-file-skipped", (NOTE,), "A file with keys was not read, or is not what it seems.", "user"),
        Code("home-of-other", (NOTE,), "A home belongs to somebody else, and stays.", "user"),
    ),
    "Offboarding": (
        Code("user-in-directory", (PENDING,), "Accounts come from a directory, where somebody has to disable the user.", "user"),
        Code("user-may-have-access", (FAILURE,), "The user may still have access to the cluster.", "user"),
        Code("evidence-written", (NOTE,), "Where the evidence of what was done by hand is."),
    ),
    "Done by hand": (
        Code("not-locked", (NOTE,), "No run holds the lock that was to be removed."),
        Code("done-by-hand", (NOTE,), "A lock or a record was removed, or would be in check mode.", "user"),
    ),
    "Clusters": (
        Code("quota-too-low", (FAILURE, NOTE), "A quota of AWS is too low for the nodes that are added.", "quota"),
        Code("quota-room", (NOTE,), "What is used of AWS's quotas, and what the nodes that are added take besides."),
        Code("quota-unknown", (NOTE,), "AWS tells no value of a quota that the nodes take from."),
        Code("price", (NOTE,), "What the nodes that are added cost an hour."),
        Code("eks-requirement", (FAILURE, NOTE), "What HyperPod needs of an EKS cluster or its subnets and lacks.", "requirement"),
        Code("maintenance-waits", (PENDING, FAILURE), "Nodes are not replaced or updated while jobs or sessions are on them."),
        Code("maintenance-next", (PENDING,), "Login nodes are left for the next run, since they must stay in service until then."),
        Code("maintenance-held", (PENDING,), "Nodes stay drained after they were replaced or updated: they were not configured."),
        Code("maintenance-failed", (FAILURE,), "AWS did not replace or update nodes, which stay drained."),
        Code("maintenance-nothing", (NOTE,), "Groups have the software already that was asked for."),
        Code("cluster-goes", (NOTE,), "What goes with a cluster that is deleted: nodes, volumes, jobs."),
        Code(
            "cluster-group-scaled",
            (FAILURE,),
            "An instance group that goes is under a NodeClass of Karpenter, or whether it is can't be read.",
            "group",
        ),
        Code("cluster-group-without-scripts", (PENDING,), "New instance groups of a cluster with EKS have no lifecycle script."),
        Code("cluster-made", (NOTE,), "A cluster was created, and what comes next.", "cluster"),
        Code("role-trust", (NOTE,), "The trust policy of an IAM role allows more than the service that it is for.", "role"),
    ),
    "Repair": (
        Code("remediation-planned", (NOTE,), "What would be done to a node that is unfit or to be checked; or nothing would."),
        Code("remediation-unread", (PENDING, FAILURE), "Nodes whose health is unknown; a failure if that is so for all."),
        Code("remediation-unapproved", (PENDING,), "Something is to be done to nodes, and nobody has agreed to this plan yet."),
        Code("remediation-waits", (PENDING,), "A repair or check is left to the service, to another run, or not seen to its end."),
        Code("remediation-unconfigured", (PENDING,), "A node stays drained after its repair, because it was not configured."),
        Code("remediation-unchecked", (PENDING,), "A deep health check is left to a later run."),
        Code("remediation-stopped", (FAILURE,), "Many nodes have the same, so none of the cluster is repaired or checked."),
        Code("remediation-escalated", (FAILURE,), "A person must decide about a node: no further repair is made."),
        Code("remediation-failed", (FAILURE,), "AWS did not reboot, replace or check nodes, which stay drained."),
        Code("remediation-unfit", (FAILURE,), "A node is unfit after its repair or its deep health checks."),
        Code("remediation-repaired", (NOTE,), "A node was rebooted, replaced or checked, and is fit."),
    ),
    "Topology": (
        Code("topology-not-read", (FAILURE,), "Nobody told where the nodes of a cluster are, or took a job for it."),
        Code("topology-unknown", (NOTE,), "The place of some nodes in the network is not known, so their jobs may be spread."),
        Code("topology-job-kept", (NOTE,), "A job is placed as asked; or how many jobs were looked at.", "job"),
        Code("topology-job-spilled", (NOTE,), "What a job preferred had no room, so it takes more of the network.", "job"),
        Code("topology-job-misplaced", (FAILURE,), "Pods have left the layer that was asked for, or their nodes.", "job"),
        Code("topology-job-unproven", (NOTE,), "Nobody tells where the pods of a job are, or what it asks for.", "job"),
        Code("topology-job-waits", (PENDING, FAILURE), "A job waits for its place, and why.", "job"),
        Code("topology-job-failed", (FAILURE,), "A job was not submitted, or has failed.", "job"),
        Code("topology-job-unseen", (PENDING,), "Something that the caller may not see, so jobs may be missing in the proof."),
        Code("topology-gain", (NOTE,), "How fast near and spread nodes exchange data."),
        Code("topology-gain-not-measured", (NOTE, PENDING), "Why it was not measured what jobs gain by near nodes."),
    ),
    "Karpenter": (
        Code("karpenter-requirement", (FAILURE, NOTE), "What managed Karpenter asks for and lacks.", "requirement"),
        Code("karpenter-ends-nodes", (FAILURE, NOTE), "Nodes that Karpenter ends, since their group comes under it."),
        Code("karpenter-topology-scheduling", (FAILURE, NOTE), "Kueue's topology-aware scheduling is switched off for Karpenter."),
        Code("karpenter-replicas", (NOTE,), "Pods that are never scaled to none, and so keep a node.", "ScaledObject"),
        Code("karpenter-goes", (NOTE,), "What goes with Karpenter or leaves it: NodePools, groups, nodes, pods."),
        Code("karpenter-held", (PENDING,), "Nodes that do not go, since pods or budgets hold them.", "NodeClaim"),
        Code("karpenter-used", (PENDING,), "Karpenter or a NodeClass stays, since others use it."),
        Code("karpenter-role", (NOTE,), "An IAM role that Karpenter has no more.", "role"),
        Code("karpenter-proof", (NOTE,), "What the proof of a NodePool costs, and how it went.", "NodePool"),
        Code("karpenter-group-gone", (NOTE,), "An instance group that a NodeClass names and the cluster lacks.", "instance group"),
        Code("karpenter-waits", (NOTE,), "A pod that waits for a node, and why.", "pod"),
    ),
    "Task governance": (
        Code("governance-requirement", (FAILURE,), "What task governance asks for and lacks.", "requirement"),
        Code("governance-team", (NOTE,), "What a team gains or loses: compute, and who may submit.", "team"),
        Code("governance-priorities", (NOTE,), "Priority classes go, which tasks may name."),
        Code("governance-disabled", (NOTE,), "Compute quotas of teams are not in force, and nobody says that they are to be."),
        Code("governance-unnamed", (NOTE,), "Compute quotas of teams that nobody named are left alone."),
        Code(
            "governance-karpenter",
            (PENDING, NOTE),
            "Kueue schedules by topology on a cluster that Karpenter scales; a note where that can't be read.",
        ),
        Code("governance-pod-security", (NOTE,), "Pods violate the level of Pod Security that their namespace gets.", "namespace"),
        Code("governance-kept", (PENDING,), "What stays of task governance, since nobody named it."),
    ),
    "Adoption": (
        Code("balancer-adopted", (NOTE,), "Which load balancer is adopted, or would be.", "load balancer"),
        Code("host-keys-adopted", (NOTE,), "Which host keys are adopted, or would be, or why not."),
        Code("keys-not-adoptable", (FAILURE,), "The host keys of the login nodes can't be adopted."),
        Code("accounts-differ", (NOTE,), "Accounts on nodes that differ from the declaration, or are not declared."),
        Code("nodes-not-checked", (NOTE,), "Nodes that did not answer, or to which there is no access."),
        Code("enforce-refused", (NOTE,), "login_access_mode=enforce would be refused on the node.", "node"),
        Code("enforce-would-change", (NOTE,), "login_access_mode=enforce would change this.", "node"),
        Code("enforce-would-install", (NOTE,), "login_access_mode=enforce would install this on login nodes."),
    ),
    "Jobs": (
        Code("jobs-running", (PENDING, NOTE, FAILURE), "Jobs are on nodes that are to be replaced or updated."),
        Code("jobs-unknown", (PENDING,), "Slurm did not tell which jobs the user has.", "user"),
        Code("jobs-not-ended", (PENDING,), "Cancelled jobs have not ended in time.", "user"),
        Code(
            "jobs-go-on",
            (NOTE, PENDING),
            "Jobs of an offboarded user go on; pending in the verdict of the cluster.",
            "user or job",
        ),
        Code("slurm-account-unknown", (PENDING,), "Slurm did not tell whether the user has an account.", "user"),
        Code("slurm-account-stays", (PENDING,), "The Slurm account stays while there are jobs.", "user"),
    ),
    "Accelerators": (
        Code(
            "accelerators-common",
            (FAILURE, PENDING, NOTE),
            "The same makes many nodes unfit: rather image, driver, profile or tool than the hardware of all of them.",
        ),
        Code("accelerators-coverage", (NOTE,), "How many nodes were looked at, and the verdicts on them."),
        Code("accelerators-disagree", (NOTE,), "HyperPod or Slurm say something else of a node than was found."),
        Code("accelerators-slurm", (NOTE,), "Slurm was not asked, so states and jobs of nodes are not known."),
        Code(
            "accelerators-unseen",
            (FAILURE, PENDING, NOTE),
            "Something of the node's accelerators could not be looked at, so nobody can say that it is fit.",
        ),
        Code("driver-hangs", (FAILURE, PENDING), "A call of a tool into the driver does not come back.", "tool"),
        Code("driver-mismatch", (FAILURE,), "NVIDIA's libraries are of another version than the driver that is loaded."),
        Code("driver-not-loaded", (FAILURE, PENDING), "NVIDIA's driver is not loaded."),
        Code("efa-down", (FAILURE, PENDING), "The port of an EFA device is not active.", "device"),
        Code("efa-error", (FAILURE, PENDING, NOTE), "The kernel reported that an EFA device does not answer its driver.", "device"),
        Code("efa-errors", (NOTE,), "An EFA device has errors of its own, more than one a second.", "device"),
        Code("efa-missing", (FAILURE, PENDING), "The node has fewer EFA devices than its type."),
        Code("efa-not-offered", (NOTE, PENDING), "libfabric offers fewer EFA devices than the kernel."),
        Code("efa-security-groups", (NOTE,), "The security groups of nodes do not let EFA pass between them."),
        Code("fabric-manager-down", (FAILURE, PENDING), "The fabric manager does not run on a board with NVSwitches.", "service"),
        Code("fabric-manager-version", (NOTE,), "The fabric manager and the driver are of different versions.", "service"),
        Code(
            "gpu-dcgm",
            (FAILURE, PENDING, NOTE),
            "A GPU, or the node, fails a test of DCGM; a note where it makes no node unfit.",
            "GPU",
        ),
        Code("gpu-fabric", (FAILURE, PENDING), "A GPU is not part of the NVLink fabric.", "GPU"),
        Code(
            "gpu-fabric-health",
            (FAILURE, PENDING, NOTE),
            "The driver reports a fault of the NVLink fabric; a note where it is set up wrongly.",
            "GPU",
        ),
        Code("gpu-held-back", (NOTE,), "The hardware or the driver holds back a GPU under load: heat or power.", "GPU"),
        Code("gpu-hot", (NOTE,), "A GPU is at the limit of its temperature.", "GPU"),
        Code("gpu-inforom", (FAILURE, PENDING, NOTE), "The infoROM of a GPU is damaged.", "GPU"),
        Code("gpu-lost", (FAILURE,), "A GPU does not answer the driver.", "GPU"),
        Code("gpu-memory-unrepairable", (FAILURE,), "A GPU has memory beyond repair.", "GPU"),
        Code("gpu-missing", (FAILURE, PENDING), "The node has fewer GPUs than its type, or than it had.", "GPU"),
        Code("gpu-nvlink-down", (FAILURE, PENDING), "A GPU has fewer NVLinks than its type.", "GPU"),
        Code("gpu-nvlink-errors", (NOTE,), "NVLinks of a GPU send again, recover, or fail to correct errors.", "GPU"),
        Code("gpu-pages-retired", (FAILURE,), "A GPU without row remapping has retired too many pages.", "GPU"),
        Code(
            "gpu-pcie-width",
            (NOTE, FAILURE),
            "A GPU has fewer PCIe lanes than the others of the node; a failure if a reboot did not mend it.",
            "GPU",
        ),
        Code("gpu-recovery-action", (FAILURE, PENDING), "The driver says that a GPU needs a recovery action.", "GPU"),
        Code("gpu-repair-pending", (FAILURE,), "A GPU waits for a reset to repair its memory.", "GPU"),
        Code("gpu-reset-required", (FAILURE,), "A GPU needs a reset.", "GPU"),
        Code("gpu-rows-failed", (FAILURE,), "A GPU could not remap a row of its memory.", "GPU"),
        Code(
            "gpu-rows-pending",
            (NOTE, FAILURE),
            "A GPU waits for a reset to remap a row; a failure if a reboot did not do it.",
            "GPU",
        ),
        Code("gpu-sram", (FAILURE,), "A GPU has more errors in its SRAM than NVIDIA takes for sound.", "GPU"),
        Code("gpu-unreadable", (NOTE, PENDING), "The driver could not read some values of a GPU.", "GPU"),
        Code(
            "gpu-xid",
            (FAILURE, PENDING, NOTE),
            "The kernel reported an Xid that is not a job's doing; a note where it makes no node unfit.",
            "GPU",
        ),
        Code("gpu-xid-unconfirmed", (NOTE,), "The kernel reported an Xid, and the GPU shows no sign of the fault.", "GPU"),
        Code("job-xid", (NOTE,), "The kernel reported an Xid that a job made; the GPU goes on.", "GPU"),
        Code("kernel-log-stranger", (NOTE,), "The kernel log has a driver's records of devices that the node lacks."),
        Code("locked-memory", (NOTE,), "The service that starts jobs lets them lock too little memory for EFA.", "service"),
        Code("nccl-failed", (NOTE,), "A test of NCCL got wrong values, or a GPU failed in it.", "nodes"),
        Code("nccl-no-efa", (NOTE,), "A test of NCCL between nodes went over sockets, not over EFA.", "nodes"),
        Code("nccl-no-gdr", (NOTE,), "EFA carried a test of NCCL without reading the memory of GPUs itself.", "nodes"),
        Code(
            "nccl-not-run",
            (PENDING, NOTE),
            "A test of NCCL could not be made, or failed itself: it tells nothing of the nodes.",
            "nodes",
        ),
        Code("nccl-slow", (NOTE,), "A test of NCCL was slower than is usual for such nodes.", "nodes"),
        Code("image-not-pinned", (NOTE,), "An image that runs as root on nodes is named by a tag, which can change.", "image"),
        Code("neuron-error", (NOTE,), "The Neuron runtime reported an error of the hardware."),
        Code("neuron-memory", (FAILURE,), "A Neuron device has errors of its memory that were not corrected.", "device"),
        Code("neuron-missing", (FAILURE, PENDING), "The node has fewer Neuron devices than its type."),
        Code(
            "nvswitch-sxid",
            (FAILURE, PENDING, NOTE),
            "The kernel reported an SXid of an NVSwitch; a note where it makes no node unfit.",
            "NVSwitch",
        ),
    ),
}

CODES: t.Mapping[str, Code] = {code.name: code for codes in AREAS.values() for code in codes}
