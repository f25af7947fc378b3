#!/usr/bin/python
# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster
version_added: 0.1.0
short_description: Manage a SageMaker HyperPod cluster
description:
  - Creates, changes and deletes a cluster with Slurm or EKS, with the settings of CreateCluster and UpdateCluster.
  - C(community.aws) has no module for HyperPod, and C(amazon.cloud) has none for C(AWS::SageMaker::Cluster).
  - Omitted settings are not changed. If the existing cluster has a setting that is required unless already set, you can therefore
    omit this setting.
  - UpdateCluster replaces the settings of a group completely, so the module reads the group first. It sends only groups that
    differ. A change that AWS does not support is refused before anything changes.
  - The module waits until the cluster, its groups and the autoscaler reach their target, and shows the progress. Before it
    changes anything, it waits for unfinished operations of earlier runs. If an operation fails, the message contains the reason
    that AWS recorded.
options:
  name:
    description:
      - Name of the cluster, unique in the account and Region. 1 to 63 letters, digits and hyphens.
    type: str
    required: true
  state:
    description:
      - Whether the cluster exists. V(absent) deletes the cluster with its nodes and the data on their disks.
    type: str
    choices:
      - present
      - absent
    default: present
  cluster_arn:
    description:
      - ARN of the cluster. If a cluster with this name exists and has a different ARN, the module refuses to change it.
      - Required with O(state=absent) and with O(lock=true).
    type: str
  vpc_config:
    description:
      - Network of the cluster. Required on EKS. Cannot be changed.
    type: dict
    suboptions:
      security_group_ids:
        description:
          - IDs of security groups.
          - At most 5. Required unless already set.
        type: list
        elements: str
      subnets:
        description:
          - IDs of subnets.
          - At most 16. Required unless already set.
        type: list
        elements: str
  orchestrator:
    description:
      - Orchestrator of the cluster.
    type: dict
    suboptions:
      eks:
        description:
          - An EKS cluster.
          - Mutually exclusive with C(slurm).
        type: dict
        suboptions:
          cluster_arn:
            description:
              - ARN of the EKS cluster. Cannot be changed.
              - Required unless already set.
            type: str
      slurm:
        description:
          - Slurm.
          - Mutually exclusive with C(eks).
        type: dict
        suboptions:
          slurm_config_strategy:
            description:
              - How AWS treats manual changes of the Slurm configuration.
            type: str
            choices:
              - Overwrite
              - Managed
              - Merge
          accounting_database:
            description:
              - Your own database for Slurm accounting.
            type: dict
            suboptions:
              endpoint:
                description:
                  - Host name of the database.
                  - Required unless already set.
                type: str
              port:
                description:
                  - Database port. The default of AWS is V(3306).
                  - Allowed range is 1 to 65535.
                type: int
              name:
                description:
                  - Name of the schema.
                type: str
              secret_arn:
                description:
                  - ARN of the secret with the user name and password.
                  - Required unless already set.
                type: str
  node_recovery:
    description:
      - Whether AWS reboots or replaces faulty nodes automatically.
    type: str
    choices:
      - Automatic
      - 'None'
  node_provisioning_mode:
    description:
      - With V(Continuous), AWS can change several groups at the same time, and automatically retries failed provisioning.
    type: str
    choices:
      - Continuous
  tiered_storage_config:
    description:
      - Checkpoints in the memory of nodes. EKS only.
    type: dict
    suboptions:
      mode:
        description:
          - Whether checkpoints in memory are enabled.
          - Required unless already set.
        type: str
        choices:
          - Enable
          - Disable
      instance_memory_allocation_percentage:
        description:
          - Percentage of the memory of each node for checkpoints.
          - Allowed range is 0 to 100.
        type: int
  restricted_instance_groups_config:
    description:
      - Configuration that restricted groups share.
    type: dict
    suboptions:
      shared_environment_config:
        description:
          - Shared environment of the restricted groups.
          - Required unless already set.
        type: dict
        suboptions:
          fsx_lustre_deletion_policy:
            description:
              - What happens to the file system when it is no longer used.
              - Required unless already set.
            type: str
            choices:
              - DeleteIfNotUsed
              - Keep
          fsx_lustre_config:
            description:
              - Shared file system.
              - Required unless already set.
            type: dict
            suboptions:
              size_in_gib:
                description:
                  - Size of the file system in GiB.
                  - Allowed range is 1200 to 100800. Required unless already set.
                type: int
              per_unit_storage_throughput:
                description:
                  - Throughput in MB/s for each TiB.
                  - Allowed range is 125 to 1000. Required unless already set.
                type: int
  cluster_role:
    description:
      - ARN of the IAM role of the autoscaler. Cannot be changed while the autoscaler is enabled.
    type: str
  auto_scaling:
    description:
      - Managed Karpenter. EKS only.
    type: dict
    suboptions:
      mode:
        description:
          - Whether managed Karpenter is enabled.
          - Required unless already set.
        type: str
        choices:
          - Enable
          - Disable
      auto_scaler_type:
        description:
          - Type of the autoscaler.
        type: str
        choices:
          - Karpenter
  instance_groups:
    description:
      - Instance groups, identified by their names. A group that is not listed is not deleted, unless O(purge_instance_groups) is
        set.
      - Omitted settings of an existing group are not changed, and only groups that differ are sent.
      - For a group without O(instance_groups[].instance_count), the module sends the current count, because AWS requires a count.
        If an autoscaler raises the count at that moment, the update resets it. The module then requests the missing nodes again,
        and a warning names the group.
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - Name of the group, unique in the cluster.
        type: str
        required: true
      instance_count:
        description:
          - Number of nodes. If omitted, an existing group keeps its count. Omit this option for a group that an autoscaler scales.
          - A new group may omit this option only with O(auto_scaling.mode=Enable). It then starts without nodes.
          - Allowed range is 0 to 6758.
        type: int
      execution_role:
        description:
          - ARN of the IAM role of the nodes.
          - Required unless already set.
        type: str
      threads_per_core:
        description:
          - Threads for each core. V(1) disables multithreading.
          - Allowed range is 1 to 2.
        type: int
      instance_storage_configs:
        description:
          - Storage of each node. A change affects only new nodes.
          - At most 4.
        type: list
        elements: dict
        suboptions:
          ebs_volume_config:
            description:
              - An EBS volume for each node, mounted at V(/opt/sagemaker).
            type: dict
            suboptions:
              volume_size_in_gb:
                description:
                  - Size of the volume in GB. Mutually exclusive with C(root_volume).
                  - Allowed range is 1 to 16384.
                type: int
              volume_kms_key_id:
                description:
                  - KMS key that encrypts the volume.
                type: str
              root_volume:
                description:
                  - Whether the settings apply to the root volume. Use this to encrypt the root volume with your own key.
                type: bool
          fsx_lustre_config:
            description:
              - An FSx for Lustre file system to mount.
            type: dict
            suboptions:
              dns_name:
                description:
                  - DNS name of the file system.
                  - Required unless already set.
                type: str
              mount_name:
                description:
                  - Mount name of the file system.
                  - Required unless already set.
                type: str
              mount_path:
                description:
                  - Path where nodes mount the file system. The default of AWS is V(/fsx).
                type: str
          fsx_open_zfs_config:
            description:
              - An FSx for OpenZFS file system to mount.
            type: dict
            suboptions:
              dns_name:
                description:
                  - DNS name of the file system.
                  - Required unless already set.
                type: str
              mount_path:
                description:
                  - Path where nodes mount the file system. The default of AWS is V(/home).
                type: str
      on_start_deep_health_checks:
        description:
          - Deep health checks of nodes that are created or updated.
          - At most 3.
        type: list
        elements: str
        choices:
          - InstanceStress
          - InstanceConnectivity
          - MultiNodeTrainingValidation
      training_plan_arn:
        description:
          - ARN of the training plan that provides the capacity.
        type: str
      override_vpc_config:
        description:
          - Network of the group if it differs from the cluster's. Cannot be changed.
        type: dict
        suboptions:
          security_group_ids:
            description:
              - IDs of security groups.
              - At most 5. Required unless already set.
            type: list
            elements: str
          subnets:
            description:
              - IDs of subnets.
              - At most 16. Required unless already set.
            type: list
            elements: str
      scheduled_update_config:
        description:
          - Schedule on which AWS updates the software of the group automatically.
        type: dict
        suboptions:
          schedule_expression:
            description:
              - A cron expression with six fields.
              - Required unless already set.
            type: str
          deployment_config:
            description:
              - How an update is rolled out to the nodes. EKS only.
            type: dict
            suboptions:
              rolling_update_policy:
                description:
                  - Sizes of the batches.
                type: dict
                suboptions:
                  maximum_batch_size:
                    description:
                      - Nodes that are updated at the same time.
                      - Required unless already set.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - Unit of C(value).
                          - Required unless already set.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - Number or percentage.
                          - At least 1. Required unless already set.
                        type: int
                  rollback_maximum_batch_size:
                    description:
                      - Nodes that are rolled back at the same time.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - Unit of C(value).
                          - Required unless already set.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - Number or percentage.
                          - At least 1. Required unless already set.
                        type: int
              wait_interval_in_seconds:
                description:
                  - Seconds between two batches.
                  - Allowed range is 0 to 3600.
                type: int
              auto_rollback_configuration:
                description:
                  - CloudWatch alarms that trigger a rollback of the update.
                  - At most 10.
                type: list
                elements: dict
                suboptions:
                  alarm_name:
                    description:
                      - Name of the alarm.
                      - Required unless already set.
                    type: str
      min_instance_count:
        description:
          - Minimum number of nodes. If the group does not reach it within three hours, AWS rolls the group back.
          - Allowed range is 0 to 6758.
        type: int
      instance_type:
        description:
          - Instance type of the nodes.
          - Mutually exclusive with C(instance_requirements).
        type: str
      instance_requirements:
        description:
          - Several instance types to choose from.
          - Mutually exclusive with C(instance_type).
        type: dict
        suboptions:
          instance_types:
            description:
              - Instance types, in order of preference.
              - At most 20. Required unless already set.
            type: list
            elements: str
      life_cycle_config:
        description:
          - Lifecycle scripts of the nodes.
        type: dict
        suboptions:
          source_s3_uri:
            description:
              - S3 URI of the folder with the scripts.
            type: str
          on_create:
            description:
              - Script that configures a node.
              - Mutually exclusive with C(on_init_complete).
            type: str
          on_init_complete:
            description:
              - Script that runs after AWS has set up the node.
              - Mutually exclusive with C(on_create).
            type: str
      image_id:
        description:
          - AMI of the nodes, or V(default). Existing nodes get it only with a software update.
        type: str
      image_release_version:
        description:
          - Release of HyperPod's AMI. Existing nodes get it only with a software update.
        type: str
      auto_patch_config:
        description:
          - How AWS installs security patches automatically.
        type: dict
        suboptions:
          patching_strategy:
            description:
              - When a node may be patched.
              - Required unless already set.
            type: str
            choices:
              - WhenIdle
              - WhenAllIdle
              - DrainFirst
          patch_schedule:
            description:
              - Schedule of the patches.
            type: dict
            suboptions:
              next_patch_date:
                description:
                  - Time of the next patch in ISO 8601.
                type: str
          deployment_config:
            description:
              - How an update is rolled out to the nodes. EKS only.
            type: dict
            suboptions:
              rolling_update_policy:
                description:
                  - Sizes of the batches.
                type: dict
                suboptions:
                  maximum_batch_size:
                    description:
                      - Nodes that are updated at the same time.
                      - Required unless already set.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - Unit of C(value).
                          - Required unless already set.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - Number or percentage.
                          - At least 1. Required unless already set.
                        type: int
                  rollback_maximum_batch_size:
                    description:
                      - Nodes that are rolled back at the same time.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - Unit of C(value).
                          - Required unless already set.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - Number or percentage.
                          - At least 1. Required unless already set.
                        type: int
              wait_interval_in_seconds:
                description:
                  - Seconds between two batches.
                  - Allowed range is 0 to 3600.
                type: int
              auto_rollback_configuration:
                description:
                  - CloudWatch alarms that trigger a rollback of the update.
                  - At most 10.
                type: list
                elements: dict
                suboptions:
                  alarm_name:
                    description:
                      - Name of the alarm.
                      - Required unless already set.
                    type: str
          idle_wait_window_in_seconds:
            description:
              - Seconds to wait until nodes are idle.
              - Allowed range is 3600 to 2160000.
            type: int
          drain_policy:
            description:
              - How nodes are drained.
            type: dict
            suboptions:
              drain_timeout_in_seconds:
                description:
                  - Seconds to wait for jobs to end.
                  - Allowed range is 0 to 5400.
                type: int
              on_drain_timeout:
                description:
                  - Action after the timeout.
                type: str
                choices:
                  - Force
                  - Skip
      kubernetes_config:
        description:
          - Labels and taints of the nodes. EKS only.
        type: dict
        suboptions:
          labels:
            description:
              - All labels of the nodes; other labels of the group are removed.
              - At most 50.
            type: dict
          taints:
            description:
              - The complete list of taints of the group. Taints of the group that are not in this list are removed.
              - At most 50.
            type: list
            elements: dict
            suboptions:
              key:
                description:
                  - Key of the taint.
                  - Required unless already set.
                type: str
              value:
                description:
                  - Value of the taint.
                type: str
              effect:
                description:
                  - Effect of the taint.
                  - Required unless already set.
                type: str
                choices:
                  - NoSchedule
                  - PreferNoSchedule
                  - NoExecute
      slurm_config:
        description:
          - Configuration of the nodes in Slurm. Slurm only.
        type: dict
        suboptions:
          node_type:
            description:
              - Type of the nodes. Cannot be changed.
              - Required unless already set.
            type: str
            choices:
              - Controller
              - Login
              - Compute
          partition_names:
            description:
              - The partition of compute nodes.
              - At most 1.
            type: list
            elements: str
      capacity_requirements:
        description:
          - Type of capacity. Cannot be changed.
        type: dict
        suboptions:
          spot:
            description:
              - Spot capacity.
              - Mutually exclusive with C(on_demand).
            type: dict
          on_demand:
            description:
              - On-demand capacity.
              - Mutually exclusive with C(spot).
            type: dict
      network_interface:
        description:
          - Network interfaces of the nodes.
        type: dict
        suboptions:
          interface_type:
            description:
              - Type of the interfaces. V(efa) has an IP address, V(efa-only) does not.
            type: str
            choices:
              - efa
              - efa-only
  restricted_instance_groups:
    description:
      - Restricted instance groups, for models such as Amazon Nova. They behave like O(instance_groups).
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - Name of the group, unique in the cluster.
        type: str
        required: true
      instance_count:
        description:
          - Number of nodes. If omitted, an existing group keeps its count. Omit this option for a group that an autoscaler scales.
          - A new group may omit this option only with O(auto_scaling.mode=Enable). It then starts without nodes.
          - Allowed range is 0 to 6758.
        type: int
      execution_role:
        description:
          - ARN of the IAM role of the nodes.
          - Required unless already set.
        type: str
      threads_per_core:
        description:
          - Threads for each core. V(1) disables multithreading.
          - Allowed range is 1 to 2.
        type: int
      instance_storage_configs:
        description:
          - Storage of each node. A change affects only new nodes.
          - At most 4.
        type: list
        elements: dict
        suboptions:
          ebs_volume_config:
            description:
              - An EBS volume for each node, mounted at V(/opt/sagemaker).
            type: dict
            suboptions:
              volume_size_in_gb:
                description:
                  - Size of the volume in GB. Mutually exclusive with C(root_volume).
                  - Allowed range is 1 to 16384.
                type: int
              volume_kms_key_id:
                description:
                  - KMS key that encrypts the volume.
                type: str
              root_volume:
                description:
                  - Whether the settings apply to the root volume. Use this to encrypt the root volume with your own key.
                type: bool
          fsx_lustre_config:
            description:
              - An FSx for Lustre file system to mount.
            type: dict
            suboptions:
              dns_name:
                description:
                  - DNS name of the file system.
                  - Required unless already set.
                type: str
              mount_name:
                description:
                  - Mount name of the file system.
                  - Required unless already set.
                type: str
              mount_path:
                description:
                  - Path where nodes mount the file system. The default of AWS is V(/fsx).
                type: str
          fsx_open_zfs_config:
            description:
              - An FSx for OpenZFS file system to mount.
            type: dict
            suboptions:
              dns_name:
                description:
                  - DNS name of the file system.
                  - Required unless already set.
                type: str
              mount_path:
                description:
                  - Path where nodes mount the file system. The default of AWS is V(/home).
                type: str
      on_start_deep_health_checks:
        description:
          - Deep health checks of nodes that are created or updated.
          - At most 3.
        type: list
        elements: str
        choices:
          - InstanceStress
          - InstanceConnectivity
          - MultiNodeTrainingValidation
      training_plan_arn:
        description:
          - ARN of the training plan that provides the capacity.
        type: str
      override_vpc_config:
        description:
          - Network of the group if it differs from the cluster's. Cannot be changed.
        type: dict
        suboptions:
          security_group_ids:
            description:
              - IDs of security groups.
              - At most 5. Required unless already set.
            type: list
            elements: str
          subnets:
            description:
              - IDs of subnets.
              - At most 16. Required unless already set.
            type: list
            elements: str
      scheduled_update_config:
        description:
          - Schedule on which AWS updates the software of the group automatically.
        type: dict
        suboptions:
          schedule_expression:
            description:
              - A cron expression with six fields.
              - Required unless already set.
            type: str
          deployment_config:
            description:
              - How an update is rolled out to the nodes. EKS only.
            type: dict
            suboptions:
              rolling_update_policy:
                description:
                  - Sizes of the batches.
                type: dict
                suboptions:
                  maximum_batch_size:
                    description:
                      - Nodes that are updated at the same time.
                      - Required unless already set.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - Unit of C(value).
                          - Required unless already set.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - Number or percentage.
                          - At least 1. Required unless already set.
                        type: int
                  rollback_maximum_batch_size:
                    description:
                      - Nodes that are rolled back at the same time.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - Unit of C(value).
                          - Required unless already set.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - Number or percentage.
                          - At least 1. Required unless already set.
                        type: int
              wait_interval_in_seconds:
                description:
                  - Seconds between two batches.
                  - Allowed range is 0 to 3600.
                type: int
              auto_rollback_configuration:
                description:
                  - CloudWatch alarms that trigger a rollback of the update.
                  - At most 10.
                type: list
                elements: dict
                suboptions:
                  alarm_name:
                    description:
                      - Name of the alarm.
                      - Required unless already set.
                    type: str
      instance_type:
        description:
          - Instance type of the nodes.
          - Required unless already set.
        type: str
      environment_config:
        description:
          - The restricted environment.
        type: dict
        suboptions:
          fsx_lustre_config:
            description:
              - The file system of the restricted environment.
            type: dict
            suboptions:
              size_in_gib:
                description:
                  - Size of the file system in GiB.
                  - Allowed range is 1200 to 100800. Required unless already set.
                type: int
              per_unit_storage_throughput:
                description:
                  - Throughput in MB/s for each TiB.
                  - Allowed range is 125 to 1000. Required unless already set.
                type: int
  purge_instance_groups:
    description:
      - Whether to delete groups that are not in O(instance_groups) or O(restricted_instance_groups). If a list is omitted, no
        group of that kind is deleted.
    type: bool
    default: false
  tags:
    description:
      - Tags to set. If omitted, tags are not changed.
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether to remove tags that are not in O(tags). Tags of AWS are never removed.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait for each operation, 1 to 86400. AWS rolls back a group that does not reach its
        O(instance_groups[].min_instance_count) within three hours.
    type: int
    default: 7200
