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
  - Creates, changes and deletes a cluster with Slurm or EKS, by the settings that CreateCluster and UpdateCluster take.
  - C(community.aws) has no module for HyperPod, and C(amazon.cloud) none for C(AWS::SageMaker::Cluster).
  - What is not named is kept. UpdateCluster takes a group as a whole, so the module reads it first, and sends the groups
    that differ and no others. What AWS cannot change is refused by name before anything changes.
  - It waits until the cluster, its groups and the autoscaler are where they shall be, and tells how far they are. What an
    earlier run began, and was ended before its end, is waited for first. A failure tells what AWS wrote down about it.
options:
  name:
    description:
      - Name of the cluster, unique in the account and region. 1 to 63 letters, digits and hyphens.
    type: str
    required: true
  state:
    description:
      - Whether the cluster exists. V(absent) deletes it with its nodes and what is on their disks.
    type: str
    choices:
      - present
      - absent
    default: present
  cluster_arn:
    description:
      - ARN of the cluster. Another one under the same name is refused.
      - Required with O(state=absent) and with O(lock=true).
    type: str
  vpc_config:
    description:
      - Network of the cluster. Required on EKS. Cannot change.
    type: dict
    suboptions:
      security_group_ids:
        description:
          - IDs of security groups.
          - At most 5. Required with what it is part of.
        type: list
        elements: str
      subnets:
        description:
          - IDs of subnets.
          - At most 16. Required with what it is part of.
        type: list
        elements: str
  orchestrator:
    description:
      - What schedules the work.
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
              - ARN of the EKS cluster. Cannot change.
              - Required with what it is part of.
            type: str
      slurm:
        description:
          - Slurm.
          - Mutually exclusive with C(eks).
        type: dict
        suboptions:
          slurm_config_strategy:
            description:
              - What becomes of changes that were made by hand.
            type: str
            choices:
              - Overwrite
              - Managed
              - Merge
          accounting_database:
            description:
              - A database of your own for Slurm's accounting.
            type: dict
            suboptions:
              endpoint:
                description:
                  - Its host name.
                  - Required with what it is part of.
                type: str
              port:
                description:
                  - Its port; AWS takes V(3306).
                  - Allowed is 1 to 65535.
                type: int
              name:
                description:
                  - Name of the schema.
                type: str
              secret_arn:
                description:
                  - ARN of the secret with user name and password.
                  - Required with what it is part of.
                type: str
  node_recovery:
    description:
      - Whether AWS reboots or replaces faulty nodes by itself.
    type: str
    choices:
      - Automatic
      - 'None'
  node_provisioning_mode:
    description:
      - V(Continuous) lets groups change at the same time, and tries again by itself.
    type: str
    choices:
      - Continuous
  tiered_storage_config:
    description:
      - Checkpoints in the nodes' memory. EKS only.
    type: dict
    suboptions:
      mode:
        description:
          - Whether it is on.
          - Required with what it is part of.
        type: str
        choices:
          - Enable
          - Disable
      instance_memory_allocation_percentage:
        description:
          - Share of the memory.
          - Allowed is 0 to 100.
        type: int
  restricted_instance_groups_config:
    description:
      - What restricted groups share.
    type: dict
    suboptions:
      shared_environment_config:
        description:
          - Their environment.
          - Required with what it is part of.
        type: dict
        suboptions:
          fsx_lustre_deletion_policy:
            description:
              - What becomes of the file system.
              - Required with what it is part of.
            type: str
            choices:
              - DeleteIfNotUsed
              - Keep
          fsx_lustre_config:
            description:
              - The shared file system.
              - Required with what it is part of.
            type: dict
            suboptions:
              size_in_gib:
                description:
                  - Its size.
                  - Allowed is 1200 to 100800. Required with what it is part of.
                type: int
              per_unit_storage_throughput:
                description:
                  - MB/s a TiB.
                  - Allowed is 125 to 1000. Required with what it is part of.
                type: int
  cluster_role:
    description:
      - ARN of the IAM role of the autoscaler. Cannot change while the autoscaler is on.
    type: str
  auto_scaling:
    description:
      - Managed Karpenter. EKS only.
    type: dict
    suboptions:
      mode:
        description:
          - Whether it is on.
          - Required with what it is part of.
        type: str
        choices:
          - Enable
          - Disable
      auto_scaler_type:
        description:
          - Which autoscaler.
        type: str
        choices:
          - Karpenter
  instance_groups:
    description:
      - Instance groups, by their names. A group that is not listed stays, unless O(purge_instance_groups) is on.
      - Of a group that exists, what is left out is kept, and only groups that differ are sent.
      - A group whose count is left out is sent with the count of that moment. What an autoscaler asked for just then, and the
        change set back, is asked for again, and a warning names the group.
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
          - How many nodes there shall be. Without it an existing group keeps what it has, as a group of an autoscaler
            must, and a new one begins with none where O(auto_scaling.mode=Enable); elsewhere a new one needs it.
          - Allowed is 0 to 6758.
        type: int
      execution_role:
        description:
          - ARN of the IAM role of the nodes.
          - Required with what it is part of.
        type: str
      threads_per_core:
        description:
          - V(1) switches multithreading off.
          - Allowed is 1 to 2.
        type: int
      instance_storage_configs:
        description:
          - Storage of each node. A change reaches new nodes only.
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
                  - Its size. Not with C(root_volume).
                  - Allowed is 1 to 16384.
                type: int
              volume_kms_key_id:
                description:
                  - KMS key that encrypts it.
                type: str
              root_volume:
                description:
                  - Whether this is about the root volume, to encrypt it with a key of your own.
                type: bool
          fsx_lustre_config:
            description:
              - An FSx for Lustre file system to mount.
            type: dict
            suboptions:
              dns_name:
                description:
                  - DNS name of the file system.
                  - Required with what it is part of.
                type: str
              mount_name:
                description:
                  - Its mount name.
                  - Required with what it is part of.
                type: str
              mount_path:
                description:
                  - Where nodes mount it; AWS takes V(/fsx).
                type: str
          fsx_open_zfs_config:
            description:
              - An FSx for OpenZFS file system to mount.
            type: dict
            suboptions:
              dns_name:
                description:
                  - DNS name of the file system.
                  - Required with what it is part of.
                type: str
              mount_path:
                description:
                  - Where nodes mount it; AWS takes V(/home).
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
          - Training plan that the capacity comes from.
        type: str
      override_vpc_config:
        description:
          - Network of the group, where it is not the cluster's. Cannot change.
        type: dict
        suboptions:
          security_group_ids:
            description:
              - IDs of security groups.
              - At most 5. Required with what it is part of.
            type: list
            elements: str
          subnets:
            description:
              - IDs of subnets.
              - At most 16. Required with what it is part of.
            type: list
            elements: str
      scheduled_update_config:
        description:
          - When AWS updates the group's software by itself.
        type: dict
        suboptions:
          schedule_expression:
            description:
              - A cron expression of six fields.
              - Required with what it is part of.
            type: str
          deployment_config:
            description:
              - How an update goes from node to node. EKS only.
            type: dict
            suboptions:
              rolling_update_policy:
                description:
                  - In which batches.
                type: dict
                suboptions:
                  maximum_batch_size:
                    description:
                      - Nodes that are updated at a time.
                      - Required with what it is part of.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - What C(value) counts.
                          - Required with what it is part of.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - How many.
                          - Allowed is 1 or more. Required with what it is part of.
                        type: int
                  rollback_maximum_batch_size:
                    description:
                      - Nodes that are rolled back at a time.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - What C(value) counts.
                          - Required with what it is part of.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - How many.
                          - Allowed is 1 or more. Required with what it is part of.
                        type: int
              wait_interval_in_seconds:
                description:
                  - Seconds between two batches.
                  - Allowed is 0 to 3600.
                type: int
              auto_rollback_configuration:
                description:
                  - CloudWatch alarms that roll the update back.
                  - At most 10.
                type: list
                elements: dict
                suboptions:
                  alarm_name:
                    description:
                      - Name of the alarm.
                      - Required with what it is part of.
                    type: str
      min_instance_count:
        description:
          - Nodes without which AWS rolls the group back after three hours.
          - Allowed is 0 to 6758.
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
              - Instance types, the best first.
              - At most 20. Required with what it is part of.
            type: list
            elements: str
      life_cycle_config:
        description:
          - Scripts that nodes run.
        type: dict
        suboptions:
          source_s3_uri:
            description:
              - Where the scripts lie.
            type: str
          on_create:
            description:
              - The script that makes a node what it is.
              - Mutually exclusive with C(on_init_complete).
            type: str
          on_init_complete:
            description:
              - The script that runs after AWS has set the node up.
              - Mutually exclusive with C(on_create).
            type: str
      image_id:
        description:
          - AMI of the nodes, or V(default). Nodes change by a software update.
        type: str
      image_release_version:
        description:
          - Release of HyperPod's AMI. Nodes change by a software update.
        type: str
      auto_patch_config:
        description:
          - How AWS installs security patches by itself.
        type: dict
        suboptions:
          patching_strategy:
            description:
              - When a node may be patched.
              - Required with what it is part of.
            type: str
            choices:
              - WhenIdle
              - WhenAllIdle
              - DrainFirst
          patch_schedule:
            description:
              - When the next patch is installed.
            type: dict
            suboptions:
              next_patch_date:
                description:
                  - A moment in ISO 8601.
                type: str
          deployment_config:
            description:
              - How an update goes from node to node. EKS only.
            type: dict
            suboptions:
              rolling_update_policy:
                description:
                  - In which batches.
                type: dict
                suboptions:
                  maximum_batch_size:
                    description:
                      - Nodes that are updated at a time.
                      - Required with what it is part of.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - What C(value) counts.
                          - Required with what it is part of.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - How many.
                          - Allowed is 1 or more. Required with what it is part of.
                        type: int
                  rollback_maximum_batch_size:
                    description:
                      - Nodes that are rolled back at a time.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - What C(value) counts.
                          - Required with what it is part of.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - How many.
                          - Allowed is 1 or more. Required with what it is part of.
                        type: int
              wait_interval_in_seconds:
                description:
                  - Seconds between two batches.
                  - Allowed is 0 to 3600.
                type: int
              auto_rollback_configuration:
                description:
                  - CloudWatch alarms that roll the update back.
                  - At most 10.
                type: list
                elements: dict
                suboptions:
                  alarm_name:
                    description:
                      - Name of the alarm.
                      - Required with what it is part of.
                    type: str
          idle_wait_window_in_seconds:
            description:
              - Seconds to wait for idle nodes.
              - Allowed is 3600 to 2160000.
            type: int
          drain_policy:
            description:
              - How nodes are drained.
            type: dict
            suboptions:
              drain_timeout_in_seconds:
                description:
                  - Seconds to wait for jobs.
                  - Allowed is 0 to 5400.
                type: int
              on_drain_timeout:
                description:
                  - What comes after them.
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
              - Labels; all that there shall be.
              - At most 50.
            type: dict
          taints:
            description:
              - Taints; all that there shall be.
              - At most 50.
            type: list
            elements: dict
            suboptions:
              key:
                description:
                  - Its key.
                  - Required with what it is part of.
                type: str
              value:
                description:
                  - Its value.
                type: str
              effect:
                description:
                  - Its effect.
                  - Required with what it is part of.
                type: str
                choices:
                  - NoSchedule
                  - PreferNoSchedule
                  - NoExecute
      slurm_config:
        description:
          - What the nodes are in Slurm. Slurm only.
        type: dict
        suboptions:
          node_type:
            description:
              - Cannot change.
              - Required with what it is part of.
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
          - What capacity the nodes are. Cannot change.
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
              - With an interface for IP, or for EFA alone.
            type: str
            choices:
              - efa
              - efa-only
  restricted_instance_groups:
    description:
      - Restricted instance groups, for models such as Amazon Nova, in the same way.
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
          - How many nodes there shall be. Without it an existing group keeps what it has, as a group of an autoscaler
            must, and a new one begins with none where O(auto_scaling.mode=Enable); elsewhere a new one needs it.
          - Allowed is 0 to 6758.
        type: int
      execution_role:
        description:
          - ARN of the IAM role of the nodes.
          - Required with what it is part of.
        type: str
      threads_per_core:
        description:
          - V(1) switches multithreading off.
          - Allowed is 1 to 2.
        type: int
      instance_storage_configs:
        description:
          - Storage of each node. A change reaches new nodes only.
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
                  - Its size. Not with C(root_volume).
                  - Allowed is 1 to 16384.
                type: int
              volume_kms_key_id:
                description:
                  - KMS key that encrypts it.
                type: str
              root_volume:
                description:
                  - Whether this is about the root volume, to encrypt it with a key of your own.
                type: bool
          fsx_lustre_config:
            description:
              - An FSx for Lustre file system to mount.
            type: dict
            suboptions:
              dns_name:
                description:
                  - DNS name of the file system.
                  - Required with what it is part of.
                type: str
              mount_name:
                description:
                  - Its mount name.
                  - Required with what it is part of.
                type: str
              mount_path:
                description:
                  - Where nodes mount it; AWS takes V(/fsx).
                type: str
          fsx_open_zfs_config:
            description:
              - An FSx for OpenZFS file system to mount.
            type: dict
            suboptions:
              dns_name:
                description:
                  - DNS name of the file system.
                  - Required with what it is part of.
                type: str
              mount_path:
                description:
                  - Where nodes mount it; AWS takes V(/home).
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
          - Training plan that the capacity comes from.
        type: str
      override_vpc_config:
        description:
          - Network of the group, where it is not the cluster's. Cannot change.
        type: dict
        suboptions:
          security_group_ids:
            description:
              - IDs of security groups.
              - At most 5. Required with what it is part of.
            type: list
            elements: str
          subnets:
            description:
              - IDs of subnets.
              - At most 16. Required with what it is part of.
            type: list
            elements: str
      scheduled_update_config:
        description:
          - When AWS updates the group's software by itself.
        type: dict
        suboptions:
          schedule_expression:
            description:
              - A cron expression of six fields.
              - Required with what it is part of.
            type: str
          deployment_config:
            description:
              - How an update goes from node to node. EKS only.
            type: dict
            suboptions:
              rolling_update_policy:
                description:
                  - In which batches.
                type: dict
                suboptions:
                  maximum_batch_size:
                    description:
                      - Nodes that are updated at a time.
                      - Required with what it is part of.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - What C(value) counts.
                          - Required with what it is part of.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - How many.
                          - Allowed is 1 or more. Required with what it is part of.
                        type: int
                  rollback_maximum_batch_size:
                    description:
                      - Nodes that are rolled back at a time.
                    type: dict
                    suboptions:
                      type:
                        description:
                          - What C(value) counts.
                          - Required with what it is part of.
                        type: str
                        choices:
                          - INSTANCE_COUNT
                          - CAPACITY_PERCENTAGE
                      value:
                        description:
                          - How many.
                          - Allowed is 1 or more. Required with what it is part of.
                        type: int
              wait_interval_in_seconds:
                description:
                  - Seconds between two batches.
                  - Allowed is 0 to 3600.
                type: int
              auto_rollback_configuration:
                description:
                  - CloudWatch alarms that roll the update back.
                  - At most 10.
                type: list
                elements: dict
                suboptions:
                  alarm_name:
                    description:
                      - Name of the alarm.
                      - Required with what it is part of.
                    type: str
      instance_type:
        description:
          - Instance type of the nodes.
          - Required with what it is part of.
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
                  - Its size.
                  - Allowed is 1200 to 100800. Required with what it is part of.
                type: int
              per_unit_storage_throughput:
                description:
                  - MB/s a TiB.
                  - Allowed is 125 to 1000. Required with what it is part of.
                type: int
  purge_instance_groups:
    description:
      - Whether groups that O(instance_groups) does not list are deleted, and the same for O(restricted_instance_groups).
        Without such a list no group of it is.
    type: bool
    default: false
  tags:
    description:
      - Tags to ensure. Without it tags are left alone.
    type: dict
    aliases:
      - resource_tags
  purge_tags:
    description:
      - Whether tags that O(tags) does not list are removed. Tags of AWS itself always stay.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait for each operation, 1 to 86400. A group that misses its O(instance_groups[].min_instance_count) is
        rolled back after three hours.
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
    a training plan C(sagemaker:CreateCluster) and C(sagemaker:UpdateCluster) also on the plan and its reserved capacity. For an
    AMI of your own C(ec2:DescribeImages), C(ec2:DescribeSnapshots), C(ec2:ModifyImageAttribute) and
    C(ec2:ModifySnapshotAttribute), since HyperPod shares the AMI with the caller's permissions."
  - While MoveClusterNodes moves nodes between instance groups, a change of groups is refused, because UpdateCluster takes a
    group with its count and would undo the move.
  - Not yet run against live AWS.
