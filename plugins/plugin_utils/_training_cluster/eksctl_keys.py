# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of an eksctl file: those with a meaning for the run, those without effect, and those that are refused. No I/O.

The keys are those of ``eksctl.io/v1alpha5`` in eksctl 0.230. Objects in lists have the path of their list.
"""

from __future__ import annotations

import typing as t

KEYS: t.Mapping[str, t.Mapping[str, str]] = {
    "": {
        "apiVersion": "text",
        "kind": "text",
        "metadata": "object",
        "availabilityZones": "texts",
        "iam": "object",
        "vpc": "object",
        "managedNodeGroups": "objects",
        "addons": "objects",
        "addonsConfig": "object",
        "accessConfig": "object",
        "cloudWatch": "object",
        "secretsEncryption": "object",
        "kubernetesNetworkConfig": "object",
        "upgradePolicy": "object",
    },
    "metadata": {"name": "text", "region": "text", "version": "text", "tags": "object", "annotations": "object"},
    "iam": {"withOIDC": "flag", "serviceRolePermissionsBoundary": "text"},
    "vpc": {
        "id": "text",
        "cidr": "text",
        "subnets": "object",
        "nat": "object",
        "clusterEndpoints": "object",
        "publicAccessCIDRs": "texts",
        "controlPlaneSubnetIDs": "texts",
        "controlPlaneOnPrivateSubnets": "flag",
    },
    "vpc.nat": {"gateway": "text"},
    "vpc.clusterEndpoints": {"publicAccess": "flag", "privateAccess": "flag"},
    "vpc.subnets": {"private": "object", "public": "object"},
    "vpc.subnets.entry": {"id": "text", "az": "text", "cidr": "text"},
    "managedNodeGroups": {
        "name": "text",
        "amiFamily": "text",
        "instanceType": "text",
        "instanceTypes": "texts",
        "instanceName": "text",
        "instancePrefix": "text",
        "minSize": "number",
        "desiredCapacity": "number",
        "maxSize": "number",
        "availabilityZones": "texts",
        "subnets": "texts",
        "privateNetworking": "flag",
        "efaEnabled": "flag",
        "capacityReservation": "object",
        "instanceMarketOptions": "object",
        "spot": "flag",
        "placement": "object",
        "volumeSize": "number",
        "volumeType": "text",
        "volumeEncrypted": "flag",
        "overrideBootstrapCommand": "text",
        "labels": "object",
        "taints": "objects",
        "tags": "object",
        "propagateASGTags": "flag",
        "iam": "object",
        "nodeRepairConfig": "object",
        "disableIMDSv1": "flag",
        "disablePodIMDS": "flag",
        "ebsOptimized": "flag",
        "enableDetailedMonitoring": "flag",
        "ssh": "object",
    },
    "managedNodeGroups.capacityReservation": {"capacityReservationTarget": "object"},
    "managedNodeGroups.capacityReservation.capacityReservationTarget": {"capacityReservationID": "text"},
    "managedNodeGroups.instanceMarketOptions": {"marketType": "text"},
    "managedNodeGroups.placement": {"groupName": "text"},
    "managedNodeGroups.nodeRepairConfig": {"enabled": "flag"},
    "managedNodeGroups.ssh": {"allow": "flag", "enableSsm": "flag"},
    "managedNodeGroups.iam": {
        "withAddonPolicies": "object",
        "attachPolicyARNs": "texts",
        "instanceRolePermissionsBoundary": "text",
    },
    "managedNodeGroups.iam.withAddonPolicies": {
        **dict.fromkeys(("autoScaler", "cloudWatch", "ebs", "efs", "fsx", "imageBuilder", "albIngress", "xRay"), "flag"),
        **dict.fromkeys(("awsLoadBalancerController", "certManager", "externalDNS", "appMesh", "appMeshPreview"), "flag"),
    },
    "addons": {
        "name": "text",
        "version": "text",
        "configurationValues": "text",
        "wellKnownPolicies": "object",
        "attachPolicyARNs": "texts",
        "resolveConflicts": "text",
        "useDefaultPodIdentityAssociations": "flag",
        "permissionsBoundary": "text",
    },
    "addons.wellKnownPolicies": dict.fromkeys(
        (
            *("ebsCSIController", "efsCSIController", "autoScaler", "awsLoadBalancerController", "certManager"),
            *("externalDNS", "imageBuilder"),
        ),
        "flag",
    ),
    "addonsConfig": {"autoApplyPodIdentityAssociations": "flag", "disableDefaultAddons": "flag"},
    "accessConfig": {"authenticationMode": "text", "bootstrapClusterCreatorAdminPermissions": "flag", "accessEntries": "objects"},
    "accessConfig.accessEntries": {"principalARN": "text", "type": "text", "accessPolicies": "objects"},
    "accessConfig.accessEntries.accessPolicies": {"policyARN": "text", "accessScope": "object"},
    "accessConfig.accessEntries.accessPolicies.accessScope": {"type": "text", "namespaces": "texts"},
    "cloudWatch": {"clusterLogging": "object"},
    "cloudWatch.clusterLogging": {"enableTypes": "texts"},
    "secretsEncryption": {"keyARN": "text"},
    "kubernetesNetworkConfig": {"ipFamily": "text"},
    "upgradePolicy": {"supportType": "text"},
}
"""The known keys of each object, and the kinds of their values."""

_GROUP, _POLICIES = "managedNodeGroups", "managedNodeGroups.iam.withAddonPolicies"
WITHOUT_EFFECT: t.Mapping[str, str] = {
    "iam.withOIDC": "add-ons get their permissions from EKS Pod Identity, which requires no OIDC provider",
    "metadata.annotations": "only eksctl uses annotations",
    "addonsConfig.autoApplyPodIdentityAssociations": "add-ons always get their permissions from EKS Pod Identity",
    "addons.useDefaultPodIdentityAssociations": "add-ons always get their permissions from EKS Pod Identity",
    "addons.resolveConflicts": "a new cluster has no settings that an add-on could conflict with",
    f"{_GROUP}.instanceName": "the run names the instances after the cluster and the group",
    f"{_GROUP}.instancePrefix": "the run names the instances after the cluster and the group",
    f"{_GROUP}.privateNetworking": "the nodes are always in a private subnet",
    f"{_GROUP}.efaEnabled": "nodes always use all EFA devices of their instance type",
    f"{_GROUP}.propagateASGTags": "the run installs no autoscaler",
    f"{_POLICIES}.autoScaler": "the run installs no autoscaler, and nodes need no permissions for one",
    f"{_POLICIES}.cloudWatch": "the add-on amazon-cloudwatch-observability has its own role",
    f"{_GROUP}.ssh.enableSsm": "images of EKS always contain the SSM agent",
}
"""Keys that are accepted whatever their value, and the reason why they have no effect."""

_OFF = (False,)
_NO_POLICY = "the role of the nodes gets no permissions for programs in Pods; create Pod Identity associations for these programs"
_OF_ADDON = "the run creates no role with these permissions"
FIXED: t.Mapping[str, tuple[tuple[t.Any, ...], str]] = {
    "apiVersion": (("eksctl.io/v1alpha5",), "only this version of the format is supported"),
    "kind": (("ClusterConfig",), "the file must describe a cluster"),
    "vpc.nat.gateway": (("Single",), "all nodes are in one zone, so the new VPC has one NAT gateway"),
    "accessConfig.authenticationMode": (("API",), "the run manages access with access entries only"),
    "accessConfig.bootstrapClusterCreatorAdminPermissions": (
        _OFF,
        "the creator gets no permissions implicitly; add an access entry for the creator's role",
    ),
    "kubernetesNetworkConfig.ipFamily": (("IPv4",), "the run creates no IPv6 cluster"),
    "upgradePolicy.supportType": (("STANDARD",), "extended support costs six times as much, so the run never selects it"),
    f"{_GROUP}.amiFamily": (("AmazonLinux2023",), "the nodes use EKS's images with Amazon Linux 2023"),
    f"{_GROUP}.volumeType": (("gp3",), "the root volumes are gp3 volumes"),
    f"{_GROUP}.volumeEncrypted": ((True,), "the root volumes are always encrypted"),
    f"{_GROUP}.disableIMDSv1": ((True,), "the nodes require IMDSv2"),
    f"{_GROUP}.ebsOptimized": ((True,), "current instance types are always EBS-optimized"),
    f"{_GROUP}.enableDetailedMonitoring": (_OFF, "the run does not enable detailed monitoring"),
    f"{_GROUP}.ssh.allow": (_OFF, "the nodes accept no SSH connections; use SSM"),
    **{
        f"{_POLICIES}.{name}": (_OFF, _NO_POLICY)
        for name in KEYS[_POLICIES]
        if name not in ("autoScaler", "cloudWatch", "ebs", "efs", "fsx")
    },
    **{
        f"addons.wellKnownPolicies.{name}": (_OFF, _OF_ADDON)
        for name in KEYS["addons.wellKnownPolicies"]
        if name not in ("ebsCSIController", "efsCSIController")
    },
}
"""Keys for which only the listed values are allowed, and the reason."""

_OWN_ROLES = "the run creates the IAM roles"
_GIVE_ROLE = "use eks_pod_identity_association after the run"
_NO_NODES = "the run creates only managed node groups"
_IMAGE = "the nodes use EKS's images with Amazon Linux 2023"
_OWN_GROUPS = "the cluster and the nodes use the security group that EKS creates"
_ADDRESSES = "a VPC that the run creates has one IPv4 range, and no IPv6"
_OWN_SETTING = "the root volumes are gp3 volumes with the default settings of EBS"
REFUSED: t.Mapping[str, tuple[str, str]] = {
    "autoModeConfig": ("nodes of EKS Auto Mode have neither EFA nor capacity reservations", "use managedNodeGroups"),
    "nodeGroups": (_NO_NODES, "move self-managed groups to managedNodeGroups"),
    "fargateProfiles": (_NO_NODES, "Fargate has no GPUs; use managedNodeGroups"),
    "karpenter": ("the run does not install Karpenter", "install Karpenter after the run"),
    "gitops": ("the run does not install Flux", "install Flux after the run"),
    "outpost": ("the run creates no cluster on an Outpost", ""),
    "remoteNetworkConfig": ("the run creates no cluster with hybrid nodes", ""),
    "localZones": ("the run creates no nodes in local zones", "use availabilityZones"),
    "privateCluster": ("the run creates no VPC endpoints for a private cluster", "use vpc.clusterEndpoints instead"),
    "iamIdentityMappings": ("the cluster has no ConfigMap aws-auth", "use accessConfig.accessEntries"),
    "identityProviders": ("the run configures no OIDC identity provider for users", "use accessConfig.accessEntries"),
    "capabilities": ("the run creates no EKS capabilities", "create them after the run"),
    "controlPlaneScalingConfig": ("the run uses EKS's standard control plane", ""),
    "zonalShiftConfig": ("all nodes are in one zone, so they cannot move to another", ""),
    **dict.fromkeys(
        ("kubeAPIServerConfig", "kubeSchedulerConfig", "kubeControllerManagerConfig"),
        ("the run does not configure the control plane", ""),
    ),
    "metadata.forceUpdateVersion": ("the run checks the upgrade insights before each upgrade", ""),
    "metadata.rollbackConfig": ("the run does not roll back upgrades", ""),
    "iam.serviceRoleARN": (_OWN_ROLES, "use serviceRolePermissionsBoundary to limit them"),
    "iam.serviceAccounts": (_OWN_ROLES + " of the cluster, its nodes and its add-ons", _GIVE_ROLE),
    "iam.podIdentityAssociations": (_OWN_ROLES + " of the cluster, its nodes and its add-ons", _GIVE_ROLE),
    "iam.vpcResourceControllerPolicy": ("the run does not enable security groups for Pods", ""),
    "iam.fargatePodExecutionRoleARN": (_NO_NODES, ""),
    "iam.fargatePodExecutionRolePermissionsBoundary": (_NO_NODES, ""),
    "kubernetesNetworkConfig.serviceIPv4CIDR": ("EKS chooses the addresses of Services", ""),
    "kubernetesNetworkConfig.serviceIPv6CIDR": ("the run creates no IPv6 cluster", ""),
    "cloudWatch.clusterLogging.logRetentionInDays": ("the run does not manage the log group", "set its retention after the run"),
    **dict.fromkeys(
        (
            *("vpc.securityGroup", "vpc.sharedNodeSecurityGroup", "vpc.manageSharedNodeSecurityGroupRules"),
            "vpc.controlPlaneSecurityGroupIDs",
        ),
        (_OWN_GROUPS, ""),
    ),
    **dict.fromkeys(
        ("vpc.extraCIDRs", "vpc.extraIPv6CIDRs", "vpc.autoAllocateIPv6", "vpc.ipv6Cidr", "vpc.ipv6Pool"),
        (_ADDRESSES, "create another VPC yourself and set vpc.id"),
    ),
    "vpc.hostnameType": ("the host names of nodes are derived from their IP addresses", ""),
    "vpc.controlPlaneEgressMode": ("the run uses EKS's standard control plane", ""),
    **{f"{_GROUP}.{name}": (_IMAGE, "") for name in ("ami", "bottlerocket", "releaseVersion")},
    f"{_GROUP}.launchTemplate": ("the run creates the launch templates", ""),
    f"{_GROUP}.preBootstrapCommands": ("the run executes no commands on nodes", "use a DaemonSet, or your own image for Pods"),
    f"{_GROUP}.instanceSelector": ("all nodes of a group have the same instance type", "set instanceType"),
    f"{_GROUP}.securityGroups": (_OWN_GROUPS, ""),
    f"{_GROUP}.additionalVolumes": ("the nodes have only a root volume and their local disks", "set volumeSize"),
    **{f"{_GROUP}.{name}": (_OWN_SETTING, "") for name in ("volumeIOPS", "volumeThroughput", "volumeName", "volumeKmsKeyID")},
    f"{_GROUP}.maxPodsPerNode": ("EKS calculates this number from the instance type", ""),
    f"{_GROUP}.asgSuspendProcesses": ("EKS manages the Auto Scaling group", ""),
    f"{_GROUP}.updateConfig": ("the run uses EKS's default settings to replace nodes", ""),
    f"{_GROUP}.outpostARN": ("the run creates no nodes on an Outpost", ""),
    **{
        f"{_GROUP}.nodeRepairConfig.{name}": ("the run uses EKS's default limits for node repair", "change them with eks_nodegroup")
        for name in (
            *("maxParallelNodesRepairedCount", "maxParallelNodesRepairedPercentage", "maxUnhealthyNodeThresholdCount"),
            *("maxUnhealthyNodeThresholdPercentage", "nodeRepairConfigOverrides"),
        )
    },
    f"{_GROUP}.placement.spreadLevel": ("nodes for training must be close to each other", "use groupName"),
    f"{_GROUP}.capacityReservation.capacityReservationPreference": (
        "the nodes use the named reservation only",
        "use capacityReservationTarget",
    ),
    f"{_GROUP}.capacityReservation.capacityReservationTarget.capacityReservationResourceGroupARN": (
        "a group uses one reservation",
        "use capacityReservationID",
    ),
    **{f"{_GROUP}.ssh.{name}": ("the nodes accept no SSH connections; use SSM", "")
       for name in ("publicKey", "publicKeyName", "publicKeyPath", "sourceSecurityGroupIds")},
    **{f"{_GROUP}.iam.{name}": (_OWN_ROLES, "use instanceRolePermissionsBoundary to limit them")
       for name in ("instanceRoleARN", "instanceRoleName", "instanceProfileARN")},
    f"{_GROUP}.iam.attachPolicy": (_NO_POLICY, ""),
    "addons.attachPolicy": (_OF_ADDON, ""),
    "addons.serviceAccountRoleARN": (_OWN_ROLES, ""),
    "addons.podIdentityAssociations": (_OWN_ROLES, ""),
    "addons.tags": ("all resources have the tags of the cluster", "use metadata.tags"),
    "addons.namespaceConfig": ("the run installs add-ons in their default namespaces", ""),
    **{f"addons.{name}": ("an add-on is selected by its name", "") for name in ("publishers", "types", "owners")},
    "accessConfig.accessEntries.kubernetesGroups": ("the run grants access with EKS access policies", "use accessPolicies"),
    "accessConfig.accessEntries.kubernetesUsername": ("EKS derives the name of the user from the principal", ""),
}
"""Keys of eksctl that the run does not support: the reason, and the next step."""
