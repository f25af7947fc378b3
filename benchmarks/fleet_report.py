# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fleet report, compared with reading every report.

With a folder: 200 clusters with 12 playbooks and 30 runs each, compared with a script that parses all reports. With a simulated S3:
the same, and 20 clusters, compared with ``aws s3 sync``, which downloads all objects. The simulated API has no latency.
"""

from __future__ import annotations

import collections
import json
import os
import sys
import tempfile
import time
import typing as t
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
CLUSTERS, RUNS, IN_S3 = 200, 30, 20
VERBS = (
    *("reconcile", "login_access", "status", "access_report", "verify", "topology"),
    *("drift", "client_vpn", "drain", "placement", "update_software", "karpenter_status"),
)
NOW = "2026-11-29T12:00:00Z"
BUCKET = "mlfleet-reports-111111111111"
READ_ALL = """
import collections, json, pathlib, sys
counts = collections.Counter()
for path in pathlib.Path(sys.argv[1], "v1/clusters").rglob("*.json"):
    report = json.loads(path.read_text())
    counts[report["cluster"], report["playbook"], report["check_mode"], report["status"]] += 1
print(len(counts))
"""
"""The usual way: parse all reports, and keep what is needed."""


def rows() -> t.Iterator[tuple[str, str]]:
    sys.path[:0] = [str(HERE), str(TESTS), *os.environ["ANSIBLE_COLLECTIONS_PATH"].split(":")]
    from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder
    from simulated.fleet_store import arn

    with tempfile.TemporaryDirectory(dir="/tmp") as temporary:
        folder = Path(temporary)
        yield from in_a_folder(folder)
        yield from in_s3(folder, CLUSTERS, synced=False)
    with tempfile.TemporaryDirectory(dir="/tmp") as temporary:
        folder = Path(temporary)
        fill(Folder(str(folder / "store")), {key: arn(key) for key in keys_of(IN_S3)})
        yield from in_s3(folder, IN_S3, synced=True)


def keys_of(count: int) -> list[str]:
    return [f"c{number:03d}" for number in range(count)]


def in_a_folder(folder: Path) -> t.Iterator[tuple[str, str]]:
    import measure
    import yaml
    from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report import sources
    from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Folder
    from simulated.fleet_store import arn
    from simulated.limits import cluster, inventory

    keys, store = keys_of(CLUSTERS), folder / "store"
    hosts = {name: host for key in keys for name, host in cluster(key).items()}
    for key in keys:
        hosts[key]["vars"]["hyperpod_cluster_arn"] = arn(key)
    total = fill(Folder(str(store)), {key: arn(key) for key in keys})
    (folder / "inventory.yml").write_text(yaml.safe_dump(inventory(hosts)))
    home = folder / "home"
    home.mkdir()
    peer, _output = measure.run([sys.executable, "-c", READ_ALL, str(store)])
    variables = {"HOME": str(home), "ANSIBLE_INVENTORY": str(folder / "inventory.yml"), "AWS_PROFILE": "none"}
    extra = json.dumps({"hyperpod_report_store": str(store), "hyperpod_state_dir": str(folder / "state")})
    ours, _output = measure.run(["ansible-playbook", "mlfleet.hyperpod.fleet_report", "-e", extra], **variables)
    made = json.loads((folder / "state/fleet_report.json").read_text())
    if len(made["clusters"]) != CLUSTERS or made["standings"]["unknown"]:
        sys.exit(f"every cluster must be known: {made['standings']}")
    page = (folder / "state/fleet_report.html").stat().st_size / 2**20
    yield f"a script that parses all {total} reports of {CLUSTERS} clusters", measure.seconds(peer)
    begin = time.monotonic()
    sources.read(Folder(str(store)), NOW, keys, keys)
    seconds = time.monotonic() - begin
    size = f"{made['store']['objects_read']} objects read, page {page:.1f} MiB"
    yield "the part of fleet_report that reads them", f"{seconds:.1f} s, {seconds / peer:.2f} times; {size}"
    yield f"the playbook fleet_report on {CLUSTERS} clusters", measure.seconds(ours)


def in_s3(folder: Path, count: int, *, synced: bool) -> t.Iterator[tuple[str, str]]:
    """The reports of the store in the folder, in a bucket. With ``synced``, also ``aws s3 sync``."""
    import measure
    from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report import document, sources
    from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.fleet_report.standing import Limits
    from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.report_store.place import Bucket
    from lab.aws.control.client import Control
    from simulated import REGION, Simulated, simulator
    from simulated.fleet_store import inventory

    keys, store = keys_of(count), folder / "store"
    (folder / "aws").mkdir()
    with simulator(folder / "aws") as url:
        aws = Simulated(url)
        aws.client("s3").create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        os.environ.update({"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example"})
        prefixes = ["v1/runs", *(str(each.relative_to(store)) for each in (store / "v1/clusters").iterdir())]
        total = sum(Control(url).put_objects(BUCKET, str(store), each) for each in prefixes)
        aws.control("reset-calls", {})
        if synced:
            sync = [str(Path(sys.executable).with_name("aws")), "s3", "sync", "--quiet", f"s3://{BUCKET}", str(folder / "copy")]
            peer, _output = measure.run(sync)
            yield f"aws s3 sync of {total} objects of {count} clusters", f"{measure.seconds(peer)}, {len(aws.calls())} calls"
        begin = time.monotonic()
        read = sources.read(Bucket(BUCKET), NOW, keys, keys)
        seconds = time.monotonic() - begin
        made = document.document(inventory(*keys), read, Limits(NOW, 24))
        if made["standings"]["unknown"]:
            sys.exit(f"every cluster must be known: {made['standings']}")
        counts = ", ".join(f"{name} {number}" for name, number in read.calls.items())
        ratio = f"{seconds / peer:.2f} times; " if synced else ""
        calls = f"{sum(read.calls.values())} calls: {counts}"
        yield f"the part of fleet_report that reads {total} objects of {count} clusters", f"{seconds:.1f} s, {ratio}{calls}"


def fill(place: t.Any, arns: t.Mapping[str, str]) -> int:
    """Add the reports of all runs, each over all clusters, and every third one in check mode. Returns the number of reports."""
    from simulated.fleet_store import add, finding, of_cluster

    statuses = collections.deque(["unchanged", "changed", "unchanged", "degraded", "failed"])
    for run in range(RUNS):
        for number, verb in enumerate(VERBS):
            statuses.rotate()
            found = {"degraded": [finding("pending", "home-waits")], "failed": [finding()] * 3}.get(statuses[0], [])
            parts = [of_cluster(key, statuses[0], *found, key=key, arn=arn) for key, arn in arns.items()]
            started = f"2026-11-{28 + (run >= RUNS - 12)}T{run % 12:02d}:{number:02d}:{run:02d}Z"
            add(place, started, verb, *parts, check=verb == "drift" or run % 3 == 0)
    return RUNS * len(VERBS) * len(arns)