seealso:
  - module: mlfleet.hyperpod.cluster_info
  - name: UpdateCluster
    description: The API reference of SageMaker.
    link: https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html
"""

EXAMPLES = r"""
- name: A Slurm cluster with a controller, two login nodes and a partition
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

- name: Two nodes more in one group; everything else stays
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
  description: The cluster; in check mode as it would be.
  returned: success
  type: dict
  contains:
    exists:
      description: Whether it exists. If not, only the name is returned besides.
      type: bool
      sample: true
    name:
      description: Its name.
      type: str
      sample: ml
    cluster_arn:
      description: Its ARN.
      type: str
      sample: arn:aws:sagemaker:us-west-2:111111111111:cluster/abc123def456
    status:
      description: Its status, in AWS's words.
      type: str
      sample: InService
    definition:
      description: Its settings and groups by the names of the options, as the module takes them.
      type: dict
      sample: {"node_recovery": "Automatic", "instance_groups": [{"name": "login-group", "instance_count": 2}]}
    tags:
      description: Its tags.
      type: dict
      sample: {"team": "research"}
    progress:
      description: Status, nodes that are there (C(current)) and nodes that shall be (C(target)), by the name of the group.
      type: dict
      sample: {"login-group": {"status": "InService", "current": 2, "target": 2}}
changes:
  description: Every change that was made, or in check mode would be made.
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
        lost_race=f"{desired.resource} is changed by somebody else again and again; run again.",
    )


def main() -> None:
    run_aws(aws_module(argument_spec=SPEC), resource)


if __name__ == "__main__":
    main()
