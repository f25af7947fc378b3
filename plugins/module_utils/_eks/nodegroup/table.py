# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The settings of a node group. They follow the service model of EKS in botocore 1.44."""

from __future__ import annotations

from ..._core.settings import Setting, Table

CAPACITY_BLOCK = "CAPACITY_BLOCK"
LABEL = r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
KEY = r"([a-z0-9]([a-z0-9.-]*[a-z0-9])?/)?" + LABEL
KEY_ALLOWED = "a key of at most 63 characters, such as team or example.com/team"
LABEL_ALLOWED = "1 to 63 letters, digits, dots, hyphens and underscores, with a letter or digit at both ends"
LONGEST_KEY = 63

TEMPLATE = Setting(
    "launch_template",
    "launchTemplate",
    "dict",
    "EC2 launch template of the nodes. An existing group can change only to another version of its template.",
    parts=(
        Setting(
            "id",
            "id",
            about="ID of the template. Mutually exclusive with C(name).",
            pattern=r"lt-[0-9a-f]{8,17}",
            allowed="an ID such as lt-0123456789abcdef0",
            instead_of="name",
            immutable=True,
        ),
        Setting(
            "name",
            "name",
            about="Name of the template. Mutually exclusive with C(id).",
            pattern=r"[a-zA-Z0-9().\-/_]{3,128}",
            allowed="the name of a launch template, with 3 to 128 characters",
            instead_of="id",
            immutable=True,
        ),
        Setting(
            "version",
            "version",
            about="Number of the version. If omitted, a new group gets the default version of the template.",
            pattern=r"[1-9]\d*",
            allowed="the number of a version, such as 3",
        ),
    ),
)
SCALING = Setting(
    "scaling",
    "scalingConfig",
    "dict",
    "Number of nodes. A new group for which it is omitted gets the defaults of EKS.",
    parts=(
        Setting("min", "minSize", "int", "Minimum number of nodes, V(0) or more.", low=0, required=True),
        Setting("max", "maxSize", "int", "Maximum number of nodes, V(1) or more.", low=1, required=True),
        Setting(
            "desired",
            "desiredSize",
            "int",
            "Current number of nodes, V(0) or more. Omit this option if an autoscaler sets the number.",
            low=0,
        ),
    ),
)
LABELS = Setting(
    "labels",
    "labels",
    "map",
    "All Kubernetes labels that EKS sets on the nodes. V({}) removes all of them.",
    pattern=LABEL,
    allowed=LABEL_ALLOWED,
)
TAINTS = Setting(
    "taints",
    "taints",
    "list",
    "All Kubernetes taints that EKS sets on the nodes. V([]) removes all of them.",
    parts=(
        Setting(
            "key",
            "key",
            about="Key of the taint.",
            required=True,
            pattern=KEY,
            allowed=KEY_ALLOWED,
            sounds_secret=True,
        ),
        Setting("value", "value", about="Value of the taint.", pattern=rf"({LABEL})?", allowed=f"{LABEL_ALLOWED}, or no value"),
        Setting(
            "effect",
            "effect",
            about="Effect of the taint.",
            choices=("NO_SCHEDULE", "NO_EXECUTE", "PREFER_NO_SCHEDULE"),
            required=True,
        ),
    ),
)
UPDATES = Setting(
    "update_config",
    "updateConfig",
    "dict",
    "How EKS replaces the nodes when a version changes.",
    parts=(
        Setting(
            "max_unavailable",
            "maxUnavailable",
            "int",
            "Number of nodes that EKS replaces at the same time, V(1) to V(100). Mutually exclusive with"
            " C(max_unavailable_percentage).",
            low=1,
            high=100,
            instead_of="max_unavailable_percentage",
        ),
        Setting(
            "max_unavailable_percentage",
            "maxUnavailablePercentage",
            "int",
            "Percentage of nodes that EKS replaces at the same time, V(1) to V(100). Mutually exclusive with C(max_unavailable).",
            low=1,
            high=100,
            instead_of="max_unavailable",
        ),
        Setting(
            "strategy",
            "updateStrategy",
            about="V(DEFAULT) launches new nodes before it terminates old ones. V(MINIMAL) terminates old nodes first, so it needs"
            " no further capacity.",
            choices=("DEFAULT", "MINIMAL"),
        ),
    ),
)


def _limit(count: str, percentage: str, api: str, about: str) -> tuple[Setting, Setting]:
    """A limit of the repairs, as a number and as a percentage of the nodes."""
    return (
        Setting(
            count,
            f"{api}Count",
            "int",
            f"{about}, as a number of nodes, V(1) or more. Mutually exclusive with C({percentage}).",
            low=1,
            instead_of=percentage,
        ),
        Setting(
            percentage,
            f"{api}Percentage",
            "int",
            f"{about}, as a percentage of the nodes, V(1) to V(100). Mutually exclusive with C({count}).",
            low=1,
            high=100,
            instead_of=count,
        ),
    )


