# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics files as the collection writes them, with every metric and with states that raise alerts."""

from __future__ import annotations

import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import note, pending
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_epoch
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import drift
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.metrics import to_prometheus
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import Source
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.verdict import Verdict
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.metrics.runs import with_run

DAY = 86400
HOSTILE = 'a "b" \\n {c="d"} ä'
"""A cluster key with characters that the format escapes. No real cluster has such a key."""
ACTIVE = {
    "HyperPodCertificateExpires",
    "HyperPodCertificateExpiresSoon",
    "HyperPodClusterVanished",
    "HyperPodDrift",
    "HyperPodDriftIncomplete",
    "HyperPodInventoryIncomplete",
    "HyperPodNodeUnfit",
    "HyperPodNodeUnknown",
    "HyperPodNodesNotRead",
    "HyperPodRunFailed",
    "HyperPodRunIncomplete",
    "HyperPodNoSuccess",
}
"""The alerts that these files raise."""


def write(folder: Path, *, now: int) -> None:
    (folder / "runs.prom").write_text(runs(now))
    (folder / "drift.prom").write_text(drifted(now))
    (folder / "accelerators.prom").write_text(accelerators(now))


def runs(now: int) -> str:
    """The file after three runs: in the first one, two days ago, all clusters succeeded."""
    ends = {"vpn-ca": iso_epoch(now + 900 * DAY), "vpn-crl": iso_epoch(now + 5 * DAY), "host": iso_epoch(now + 20 * DAY)}
    fine, failed, waits = ({"status": status, "findings": []} for status in ("unchanged", "failed", "degraded"))
    first = {"ml": {**fine, "certificates": {"vpn-ca": ends["vpn-ca"]}}, "gone": fine, HOSTILE: {**fine, "certificates": ends}}
    text = with_run("", _report(now - 2 * DAY, "reconcile", first))
    text = with_run(text, _report(now - 600, "verify", {"ml": fine}))
    waits["findings"] = [{"kind": "pending", "code": "home-waits"}]
    return with_run(text, _report(now, "reconcile", {"ml": failed, HOSTILE: waits}))


def drifted(now: int) -> str:
    verdict = Verdict()
    for key in ("ml", HOSTILE):
        verdict.looked_at(Source(key, key, key, trusted=True))
    verdict.ok(Source("ml", "ml", "ml", trusted=True), {"changed": True})
    verdict.of_all_clusters(note("home-waits", "It waits."))
    verdict.clusters["ml"].add([Source("ml", "i-1", "ml-1", trusted=False).reported(pending("home-waits", "It waits."))])
    return drift.judge(verdict.clusters, now=now, not_read=["eu-west-1 of 111111111111"]).to_prometheus()


def accelerators(now: int) -> str:
    verdicts = ("fit", "unfit-reboot", "unknown", "watch")
    problem = {"code": "gpu-xid", "verdict": "unfit-reboot"}
    nodes: dict[str, t.Any] = {
        f"i-{number:017x}": {"verdict": verdict, "problems": [problem] if verdict.startswith("unfit") else []}
        for number, verdict in enumerate(verdicts)
    }
    clusters = {"ml": {"failure": "", "nodes": nodes}, HOSTILE: {"failure": "no", "nodes": {}}}
    return to_prometheus({"created": iso_epoch(now), "clusters": clusters, "inventory_failures": []})


def _report(now: int, playbook: str, clusters: dict[str, t.Any]) -> dict[str, t.Any]:
    failures = ["eu-west-1 of 111111111111"]
    return {"ended": iso_epoch(now), "playbook": playbook, "clusters": clusters, "inventory_failures": failures, "interrupted": False}