attributes:
  check_mode:
    support: full
  diff_mode:
    support: full
  idempotent:
    support: full
author:
  - mlfleet (@mlfleet)
extends_documentation_fragment:
  - mlfleet.hyperpod.attributes
  - mlfleet.hyperpod.attributes.lock
  - mlfleet.hyperpod.lock_option
  - mlfleet.hyperpod.waits
  - amazon.aws.common.modules
  - amazon.aws.region.modules
  - amazon.aws.boto3
notes:
  - "IAM actions: C(sagemaker:DescribeCluster), C(sagemaker:ListTags), C(sagemaker:ListClusterEvents),
    C(sagemaker:DescribeClusterEvent), and to change something C(sagemaker:CreateCluster), C(sagemaker:UpdateCluster),
    C(sagemaker:DeleteCluster), C(sagemaker:ListClusterNodes), C(sagemaker:AddTags), C(sagemaker:DeleteTags) and
    C(iam:PassRole) for the roles of the groups and of the autoscaler. For groups without a count also
    C(sagemaker:ListClusterOperations), C(sagemaker:DescribeClusterOperation) and C(sagemaker:BatchAddClusterNodes). For
    the first cluster of an account also C(iam:CreateServiceLinkedRole). With EKS also
    C(sagemaker:ListClusterSchedulerConfigs), C(sagemaker:ListComputeQuotas), C(eks:DescribeCluster),
    C(eks:CreateAccessEntry), C(eks:DescribeAccessEntry), C(eks:DeleteAccessEntry) and C(eks:AssociateAccessPolicy). For groups of
    a training plan C(sagemaker:CreateCluster) and C(sagemaker:UpdateCluster) also on the plan and its reserved capacity. For
    your own AMI C(ec2:DescribeImages), C(ec2:DescribeSnapshots), C(ec2:ModifyImageAttribute) and
    C(ec2:ModifySnapshotAttribute), because HyperPod shares the AMI with the caller's permissions."
  - While MoveClusterNodes moves nodes between instance groups, a change of groups is refused. UpdateCluster sends each group with
    its count and would therefore undo the move.
  - This module has not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_info
  - name: UpdateCluster
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html
"""

EXAMPLES = r"""
- name: Create a Slurm cluster with a controller node, two login nodes and a partition
  mlfleet.hyperpod.cluster:
    name: ml
    region: us-west-2
    vpc_config:
      subnets: [subnet-0123456789abcdef0]
      security_group_ids: [sg-0123456789abcdef0]
    orchestrator:
      slurm: {}
    node_provisioning_mode: Continuous
    node_recovery: Automatic
    instance_groups:
      - name: controller-machine
        instance_type: ml.m5.xlarge
        instance_count: 1
        execution_role: arn:aws:iam::111111111111:role/hyperpod-nodes
        slurm_config: {node_type: Controller}
      - name: login-group
        instance_type: ml.m5.large
        instance_count: 2
        execution_role: arn:aws:iam::111111111111:role/hyperpod-nodes
        slurm_config: {node_type: Login}
      - name: worker-group-1
        instance_type: ml.p5.48xlarge
        instance_count: 8
        execution_role: arn:aws:iam::111111111111:role/hyperpod-nodes
        slurm_config: {node_type: Compute, partition_names: [dev]}
    tags: {team: research}

