# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The status of ECR's scan of an image. A scan that is missing or impossible is never an error of the module."""

from __future__ import annotations

import typing as t

from ..._aws.statuses import Statuses
from ..._core.text import printable
from ..._core.times import iso_seconds
from .model import Scan

Answer = t.Mapping[str, t.Any]
COMPLETE, IN_PROGRESS, NOT_SCANNED = "complete", "in_progress", "not_scanned"
SCAN = Statuses(
    "ecr",
    "ScanStatus",
    settled=("COMPLETE", "ACTIVE"),
    busy=("IN_PROGRESS", "PENDING"),
    failed=(
        *("FAILED", "UNSUPPORTED_IMAGE", "SCAN_ELIGIBILITY_EXPIRED", "FINDINGS_UNAVAILABLE", "LIMIT_EXCEEDED", "IMAGE_ARCHIVED"),
        "IMAGE_SIZE_EXCEEDED",
    ),
)
"""ACTIVE is the status of an image that Amazon Inspector scans continuously."""
SEVERITIES = ("CRITICAL", "HIGH", "MEDIUM", "LOW", "INFORMATIONAL", "UNDEFINED")


def scan_of(detail: Answer, *, scans_on_push: bool) -> Scan:
    """The scan of an image in an answer of DescribeImages."""
    found = detail.get("imageScanStatus") or {}
    status, description = found.get("status", ""), printable(found.get("description", "")).rstrip(".")
    if not status:
        if scans_on_push:
            return Scan(IN_PROGRESS, "ECR has not started the scan.")
        return Scan(NOT_SCANNED, "The repository does not scan images on push, and no scan was started.")
    reason = f"{status}: {description or 'ECR gives no reason'}."
    if status in SCAN.failed:
        return Scan(NOT_SCANNED, reason)
    if status not in SCAN.settled:
        return Scan(IN_PROGRESS, reason)
    summary = detail.get("imageScanFindingsSummary")
    if summary is None:
        return Scan(NOT_SCANNED, f"{status}: ECR returned no summary of the findings.")
    counts = summary.get("findingSeverityCounts") or {}
    severities = {name.lower(): int(counts.get(name, 0)) for name in (*SEVERITIES, *sorted(set(counts) - set(SEVERITIES)))}
    completed = summary.get("imageScanCompletedAt")
    return Scan(COMPLETE, "", severities, None if completed is None else iso_seconds(completed))
