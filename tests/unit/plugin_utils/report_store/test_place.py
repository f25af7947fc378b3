# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The address of the report store."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import Refused
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Bucket, Folder, place


@pytest.mark.parametrize(
    ("value", "found", "address"),
    [
        ("s3://reports", Bucket("reports", "", "fleet"), "s3://reports/v1/a.json"),
        ("s3://reports/", Bucket("reports", "", "fleet"), "s3://reports/v1/a.json"),
        ("s3://my.reports-1/a/b/", Bucket("my.reports-1", "a/b", "fleet"), "s3://my.reports-1/a/b/v1/a.json"),
    ],
)
def test_a_bucket(value: str, found: Bucket, address: str) -> None:
    assert place(value, "fleet") == found and found.address("v1/a.json") == address
    assert place(value, "") == Bucket(found.name, found.prefix)


def test_a_folder() -> None:
    assert place("/srv/reports/", "") == Folder("/srv/reports") and Folder("/srv/reports").address("v1/a") == "/srv/reports/v1/a"
    assert place("", "") is place("", "fleet") is None


@pytest.mark.parametrize(
    "value",
    [
        *("reports", "./reports", "~/reports", "/", "//", "file:///reports", "http://reports", "s3:/reports", "S3://reports"),
        *("s3://", "s3://a", "s3://Reports", "s3://reports_1", "s3:///a", "s3://-reports", f"s3://{'a' * 64}"),
        *("s3://reports/../a", "s3://reports/a//b", "s3://reports/./a", "s3://reports/a b", "s3://reports/a?b", "s3://reports/\n"),
        f"s3://reports/{'a' * 513}",
    ],
)
def test_other_values_are_refused(value: str) -> None:
    with pytest.raises(Refused, match="hyperpod_report_store: .* is not allowed. Allowed: "):
        place(value, "")


def test_a_folder_has_no_profile() -> None:
    with pytest.raises(Refused, match="hyperpod_report_store_profile: 'fleet' is not allowed: hyperpod_report_store is a folder"):
        place("/srv/reports", "fleet")
