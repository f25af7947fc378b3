# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import datetime
import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.model import Scan
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ecr.image.scan import SCAN, scan_of

NONE = {"critical": 0, "high": 0, "medium": 0, "low": 0, "informational": 0, "undefined": 0}
TIME = datetime.datetime(2026, 11, 29, tzinfo=datetime.timezone.utc)


def detail(status: str, description: str = "", **summary: t.Any) -> dict[str, t.Any]:
    more = {"imageScanFindingsSummary": summary} if summary else {}
    return {"imageScanStatus": {"status": status, "description": description}, **more}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (detail("COMPLETE", findingSeverityCounts={"HIGH": 2}, imageScanCompletedAt=TIME), Scan("complete", "", {**NONE, "high": 2}, "2026-11-29T00:00:00Z")),
        (detail("ACTIVE", findingSeverityCounts={"NEW": 1}), Scan("complete", "", {**NONE, "new": 1})),
        (detail("COMPLETE", findingSeverityCounts={}), Scan("complete", "", NONE)),
        (detail("COMPLETE"), Scan("not_scanned", "COMPLETE: ECR returned no summary of the findings.")),
        (detail("PENDING", "soon."), Scan("in_progress", "PENDING: soon.")),
        (detail("SOMETHING_NEW"), Scan("in_progress", "SOMETHING_NEW: ECR gives no reason.")),
        ({}, Scan("not_scanned", "The repository does not scan images on push, and no scan was started.")),
    ],
)
def test_scans(given: dict[str, t.Any], expected: Scan) -> None:
    assert scan_of(given, scans_on_push=False) == expected


@pytest.mark.parametrize("status", SCAN.failed)
def test_no_status_of_a_failed_scan_is_an_error(status: str) -> None:
    assert scan_of(detail(status, "a\nb"), scans_on_push=True) == Scan("not_scanned", f"{status}: a?b.")


def test_a_scan_on_push_that_has_not_begun_is_in_progress() -> None:
    assert scan_of({}, scans_on_push=True) == Scan("in_progress", "ECR has not started the scan.")