REPAIR = Setting(
    "node_repair",
    "nodeRepairConfig",
    "dict",
    "Automatic repair of unhealthy nodes. Without the add-on C(eks-node-monitoring-agent), EKS does not detect failures of"
    " accelerators.",
    parts=(
        Setting("enabled", "enabled", "bool", "Whether EKS repairs nodes."),
        *_limit(
            "max_unhealthy_node_threshold_count",
            "max_unhealthy_node_threshold_percentage",
            "maxUnhealthyNodeThreshold",
            "Unhealthy nodes above which EKS repairs no node",
        ),
        *_limit(
            "max_parallel_nodes_repaired_count",
            "max_parallel_nodes_repaired_percentage",
            "maxParallelNodesRepaired",
            "Nodes that EKS repairs at the same time",
        ),
        Setting(
            "overrides",
            "nodeRepairConfigOverrides",
            "list",
            "All rules for certain conditions of nodes. V([]) removes all of them.",
            parts=(
                Setting(
                    "condition",
                    "nodeMonitoringCondition",
                    about="Condition that the monitoring agent reports, such as V(AcceleratedHardwareReady).",
                    required=True,
                ),
                Setting(
                    "reason",
                    "nodeUnhealthyReason",
                    about="Reason that the monitoring agent reports, such as V(NvidiaXID13Error).",
                    required=True,
                ),
                Setting(
                    "min_repair_wait_minutes",
                    "minRepairWaitTimeMins",
                    "int",
                    "Minutes before the repair, V(1) or more.",
                    low=1,
                    required=True,
                ),
                Setting(
                    "action",
                    "repairAction",
                    about="What EKS does with the node.",
                    choices=("Replace", "Reboot", "NoAction"),
                    required=True,
                ),
            ),
            sends_empty=True,
        ),
    ),
)
SETTINGS: Table = (
    Setting(
        "node_role_arn",
        "nodeRole",
        about="ARN of the IAM role of the nodes. Required for a new group.",
        pattern=r"arn:aws[a-z-]*:iam::\d{12}:role/[\w+=,.@/-]+",
        allowed="the ARN of an IAM role such as arn:aws:iam::111111111111:role/hyperpod-eks/ml-us-west-2-nodes",
        required=True,
        immutable=True,
    ),
    Setting(
        "subnet_ids",
        "subnets",
        "list",
        "IDs of the subnets of the nodes. Required for a new group.",
        low=1,
        pattern=r"subnet-(?:[0-9a-f]{8}|[0-9a-f]{17})",
        allowed="IDs such as subnet-0123456789abcdef0",
        required=True,
        immutable=True,
    ),
    Setting(
        "instance_types",
        "instanceTypes",
        "list",
        "Instance types of the nodes, in order of preference. Omit this option if the launch template has an instance type.",
        low=1,
        high=20,
        pattern=r"[a-z0-9-]+\.[a-z0-9-]+",
        allowed="instance types such as p5.48xlarge",
        immutable=True,
    ),
    Setting("ami_type", "amiType", about="AMI type of the nodes.", immutable=True),
    Setting(
        "capacity_type",
        "capacityType",
        about="How EC2 provides the nodes.",
        choices=("ON_DEMAND", "SPOT", CAPACITY_BLOCK),
        immutable=True,
    ),
    TEMPLATE,
    Setting(
        "disk_size",
        "diskSize",
        "int",
        "Size of the root volume in GiB, V(1) or more. With a launch template, the template sets the size.",
        low=1,
        immutable=True,
    ),
    SCALING,
    LABELS,
    TAINTS,
    UPDATES,
    REPAIR,
    Setting(
        "version",
        "version",
        about="Kubernetes version of the nodes.",
        pattern=r"1\.[1-9]\d",
        allowed="a Kubernetes version such as 1.34",
    ),
    Setting(
        "release_version",
        "releaseVersion",
        about="Release of the AMI of EKS, such as V(1.34.2-20261015).",
        pattern=r"[0-9A-Za-z][0-9A-Za-z.-]{0,62}",
        allowed="a release such as 1.34.2-20261015",
    ),
)
CONFIGURATION = ("scaling", "labels", "taints", "update_config", "node_repair")
"""Settings that UpdateNodegroupConfig changes."""
VERSIONS = ("version", "release_version", "launch_template")
"""Settings that UpdateNodegroupVersion changes. It replaces all nodes."""


def part(options: tuple[str, ...]) -> Table:
    return tuple(setting for setting in SETTINGS if setting.option in options)
