# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Patterns and settings in the tables of the cluster and of its groups: networks, storage, and the deployment of updates."""

from __future__ import annotations

from ..._core.settings import Setting, Table

NAME = "[a-zA-Z0-9](-*[a-zA-Z0-9]){0,62}"
NAME_ALLOWED = "1 to 63 letters, digits and hyphens, with no hyphen at either end"
ROLE = r"arn:aws[a-z-]*:iam::\d{12}:role/?[a-zA-Z_0-9+=,.@\-_/]+"
ROLE_ALLOWED = "the ARN of an IAM role such as arn:aws:iam::111111111111:role/hyperpod-nodes"
INSTANCE_TYPE = r"ml\.[a-z0-9-]+\.[a-z0-9-]+"
INSTANCE_TYPE_ALLOWED = "an instance type such as ml.p5.48xlarge"
FSX_DNS_NAME = r"(fs|fc)i?-[0-9a-f]{8,}\..{4,253}"
MOST_NODES = 6758


def network(about: str) -> Setting:
    """``vpc_config`` of the cluster or ``override_vpc_config`` of a group, depending on the first words of ``about``."""
    api = "VpcConfig" if about.startswith("Network of the cluster") else "OverrideVpcConfig"
    option = "vpc_config" if api == "VpcConfig" else "override_vpc_config"
    return Setting(
        option,
        api,
        "dict",
        about + " Cannot be changed.",
        parts=(
            Setting(
                "security_group_ids",
                "SecurityGroupIds",
                "list",
                "IDs of security groups.",
                low=1,
                high=5,
                required=True,
                pattern=r"sg-[0-9a-zA-Z]+",
                allowed="IDs such as sg-0123456789abcdef0",
            ),
            Setting(
                "subnets",
                "Subnets",
                "list",
                "IDs of subnets.",
                low=1,
                high=16,
                required=True,
                pattern=r"subnet-[0-9a-zA-Z]+",
                allowed="IDs such as subnet-0123456789abcdef0",
            ),
        ),
        immutable=True,
    )


BATCH: Table = (
    Setting("type", "Type", about="Unit of C(value).", choices=("INSTANCE_COUNT", "CAPACITY_PERCENTAGE"), required=True),
    Setting("value", "Value", "int", "Number or percentage.", low=1, required=True),
)
DEPLOYMENT = Setting(
    "deployment_config",
    "DeploymentConfig",
    "dict",
    "How an update is rolled out to the nodes. EKS only.",
    parts=(
        Setting(
            "rolling_update_policy",
            "RollingUpdatePolicy",
            "dict",
            "Sizes of the batches.",
            parts=(
                Setting(
                    "maximum_batch_size",
                    "MaximumBatchSize",
                    "dict",
                    "Nodes that are updated at the same time.",
                    parts=BATCH,
                    required=True,
                ),
                Setting(
                    "rollback_maximum_batch_size",
                    "RollbackMaximumBatchSize",
                    "dict",
                    "Nodes that are rolled back at the same time.",
                    parts=BATCH,
                ),
            ),
        ),
        Setting("wait_interval_in_seconds", "WaitIntervalInSeconds", "int", "Seconds between two batches.", low=0, high=3600),
        Setting(
            "auto_rollback_configuration",
            "AutoRollbackConfiguration",
            "list",
            "CloudWatch alarms that trigger a rollback of the update.",
            parts=(Setting("alarm_name", "AlarmName", about="Name of the alarm.", required=True),),
            low=1,
            high=10,
        ),
    ),
)
STORAGE: Table = (
    Setting(
        "ebs_volume_config",
        "EbsVolumeConfig",
        "dict",
        "An EBS volume for each node, mounted at V(/opt/sagemaker).",
        parts=(
            Setting(
                "volume_size_in_gb",
                "VolumeSizeInGB",
                "int",
                "Size of the volume in GB. Mutually exclusive with C(root_volume).",
                low=1,
                high=16384,
            ),
            Setting(
                "volume_kms_key_id",
                "VolumeKmsKeyId",
                about="KMS key that encrypts the volume.",
                pattern="[a-zA-Z0-9:/_-]*",
                allowed="the ID or ARN of a KMS key",
            ),
            Setting(
                "root_volume",
                "RootVolume",
                "bool",
                "Whether the settings apply to the root volume. Use this to encrypt the root volume with your own key.",
            ),
        ),
    ),
    Setting(
        "fsx_lustre_config",
        "FsxLustreConfig",
        "dict",
        "An FSx for Lustre file system to mount.",
        parts=(
            Setting(
                "dns_name",
                "DnsName",
                about="DNS name of the file system.",
                required=True,
                pattern=FSX_DNS_NAME,
                allowed="a name such as fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com",
            ),
            Setting(
                "mount_name",
                "MountName",
                about="Mount name of the file system.",
                required=True,
                pattern="[A-Za-z0-9_-]{1,8}",
                allowed="1 to 8 letters, digits, hyphens and underscores",
            ),
            Setting(
                "mount_path",
                "MountPath",
                about="Path where nodes mount the file system. The default of AWS is V(/fsx).",
                pattern="/[a-zA-Z0-9._/-]+",
                allowed="an absolute path",
            ),
        ),
    ),
    Setting(
        "fsx_open_zfs_config",
        "FsxOpenZfsConfig",
        "dict",
        "An FSx for OpenZFS file system to mount.",
        parts=(
            Setting(
                "dns_name",
                "DnsName",
                about="DNS name of the file system.",
                required=True,
                pattern=FSX_DNS_NAME,
                allowed="a name such as fs-0123456789abcdef0.fsx.us-west-2.amazonaws.com",
            ),
            Setting(
                "mount_path",
                "MountPath",
                about="Path where nodes mount the file system. The default of AWS is V(/home).",
                pattern="/[a-zA-Z0-9._/-]+",
                allowed="an absolute path",
            ),
        ),
    ),
)
ENVIRONMENT_FSX = Setting(
    "fsx_lustre_config",
    "FSxLustreConfig",
    "dict",
    "The file system of the restricted environment.",
    parts=(
        Setting("size_in_gib", "SizeInGiB", "int", "Size of the file system in GiB.", low=1200, high=100800, required=True),
        Setting(
            "per_unit_storage_throughput",
            "PerUnitStorageThroughput",
            "int",
            "Throughput in MB/s for each TiB.",
            low=125,
            high=1000,
            required=True,
        ),
    ),
)
