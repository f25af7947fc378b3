# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of instance groups, in one table for groups and one for restricted groups.

The tables follow the service model of SageMaker in botocore 1.44. ``answers`` has the names in DescribeCluster if they differ.
"""

from __future__ import annotations

from ..._core.settings import Setting, Table
from .parts import (
    DEPLOYMENT,
    ENVIRONMENT_FSX,
    INSTANCE_TYPE,
    INSTANCE_TYPE_ALLOWED,
    MOST_NODES,
    NAME,
    NAME_ALLOWED,
    ROLE,
    ROLE_ALLOWED,
    STORAGE,
    network,
)

COMMON: Table = (
    Setting(
        "name",
        "InstanceGroupName",
        about="Name of the group, unique in the cluster.",
        pattern=NAME,
        allowed=NAME_ALLOWED,
        required=True,
    ),
    Setting(
        "instance_count",
        "InstanceCount",
        "int",
        "Number of nodes. If omitted, an existing group keeps its count. Omit this option for a group that an autoscaler scales."
        " A new group may omit this option only with O(auto_scaling.mode=Enable). It then starts without nodes.",
        low=0,
        high=MOST_NODES,
        answers=("TargetCount", "CurrentCount"),
    ),
    Setting(
        "execution_role",
        "ExecutionRole",
        about="ARN of the IAM role of the nodes.",
        pattern=ROLE,
        allowed=ROLE_ALLOWED,
        required=True,
    ),
    Setting("threads_per_core", "ThreadsPerCore", "int", "Threads for each core. V(1) disables multithreading.", low=1, high=2),
    Setting(
        "instance_storage_configs",
        "InstanceStorageConfigs",
        "list",
        "Storage of each node. A change affects only new nodes.",
        parts=STORAGE,
        low=0,
        high=4,
    ),
    Setting(
        "on_start_deep_health_checks",
        "OnStartDeepHealthChecks",
        "list",
        "Deep health checks of nodes that are created or updated.",
        choices=("InstanceStress", "InstanceConnectivity", "MultiNodeTrainingValidation"),
        low=1,
        high=3,
    ),
    Setting(
        "training_plan_arn",
        "TrainingPlanArn",
        about="ARN of the training plan that provides the capacity.",
        pattern=r"arn:aws[a-z-]*:sagemaker:[a-z0-9-]*:\d{12}:training-plan/.+",
        allowed="the ARN of a training plan",
    ),
    network("Network of the group if it differs from the cluster's."),
    Setting(
        "scheduled_update_config",
        "ScheduledUpdateConfig",
        "dict",
        "Schedule on which AWS updates the software of the group automatically.",
        parts=(
            Setting(
                "schedule_expression",
                "ScheduleExpression",
                about="A cron expression with six fields.",
                required=True,
                pattern=r".{1,256}",
                allowed="a cron expression such as cron(0 2 ? * SUN *)",
            ),
            DEPLOYMENT,
        ),
    ),
)
"""Settings of groups and of restricted groups."""

GROUP: Table = (
    *COMMON,
    Setting(
        "min_instance_count",
        "MinInstanceCount",
        "int",
        "Minimum number of nodes. If the group does not reach it within three hours, AWS rolls the group back.",
        low=0,
        high=MOST_NODES,
        answers=("MinCount",),
    ),
    Setting(
        "instance_type",
        "InstanceType",
        about="Instance type of the nodes.",
        pattern=INSTANCE_TYPE,
        allowed=INSTANCE_TYPE_ALLOWED,
        instead_of="instance_requirements",
    ),
    Setting(
        "instance_requirements",
        "InstanceRequirements",
        "dict",
        "Several instance types to choose from.",
        parts=(
            Setting(
                "instance_types",
                "InstanceTypes",
                "list",
                "Instance types, in order of preference.",
                low=1,
                high=20,
                required=True,
                pattern=INSTANCE_TYPE,
                allowed=INSTANCE_TYPE_ALLOWED,
                ordered=True,
                answers=("DesiredInstanceTypes", "CurrentInstanceTypes"),
            ),
        ),
        instead_of="instance_type",
    ),
    Setting(
        "life_cycle_config",
        "LifeCycleConfig",
        "dict",
        "Lifecycle scripts of the nodes.",
        parts=(
            Setting(
                "source_s3_uri",
                "SourceS3Uri",
                about="S3 URI of the folder with the scripts.",
                pattern="s3://sagemaker-[^/]+/?.*",
                allowed="a prefix in a bucket whose name begins with sagemaker-, such as s3://sagemaker-example/scripts",
            ),
            Setting(
                "on_create",
                "OnCreate",
                about="Script that configures a node.",
                pattern=r".{1,128}",
                allowed="a file name of 1 to 128 characters",
                instead_of="on_init_complete",
            ),
            Setting(
                "on_init_complete",
                "OnInitComplete",
                about="Script that runs after AWS has set up the node.",
                pattern=r".{1,128}",
                allowed="a file name of 1 to 128 characters",
                instead_of="on_create",
            ),
        ),
    ),
    Setting(
        "image_id",
        "ImageId",
        about="AMI of the nodes, or V(default). Existing nodes get it only with a software update.",
        pattern="ami-[0-9a-fA-F]{8,17}|default",
        allowed="an AMI such as ami-0123456789abcdef0, or default",
        answers=("DesiredImageId", "CurrentImageId"),
    ),
    Setting(
        "image_release_version",
        "ImageReleaseVersion",
        about="Release of HyperPod's AMI. Existing nodes get it only with a software update.",
        pattern=r"\d+\.\d+\.\d+",
        allowed="a version such as 1.2.3",
        answers=("DesiredImageReleaseVersion", "CurrentImageReleaseVersion"),
    ),
    Setting(
        "auto_patch_config",
        "AutoPatchConfig",
        "dict",
        "How AWS installs security patches automatically.",
        parts=(
            Setting(
                "patching_strategy",
                "PatchingStrategy",
                about="When a node may be patched.",
                choices=("WhenIdle", "WhenAllIdle", "DrainFirst"),
                required=True,
            ),
            Setting(
                "patch_schedule",
                "PatchSchedule",
                "dict",
                "Schedule of the patches.",
                parts=(Setting("next_patch_date", "NextPatchDate", "time", "Time of the next patch in ISO 8601."),),
                answers=("DesiredPatchSchedule", "CurrentPatchSchedule"),
            ),
            DEPLOYMENT,
            Setting(
                "idle_wait_window_in_seconds",
                "IdleWaitWindowInSeconds",
                "int",
                "Seconds to wait until nodes are idle.",
                low=3600,
                high=2160000,
            ),
            Setting(
                "drain_policy",
                "DrainPolicy",
                "dict",
                "How nodes are drained.",
                parts=(
                    Setting(
                        "drain_timeout_in_seconds",
                        "DrainTimeoutInSeconds",
                        "int",
                        "Seconds to wait for jobs to end.",
                        low=0,
                        high=5400,
                    ),
                    Setting("on_drain_timeout", "OnDrainTimeout", about="Action after the timeout.", choices=("Force", "Skip")),
                ),
            ),
        ),
    ),
    Setting(
        "kubernetes_config",
        "KubernetesConfig",
        "dict",
        "Labels and taints of the nodes. EKS only.",
        parts=(
            Setting(
                "labels",
                "Labels",
                "map",
                "All labels of the nodes; other labels of the group are removed.",
                low=0,
                high=50,
                pattern="(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?",
                allowed="a label's value of at most 63 characters",
                answers=("DesiredLabels", "CurrentLabels"),
            ),
            Setting(
                "taints",
                "Taints",
                "list",
                "The complete list of taints of the group. Taints of the group that are not in this list are removed.",
                parts=(
                    Setting("key", "Key", about="Key of the taint.", required=True, sounds_secret=True),
                    Setting("value", "Value", about="Value of the taint."),
                    Setting(
                        "effect",
                        "Effect",
                        about="Effect of the taint.",
                        choices=("NoSchedule", "PreferNoSchedule", "NoExecute"),
                        required=True,
                    ),
                ),
                low=0,
                high=50,
                answers=("DesiredTaints", "CurrentTaints"),
            ),
        ),
    ),
    Setting(
        "slurm_config",
        "SlurmConfig",
        "dict",
        "Configuration of the nodes in Slurm. Slurm only.",
        parts=(
            Setting(
                "node_type",
                "NodeType",
                about="Type of the nodes. Cannot be changed.",
                choices=("Controller", "Login", "Compute"),
                required=True,
                immutable=True,
            ),
            Setting(
                "partition_names",
                "PartitionNames",
                "list",
                "The partition of compute nodes.",
                low=0,
                high=1,
                pattern=NAME,
                allowed=NAME_ALLOWED,
            ),
        ),
    ),
    Setting(
        "capacity_requirements",
        "CapacityRequirements",
        "dict",
        "Type of capacity. Cannot be changed.",
        parts=(
            Setting("spot", "Spot", "dict", "Spot capacity.", instead_of="on_demand"),
            Setting("on_demand", "OnDemand", "dict", "On-demand capacity.", instead_of="spot"),
        ),
        immutable=True,
    ),
    Setting(
        "network_interface",
        "NetworkInterface",
        "dict",
        "Network interfaces of the nodes.",
        parts=(
            Setting(
                "interface_type",
                "InterfaceType",
                about="Type of the interfaces. V(efa) has an IP address, V(efa-only) does not.",
                choices=("efa", "efa-only"),
            ),
        ),
    ),
)

RESTRICTED_GROUP: Table = (
    *COMMON,
    Setting(
        "instance_type",
        "InstanceType",
        about="Instance type of the nodes.",
        pattern=INSTANCE_TYPE,
        allowed=INSTANCE_TYPE_ALLOWED,
        required=True,
    ),
    Setting("environment_config", "EnvironmentConfig", "dict", "The restricted environment.", parts=(ENVIRONMENT_FSX,)),
)
