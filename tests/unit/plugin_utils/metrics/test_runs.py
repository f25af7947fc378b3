# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Metrics of the last run of each playbook on each cluster."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import iso_epoch
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.metrics.runs import KEPT_SECONDS, with_run

NOW, DAY = 1_800_000_000, 86400
EXPIRY = NOW + 20 * DAY


def cluster(status: str = "changed", *found: tuple[str, str], **certificates: str) -> dict[str, t.Any]:
    named = {name.replace("_", "-"): end for name, end in certificates.items()} or None
    return {"status": status, "findings": [{"kind": kind, "code": code} for kind, code in found], "certificates": named}


def report(*, now: int = NOW, playbook: str = "reconcile", **given: t.Any) -> dict[str, t.Any]:
    clusters = given.pop("clusters", None) or {"ml": cluster(**given.pop("ml", {}))}
    common = {"ended": iso_epoch(now), "playbook": playbook, "clusters": clusters, "inventory_failures": [], "interrupted": False}
    return {**common, **given}


def values(text: str) -> dict[str, int]:
    """The samples by name and label values, without the common prefix of the names."""
    rows = (line.removeprefix("mlfleet_hyperpod_").rsplit(" ", 1) for line in text.split("\n") if line and line[0] != "#")
    return {" ".join([name.split("{")[0], *name.split('"')[1::2]]): int(value) for name, value in rows}


def after(*reports: dict[str, t.Any]) -> dict[str, int]:
    text = ""
    for each in reports:
        text = with_run(text, each)
    return values(text)


def test_a_run_has_its_status_its_end_and_its_findings() -> None:
    found = (("pending", "home-waits"), ("pending", "node-unreachable"), ("note", "x"))
    assert after(report(clusters={"ml": cluster("degraded", *found)}, inventory_failures=["eu-west-1"])) == {
        "last_run_status ml reconcile": 3,
        "last_run_timestamp_seconds ml reconcile": NOW,
        "last_run_findings ml reconcile failure": 0,
        "last_run_findings ml reconcile pending": 2,
        "last_run_findings ml reconcile note": 1,
        "last_run_inventory_failures reconcile": 1,
    }


@pytest.mark.parametrize(
    ("status", "number", "success"),
    [("unchanged", 0, True), ("changed", 1, True), ("degraded", 3, False), ("failed", 4, False)],
)
def test_a_failed_run_keeps_the_time_of_the_last_success(status: str, number: int, success: bool) -> None:
    found = after(report(), report(now=NOW + DAY, ml={"status": status}))
    assert found["last_run_status ml reconcile"] == number
    assert found["last_run_timestamp_seconds ml reconcile"] == NOW + DAY
    assert found["last_success_timestamp_seconds ml reconcile"] == (NOW + DAY if success else NOW)


def test_a_run_that_ended_early_is_no_success() -> None:
    found = after(report(), report(now=NOW + DAY, interrupted=True))
    assert (found["last_run_status ml reconcile"], found["last_success_timestamp_seconds ml reconcile"]) == (4, NOW)


def test_other_clusters_and_playbooks_stay() -> None:
    found = after(
        report(clusters={"ml": cluster(), "other": cluster("failed")}),
        report(now=NOW + 1, playbook="verify"),
        report(now=NOW + 2),
    )
    ends = {name: value for name, value in found.items() if name.startswith("last_run_timestamp")}
    assert ends == {
        "last_run_timestamp_seconds ml reconcile": NOW + 2,
        "last_run_timestamp_seconds ml verify": NOW + 1,
        "last_run_timestamp_seconds other reconcile": NOW,
    }
    assert found["last_run_inventory_failures verify"] == 0


@pytest.mark.parametrize(("code", "status"), [("not-looked-at", 1), ("lock-held", 2)])
def test_only_a_cluster_that_the_run_selects_has_a_run(code: str, status: int) -> None:
    found = after(report(), report(now=NOW + DAY, clusters={"ml": cluster("skipped", ("note", code))}))
    assert found["last_run_status ml reconcile"] == status
    assert found["last_run_timestamp_seconds ml reconcile"] == (NOW + DAY if status == 2 else NOW)
    assert found["last_success_timestamp_seconds ml reconcile"] == NOW


def test_certificates_stay_until_a_run_reads_them_again() -> None:
    first = report(clusters={"ml": cluster(vpn_ca=iso_epoch(EXPIRY), host=iso_epoch(EXPIRY + 1), another=iso_epoch(1))})
    later = report(now=NOW + DAY, clusters={"ml": cluster(host=iso_epoch(EXPIRY + DAY), vpn_crl="tomorrow", vpn_user="0001-01-01")})
    found = {name: value for name, value in after(first, later).items() if name.startswith("certificate") and "vpn-user" not in name}
    assert found == {
        "certificate_expiry_timestamp_seconds ml vpn-ca": EXPIRY,
        "certificate_expiry_timestamp_seconds ml host": EXPIRY + DAY,
        "certificate_read_timestamp_seconds ml vpn-ca": NOW,
        "certificate_read_timestamp_seconds ml host": NOW + DAY,
    }


def test_a_cluster_that_no_longer_exists_stays_for_thirty_days() -> None:
    gone = cluster(vpn_ca=iso_epoch(EXPIRY))
    first = report(clusters={"ml": cluster(), "gone": gone})
    still = after(first, report(now=NOW + KEPT_SECONDS))
    assert (still["last_run_timestamp_seconds gone reconcile"], still["certificate_read_timestamp_seconds gone vpn-ca"]) == (NOW, NOW)
    assert not [name for name in after(first, report(now=NOW + KEPT_SECONDS + 1)) if "gone" in name]


def test_a_long_series_of_failures_does_not_remove_the_last_success() -> None:
    failed = [report(now=NOW + number * 20 * DAY, ml={"status": "failed"}) for number in (1, 2, 3)]
    assert after(report(), *failed)["last_success_timestamp_seconds ml reconcile"] == NOW


def test_what_another_program_wrote_is_dropped() -> None:
    late = NOW + 1
    forged = [
        f'mlfleet_hyperpod_last_success_timestamp_seconds{{cluster="ml",playbook="reconcile"}} {late}',
        f'mlfleet_hyperpod_last_run_timestamp_seconds{{cluster="x",playbook="reconcile"}} {late}',
        'mlfleet_hyperpod_last_run_status{cluster="x",playbook="reconcile"} 0',
        'mlfleet_hyperpod_last_run_status{cluster="y",playbook="reconcile"} 0',
        'mlfleet_hyperpod_last_run_inventory_failures{playbook="z"} 7',
        'mlfleet_hyperpod_certificate_expiry_timestamp_seconds{cluster="x",certificate="vpn-ca"} 1',
        'node_load1 0.5',
    ]
    text = with_run("\n".join(forged), report(ml={"status": "failed"}))
    assert set(values(text)) == set(after(report(ml={"status": "failed"})))
