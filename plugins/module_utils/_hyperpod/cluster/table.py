# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of a cluster without its groups, in one table: the input of CreateCluster and UpdateCluster.

The table follows the service model of SageMaker in botocore 1.44. ``answers`` has the names in DescribeCluster if they differ.
"""

from __future__ import annotations

from ..._core.settings import Setting, Table
from .parts import ENVIRONMENT_FSX, ROLE, ROLE_ALLOWED, network

AUTO_SCALING = Setting(
    "auto_scaling",
    "AutoScaling",
    "dict",
    "Managed Karpenter. EKS only.",
    parts=(
        Setting("mode", "Mode", about="Whether managed Karpenter is enabled.", choices=("Enable", "Disable"), required=True),
        Setting("auto_scaler_type", "AutoScalerType", about="Type of the autoscaler.", choices=("Karpenter",)),
    ),
)
CLUSTER_ROLE = Setting(
    "cluster_role",
    "ClusterRole",
    pattern=ROLE,
    allowed=ROLE_ALLOWED,
    about="ARN of the IAM role of the autoscaler. Cannot be changed while the autoscaler is enabled.",
)

CLUSTER: Table = (
    network("Network of the cluster. Required on EKS."),
    Setting(
        "orchestrator",
        "Orchestrator",
        "dict",
        "Orchestrator of the cluster.",
        parts=(
            Setting(
                "eks",
                "Eks",
                "dict",
                "An EKS cluster.",
                parts=(
                    Setting(
                        "cluster_arn",
                        "ClusterArn",
                        about="ARN of the EKS cluster. Cannot be changed.",
                        required=True,
                        immutable=True,
                        pattern=r"arn:aws[a-z-]*:eks:[a-z0-9-]*:\d{12}:cluster/[0-9A-Za-z][A-Za-z0-9_-]{0,99}",
                        allowed="the ARN of an EKS cluster",
                    ),
                ),
                instead_of="slurm",
            ),
            Setting(
                "slurm",
                "Slurm",
                "dict",
                "Slurm.",
                parts=(
                    Setting(
                        "slurm_config_strategy",
                        "SlurmConfigStrategy",
                        about="How AWS treats manual changes of the Slurm configuration.",
                        choices=("Overwrite", "Managed", "Merge"),
                    ),
                    Setting(
                        "accounting_database",
                        "AccountingDatabase",
                        "dict",
                        "Your own database for Slurm accounting.",
                        parts=(
                            Setting(
                                "endpoint",
                                "Endpoint",
                                about="Host name of the database.",
                                required=True,
                                pattern=r"[a-zA-Z0-9][a-zA-Z0-9.-]{0,254}",
                                allowed="a host name",
                            ),
                            Setting("port", "Port", "int", "Database port. The default of AWS is V(3306).", low=1, high=65535),
                            Setting(
                                "name",
                                "Name",
                                about="Name of the schema.",
                                pattern="[a-zA-Z0-9$_]{1,64}",
                                allowed="1 to 64 letters, digits, $ and _",
                            ),
                            Setting(
                                "secret_arn",
                                "SecretArn",
                                about="ARN of the secret with the user name and password.",
                                required=True,
                                pattern=r"arn:aws[a-z-]*:secretsmanager:[a-z0-9-]*:\d{12}:secret:.+",
                                allowed="the ARN of a secret",
                                sounds_secret=True,
                            ),
                        ),
                    ),
                ),
                instead_of="eks",
            ),
        ),
    ),
    Setting(
        "node_recovery",
        "NodeRecovery",
        about="Whether AWS reboots or replaces faulty nodes automatically.",
        choices=("Automatic", "None"),
    ),
    Setting(
        "node_provisioning_mode",
        "NodeProvisioningMode",
        choices=("Continuous",),
        about="With V(Continuous), AWS can change several groups at the same time, and automatically retries failed provisioning.",
    ),
    Setting(
        "tiered_storage_config",
        "TieredStorageConfig",
        "dict",
        "Checkpoints in the memory of nodes. EKS only.",
        parts=(
            Setting(
                "mode", "Mode", about="Whether checkpoints in memory are enabled.", choices=("Enable", "Disable"), required=True
            ),
            Setting(
                "instance_memory_allocation_percentage",
                "InstanceMemoryAllocationPercentage",
                "int",
                "Percentage of the memory of each node for checkpoints.",
                low=0,
                high=100,
            ),
        ),
    ),
    Setting(
        "restricted_instance_groups_config",
        "RestrictedInstanceGroupsConfig",
        "dict",
        "Configuration that restricted groups share.",
        parts=(
            Setting(
                "shared_environment_config",
                "SharedEnvironmentConfig",
                "dict",
                "Shared environment of the restricted groups.",
                parts=(
                    Setting(
                        "fsx_lustre_deletion_policy",
                        "FSxLustreDeletionPolicy",
                        about="What happens to the file system when it is no longer used.",
                        choices=("DeleteIfNotUsed", "Keep"),
                        required=True,
                        answers=("DesiredFSxLustreDeletionPolicy", "CurrentFSxLustreDeletionPolicy"),
                    ),
                    Setting(
                        "fsx_lustre_config",
                        "FSxLustreConfig",
                        "dict",
                        "Shared file system.",
                        parts=ENVIRONMENT_FSX.parts,
                        required=True,
                        answers=("DesiredFSxLustreConfig", "CurrentFSxLustreConfig"),
                    ),
                ),
                required=True,
            ),
        ),
    ),
    CLUSTER_ROLE,
    AUTO_SCALING,
)
"""All settings except the tags and the groups. Groups have their own lists."""