- name: Scale one group to 10 nodes, and change nothing else
  mlfleet.hyperpod.cluster:
    name: ml
    region: us-west-2
    instance_groups:
      - name: worker-group-1
        instance_count: 10

- name: Delete the cluster
  mlfleet.hyperpod.cluster:
    name: ml
    region: us-west-2
    cluster_arn: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    state: absent
"""

RETURN = r"""
cluster:
  description: The cluster. In check mode, the predicted cluster.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether the cluster exists. If not, only C(exists) and C(name) are returned.
      type: bool
      sample: true
    name:
      description: Name of the cluster.
      type: str
      sample: ml
    cluster_arn:
      description: ARN of the cluster.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    status:
      description: Status of the cluster, as AWS returns it.
      type: str
      sample: InService
    definition:
      description: Settings and groups of the cluster, in the format of the options.
      type: dict
      sample: {"node_recovery": "Automatic", "instance_groups": [{"name": "login-group", "instance_count": 2}]}
    tags:
      description: Tags of the cluster.
      type: dict
      sample: {"team": "research"}
    progress:
      description: Status of each group, with its current number of nodes (C(current)) and its requested number (C(target)).
      type: dict
      sample: {"login-group": {"status": "InService", "current": 2, "target": 2}}
changes:
  description: The changes. In check mode, the predicted changes.
  returned: success
  type: list
  elements: dict
  sample:
    - action: update
      resource: cluster ml group worker-group-1
      field: instance_count
      before: 8
      after: 10
"""

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._aws.client import aws_module
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.converge import Resource
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.api import connect_hyperpod
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster import options
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.apply import Applier
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.observe import Observer
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.plan import plan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.cluster.result import result
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.waits import wait_options, waits_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._lock.run import LOCK_OPTION, run_aws

SPEC = {
    "name": {"type": "str", "required": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "cluster_arn": {"type": "str"},
    **options.specification(),
    "purge_instance_groups": {"type": "bool", "default": False},
    "tags": {"type": "dict", "aliases": ["resource_tags"]},
    "purge_tags": {"type": "bool", "default": True},
    **wait_options(timeout=7200),
    **LOCK_OPTION,
}


def resource(module: t.Any) -> Resource:
    params = module.params
    desired = options.desired(params)
    api = connect_hyperpod(module)
    options.require_known(api, desired)
    observer = Observer(api, desired, waits=waits_of(module))
    return Resource(
        observe=observer,
        plan=lambda state: plan(desired, state),
        apply=Applier(api, desired, observer, warn=module.warn),
        result=lambda state: result(desired, state),
        lost_race=f"Cluster {desired.name} keeps changing concurrently. Run again later.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
