# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of settings that AWS bills, as notes for the plan. A run with such a change requires an accepted cost. No I/O.

Sources: the pricing pages of Amazon EKS, Amazon FSx for Lustre and Amazon CloudWatch.
"""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.table import AUTOMATIC

from .declared import Addon, Declared
from .observed import Resource

OBSERVABILITY = "amazon-cloudwatch-observability"
"""The add-on whose settings determine which logs and metrics CloudWatch receives."""
FILE_SYSTEM = {
    "storage_capacity": "storage {} to {} GiB",
    "per_unit_throughput": "throughput {} to {} MB/s for each TiB",
    "metadata_iops": "metadata IOPS {} to {}, not in the price",
    "backup_retention_days": "backups kept {} to {} days, billed by use",
}
"""The settings of a file system with a price, and the text of their change."""


def of_cluster(wanted: Declared, there: Resource) -> list[str]:
    details, found = there["details"], []
    logs = [each for each in wanted.logging if each not in (details.get("logging") or ())]
    if logs:
        found.append(f"turns on the logs {', '.join(logs)}")
    if wanted.extended_support and there["ours"] and details.get("support_type") == "STANDARD":
        found.append("turns on extended support, billed once the version is no longer in standard support")
    return found


def of_addon(addon: Addon, there: Resource) -> list[str]:
    changed = addon.configuration is not None and addon.configuration != there["details"].get("configuration")
    return ["other settings"] if addon.name == OBSERVABILITY and changed else []


def of_file_system(wanted: t.Mapping[str, t.Any], there: Resource) -> list[str]:
    """The changes of declared settings. AWS returns rates of metadata operations as texts."""
    pairs = [(name, there["details"].get(name), wanted.get(name)) for name in FILE_SYSTEM]
    return [
        FILE_SYSTEM[name].format(have or 0, want) for name, have, want in pairs if want is not None and str(want) != str(have or 0)
    ]


def beyond_price(wanted: t.Mapping[str, t.Any]) -> list[str]:
    """What ``price_info`` does not know about the price of a file system."""
    return ["metadata IOPS are not in the price"] if wanted.get("metadata_iops") not in (None, AUTOMATIC) else []
