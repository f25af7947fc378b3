# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All objects of a fleet, from a bucket of the simulated S3, with the policy for readers and few calls."""

from __future__ import annotations

import contextlib
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report import document as of_fleet, sources
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import Limits
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Bucket
from lab.aws import permissions
from simulated import REGION, Simulated, simulated_aws
from simulated.fleet_store import NOW, add, finding, inventory, of_cluster

BUCKET = Bucket("mlfleet-reports-111111111111", "fleet")
KEYS = [f"c{number}" for number in range(5)]


@contextlib.contextmanager
def bucket(folder: Path, monkeypatch: pytest.MonkeyPatch) -> t.Iterator[Simulated]:
    with simulated_aws(folder) as aws:
        aws.client("s3").create_bucket(Bucket=BUCKET.name, CreateBucketConfiguration={"LocationConstraint": REGION})
        monkeypatch.setenv("AWS_ENDPOINT_URL", aws.url)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-example")
        yield aws


def test_a_bucket_is_read_with_few_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two listings of all clusters, then five of one cluster each; two documents of runs, two reports of each cluster, and a file."""
    with bucket(tmp_path, monkeypatch) as aws:
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


def test_files_are_read_before_the_ages_of_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the time is short, the numbers are known, and only ages are not."""
    with bucket(tmp_path, monkeypatch) as aws:
        first = add(BUCKET, "2026-11-29T10:00:00Z", "verify", of_cluster("c0", "failed", finding()))
        last = add(BUCKET, "2026-11-29T11:00:00Z", "verify", of_cluster("c0", "failed", finding()), files={"x.json": {}})
        aws.control("reset-calls", {})
        read = sources.read(BUCKET, NOW, ["c0"], ["c0"])
        names = [each.rpartition("/")[2] for each in aws.calls() if each.endswith(".json")]
        assert names.index("x.json") < [at for at, name in enumerate(names) if name == f"{first}.json"][-1], names
        assert [each.started for each in read.runs["c0", "verify"].real.earlier] == ["2026-11-29T10:00:00Z"] and f"{last}.json" in names
