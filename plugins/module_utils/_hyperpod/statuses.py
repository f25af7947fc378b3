# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Statuses that HyperPod reports for clusters, instance groups, nodes and operations."""

from __future__ import annotations

from .._aws.statuses import Statuses

RUNNING, PENDING, LEAVING, CHECKING = "Running", "Pending", "ShuttingDown", "DeepHealthCheckInProgress"
UPDATING_SOFTWARE = "SystemUpdating"
MOVING_GROUPS = ("DetachInProgress", "AttachInProgress")
"""Statuses during MoveClusterNodes, in the source group and then in the target group. The node keeps its ID and address."""
FAILED_NODE, NO_NODE = "Failure", "NotFound"
NODE = Statuses(
    "sagemaker",
    "ClusterInstanceStatus",
    settled=(RUNNING,),
    busy=(PENDING, LEAVING, UPDATING_SOFTWARE, CHECKING, *MOVING_GROUPS),
    failed=(FAILED_NODE, NO_NODE),
)

IN_SERVICE, CREATING, DELETING, FAILED = "InService", "Creating", "Deleting", "Failed"
CLUSTER = Statuses(
    "sagemaker",
    "ClusterStatus",
    settled=(IN_SERVICE,),
    busy=(CREATING, "Updating", UPDATING_SOFTWARE, "RollingBack", DELETING),
    failed=(FAILED,),
)
GROUP = Statuses(
    "sagemaker",
    "InstanceGroupStatus",
    settled=(IN_SERVICE, "Degraded"),
    busy=(CREATING, "Updating", UPDATING_SOFTWARE, DELETING),
    failed=(FAILED,),
)
AUTOSCALER = Statuses(
    "sagemaker", "ClusterAutoScalingStatus", settled=(IN_SERVICE,), busy=(CREATING, DELETING), failed=(FAILED,)
)

SOFTWARE_UPDATE = Statuses(
    "sagemaker",
    "SoftwareUpdateStatus",
    settled=("Succeeded",),
    busy=("Pending", "InProgress", "RollbackInProgress"),
    failed=("RollbackComplete", "Failed"),
)
"""A group whose update failed has its previous software: AWS returns Failed even after a successful rollback."""
UP_TO_DATE = "UpToDate"
IMAGE_VERSION = Statuses(
    "sagemaker",
    "ClusterImageVersionStatus",
    settled=(UP_TO_DATE,),
    failed=("UpdateAvailable", "SecurityUpdateRequired", "EndOfLife"),
)

OPERATION = Statuses("sagemaker", "ClusterOperationStatus", settled=("Done",), busy=("InProgress",), failed=("Superseded",))
"""Superseded means that a later operation replaced this operation before it ended."""

CREATED, UPDATED, DELETED = "Created", "Updated", "Deleted"
RETRIED = "UpdateFailed"
"""The status in which the update must be sent again."""
NEVER_MADE = ("CreateFailed", "CreateRollbackFailed")
GOVERNANCE = Statuses(
    "sagemaker",
    "SchedulerResourceStatus",
    settled=(CREATED, UPDATED, DELETED),
    busy=(CREATING, "Updating", DELETING),
    failed=(*NEVER_MADE, RETRIED, "UpdateRollbackFailed", "DeleteFailed", "DeleteRollbackFailed"),
)
"""Statuses of scheduler configurations and compute quotas."""

ACTIVE = "Active"
EXTENSION = Statuses(
    "sagemaker",
    "ExtensionStatus",
    settled=(ACTIVE,),
    busy=(CREATING, "Updating", DELETING),
    failed=("CreateFailed", "UpdateFailed", "DeleteFailed", "Degraded"),
)

REBOOT_ERRORS = Statuses(
    "sagemaker",
    "BatchRebootClusterNodesErrorCode",
    busy=("InvalidInstanceStatus", "InstanceIdInUse"),
    failed=("InstanceIdNotFound", "InternalServerError"),
)
ADD_ERRORS = Statuses(
    "sagemaker",
    "BatchAddClusterNodesErrorCode",
    busy=("InvalidInstanceGroupStatus",),
    failed=("InstanceGroupNotFound", "IncompatibleAvailabilityZones", "IncompatibleInstanceTypes"),
)
