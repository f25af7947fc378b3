# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of a cluster in a report, in the form that tests compare."""

from __future__ import annotations

import typing as t

KINDS = {"failure": "failures", "pending": "pending", "note": "notes"}


def cluster(report: t.Mapping[str, t.Any], key: str = "ml") -> dict[str, t.Any]:
    """The cluster's part of ``report.json``, with the texts of its findings added by kind."""
    own = report["clusters"][key]
    return {**own, **{name: texts(own, kind) for kind, name in KINDS.items()}}


def texts_of(result: t.Mapping[str, t.Any], kind: str) -> list[str]:
    """Texts of one kind of findings in a module's result."""
    return [each["text"] for each in result["hyperpod_findings"] if each["kind"] == kind]


def texts(own: t.Mapping[str, t.Any], kind: str) -> list[str]:
    return [each["text"] for each in own["findings"] if each["kind"] == kind]


def codes(own: t.Mapping[str, t.Any]) -> list[str]:
    return [each["code"] for each in own["findings"]]
