# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Combinations of settings that FSx accepts."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.rules import check, require

P1, P2, SCRATCH = ({"deployment_type": kind} for kind in ("PERSISTENT_1", "PERSISTENT_2", "SCRATCH_2"))
EFA = {**P2, "efa": True, "metadata_iops": "AUTOMATIC"}
NEW = {**P2, "subnet_id": "subnet-1", "security_group_ids": ["sg-1"], "storage_capacity": 1200, "per_unit_throughput": 125}


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"storage_capacity": 1200},
        {"storage_capacity": 2400},
        {"storage_capacity": 7200},
        *({**P1, "per_unit_throughput": each} for each in (50, 100, 200)),
        *({**P2, "per_unit_throughput": each} for each in (125, 250, 500, 1000)),
        {"per_unit_throughput": 50},
        {**SCRATCH, "storage_capacity": 2400, "compression": "LZ4", "weekly_maintenance": "1:00:00", "file_system_version": "2.10"},
        {**SCRATCH, "efa": False, "metadata_iops": None, "per_unit_throughput": None},
        *({**EFA, "per_unit_throughput": each, "storage_capacity": gib} for each, gib in ((125, 38400), (250, 38400), (500, 9600), (1000, 4800))),
        *({**P2, "metadata_iops": each} for each in ("AUTOMATIC", "1500", "3000", "6000", "12000", "24000", "192000")),
        {**P2, "file_system_version": "2.12"},
        {**P2, "file_system_version": "2.15", "metadata_iops": "1500"},
        {**P1, "file_system_version": "2.10"},
    ],
)
def test_settings_that_fit_together(settings: dict[str, t.Any]) -> None:
    check(settings, asked=settings)


@pytest.mark.parametrize(
    ("settings", "option", "allowed"),
    [
        *(({"storage_capacity": each}, "storage_capacity", "1200, and multiples of 2400") for each in (0, -2400, 1000, 3600, 4801)),
        ({**EFA, "per_unit_throughput": 125, "storage_capacity": 2400}, "storage_capacity", "multiples of 38400"),
        ({**EFA, "per_unit_throughput": 1000, "storage_capacity": 1200}, "storage_capacity", "multiples of 4800"),
        ({**EFA, "per_unit_throughput": 1000, "storage_capacity": 0}, "storage_capacity", "multiples of 4800"),
        ({**P1, "per_unit_throughput": 125}, "per_unit_throughput", "50, 100, 200"),
        ({**P2, "per_unit_throughput": 200}, "per_unit_throughput", "125, 250, 500, 1000"),
        ({"per_unit_throughput": 1}, "per_unit_throughput", "50, 100, 125, 200, 250, 500, 1000"),
        ({**SCRATCH, "per_unit_throughput": 200}, "per_unit_throughput", "no value"),
        ({**SCRATCH, "backup_retention_days": 0}, "backup_retention_days", "no value"),
        ({**SCRATCH, "kms_key_id": "1"}, "kms_key_id", "no value"),
        ({**SCRATCH, "efa": True}, "efa", "false, or no value"),
        ({**SCRATCH, "metadata_iops": "1500"}, "metadata_iops", "no value"),
        ({**P1, "efa": True}, "efa", "false, or no value"),
        ({**P1, "metadata_iops": "1500"}, "metadata_iops", "no value"),
        ({**P2, "metadata_iops": "2000"}, "metadata_iops", "AUTOMATIC, 1500, 3000, 6000, 12000, and multiples of 12000 up to 192000"),
        ({**P2, "file_system_version": "2.10"}, "file_system_version", "2.12, 2.15"),
        ({**P2, "file_system_version": "2.12", "metadata_iops": "1500"}, "file_system_version", "2.15"),
    ],
)
def test_settings_that_do_not_fit_are_named(settings: dict[str, t.Any], option: str, allowed: str) -> None:
    with pytest.raises(Refused) as error:
        check(settings, asked=settings)
    assert error.value.option == option and str(error.value).endswith(f"Allowed: {allowed}."), error.value


def test_only_settings_that_are_asked_for_are_refused() -> None:
    check({**SCRATCH, "per_unit_throughput": 99, "storage_capacity": 1}, asked=["compression"])


@pytest.mark.parametrize("option", ["subnet_id", "security_group_ids", "storage_capacity", "per_unit_throughput"])
def test_a_new_file_system_requires_options(option: str) -> None:
    require(NEW, "file system a")
    with pytest.raises(Refused, match=f"^{option}: missing; file system a does not exist, and "):
        require({**NEW, option: None}, "file system a")


def test_efa_requires_a_metadata_configuration_and_scratch_no_throughput() -> None:
    require({**NEW, **SCRATCH, "per_unit_throughput": None}, "file system a")
    require({**NEW, **EFA}, "file system a")
    with pytest.raises(Refused, match="metadata_iops: missing; file system a does not exist, and efa=true requires"):
        require({**NEW, "efa": True}, "file system a")
