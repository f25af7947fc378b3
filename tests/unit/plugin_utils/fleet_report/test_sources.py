# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All objects of a fleet, from a bucket of the simulated S3, with the policy for readers and few calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report import document as of_fleet, sources
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import Limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Bucket
from lab.aws import permissions
from simulated import REGION, simulated_aws
from simulated.fleet_store import NOW, add, inventory, of_cluster

BUCKET = Bucket("mlfleet-reports-111111111111", "fleet")
KEYS = [f"c{number}" for number in range(5)]


def test_a_bucket_is_read_with_few_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two listings of all clusters, then five of one cluster each; two documents of runs, two reports of each cluster, and a file."""
    with simulated_aws(tmp_path) as aws:
        aws.client("s3").create_bucket(Bucket=BUCKET.name, CreateBucketConfiguration={"LocationConstraint": REGION})
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-example")
        clusters = [of_cluster(key) for key in KEYS]
        add(BUCKET, "2026-11-29T10:00:00Z", "verify", *clusters, check=True)
        add(BUCKET, "2026-11-29T11:00:00Z", "verify", *clusters, files={"x.json": {}})
        aws.control("settings", {"policies": permissions.documented("report-store-read")})
        aws.control("reset-calls", {})
        read = sources.read(BUCKET, NOW, KEYS, KEYS)
        assert read.calls == {"ListObjectsV2": 1 + 5, "GetObject": 2 + 10 + 1} and len(aws.calls()) == sum(read.calls.values())
        found = of_fleet.document(inventory(*KEYS), read, Limits(NOW, 24))
        assert found["standings"]["good"] == 5 and found["store"]["address"] == "s3://mlfleet-reports-111111111111/fleet"
        aws.fault(kind="error", operation=f"GET /{BUCKET.name}", code="AccessDenied")
        denied = sources.read(BUCKET, NOW, KEYS, KEYS)
        assert "AccessDenied" in denied.failure and denied.listing is None
