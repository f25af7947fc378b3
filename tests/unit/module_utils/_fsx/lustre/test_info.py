# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of file systems, and its filters."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._fsx.lustre.info import info

from .scripted import GONE, OURS, Fsx, NoNetwork, action, described

LISTED = [described(name="fs-2", tags={**OURS, "Name": "else"}), described(NetworkInterfaceIds=["eni-1"])]


def of(fsx: Fsx, **params: t.Any) -> list[dict[str, t.Any]]:
    found: list[dict[str, t.Any]] = info(fsx, NoNetwork(), {"name": None, "file_system_id": None, **params})["fsx_lustre_file_systems"]  # type: ignore[arg-type]
    return found


def test_all_file_systems_are_returned_by_id() -> None:
    found = of(Fsx(listed=LISTED))
    assert [(each["id"], each["security_group_ids"], each["availability_zone"]) for each in found] == [
        ("fs-1", ["sg-1"], "us-west-2a"),
        ("fs-2", None, "us-west-2a"),
    ]


def test_filters_are_combined() -> None:
    assert [each["id"] for each in of(Fsx(listed=LISTED), name="else")] == ["fs-2"]
    assert [each["id"] for each in of(Fsx(described()), file_system_id="fs-01234567")] == ["fs-1"]
    assert of(Fsx(described()), file_system_id="fs-01234567", name="else") == []
    assert of(Fsx(GONE), file_system_id="fs-01234567") == []
    assert of(Fsx(described(FileSystemType="ONTAP")), file_system_id="fs-01234567") == []


def test_actions_are_returned() -> None:
    (found,) = of(Fsx(listed=[described("AVAILABLE", action("IN_PROGRESS", kind="STORAGE_OPTIMIZATION", ProgressPercent=20))]))
    expected = {"type": "STORAGE_OPTIMIZATION", "status": "IN_PROGRESS", "requested": "1", "progress_percent": 20, "failure": ""}
    assert found["administrative_actions"] == [expected]


@pytest.mark.parametrize("wrong", [{"name": " "}, {"file_system_id": "x"}])
def test_bad_filters_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(Refused, match=f"^{next(iter(wrong))}: "):
        of(Fsx(), **wrong)
