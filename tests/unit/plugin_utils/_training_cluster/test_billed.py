# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of settings that AWS bills."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster import billed
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training_cluster.declared import Addon, Declared, Network

SUPPORT = "turns on extended support, billed once the version is no longer in standard support"


@pytest.mark.parametrize(
    ("wanted", "notes"),
    [
        ({"storage_capacity": 1200, "per_unit_throughput": 125, "compression": "LZ4"}, []),
        ({"storage_capacity": 2400, "per_unit_throughput": None}, ["storage 1200 to 2400 GiB"]),
        ({"per_unit_throughput": 250}, ["throughput 125 to 250 MB/s for each TiB"]),
        ({"metadata_iops": 12000}, ["metadata IOPS AUTOMATIC to 12000, not in the price"]),
        ({"metadata_iops": "AUTOMATIC", "backup_retention_days": 0}, []),
        ({"backup_retention_days": 7}, ["backups kept 0 to 7 days, billed by use"]),
    ],
)
def test_a_file_system(wanted: dict[str, t.Any], notes: list[str]) -> None:
    details = {"storage_capacity": 1200, "per_unit_throughput": 125, "metadata_iops": "AUTOMATIC", "backup_retention_days": None}
    assert billed.of_file_system(wanted, {"details": details}) == notes


def test_numbers_and_texts_of_a_rate_are_equal() -> None:
    assert billed.of_file_system({"metadata_iops": 12000}, {"details": {"metadata_iops": "12000"}}) == []


@pytest.mark.parametrize(
    ("wanted", "there", "ours", "notes"),
    [
        ({"logging": ("api",)}, {"logging": ["api", "audit"]}, True, []),
        ({"logging": ("api", "audit")}, {"logging": ["api"]}, True, ["turns on the logs audit"]),
        ({"logging": ("api",)}, {"logging": []}, False, ["turns on the logs api"]),
        ({"extended_support": True}, {"support_type": "STANDARD"}, True, [SUPPORT]),
        ({"extended_support": True}, {"support_type": "EXTENDED"}, True, []),
        ({"extended_support": True}, {"support_type": "STANDARD"}, False, []),
        ({}, {"support_type": "EXTENDED", "logging": ["api"]}, True, []),
    ],
)
def test_a_cluster(wanted: dict[str, t.Any], there: dict[str, t.Any], ours: bool, notes: list[str]) -> None:
    declared = Declared("ml", Network("", (), "", "10.0.0.0/16", ""), (), (), {}, (), (), **wanted)
    assert billed.of_cluster(declared, {"details": there, "ours": ours}) == notes


@pytest.mark.parametrize(
    ("addon", "notes"),
    [
        (Addon("amazon-cloudwatch-observability", configuration={"a": 2}), ["other settings"]),
        (Addon("amazon-cloudwatch-observability", configuration={"a": 1}), []),
        (Addon("amazon-cloudwatch-observability"), []),
        (Addon("metrics-server", configuration={"a": 2}), []),
    ],
)
def test_only_settings_of_logs_and_metrics_are_billed(addon: Addon, notes: list[str]) -> None:
    assert billed.of_addon(addon, {"details": {"configuration": {"a": 1}}}) == notes


@pytest.mark.parametrize(("iops", "known"), [(None, True), ("AUTOMATIC", True), (12000, False)])
def test_provisioned_rates_of_metadata_operations_are_not_in_the_price(iops: object, known: bool) -> None:
    assert billed.beyond_price({"metadata_iops": iops}) == ([] if known else ["metadata IOPS are not in the price"])
