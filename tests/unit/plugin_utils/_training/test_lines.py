# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The report as text lines."""

from __future__ import annotations

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.lines import lines
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.unverified import Unverified
from simulated.training_report import NOT_SHARED, cluster, job, report, slower, trained, unshared

UNKNOWN = {"losses": [], "first_loss": None, "tokens_per_second": None, "tflops": None, "weights": "not_read", "carried_by": ""}


def test_lines_are_ordered_by_verdicts_checks_jobs_and_problems() -> None:
    assert lines(report(not_read=["us-east-1"]))[:4] == [
        "production: Training works",
        "research: Training does not work as required",
        "The inventory could not be read completely: us-east-1",
        "cluster     check    verdict  result",
    ]
    shown = lines(report())
    assert "production  resume   41 to 80    0.525 to 0.0989  283900    2.53 %   EFA      equal" in shown
    assert "research    train    1 to 20     -                -         -        EFA      not_read" in shown
    assert "research    resume   not_run  An earlier check did not pass." in shown
    assert shown[-2:] == [
        "research, health: health-unknown: The health of i-0f9e is unknown: no Pod started.",
        f"research, storage, train: storage-not-shared: {NOT_SHARED}",
    ]


def test_a_cluster_without_checks_is_printed() -> None:
    assert lines(report({"ml": cluster(why="No node.")})) == ["ml: Training was not verified. No node."]


def test_nodes_that_no_job_verifies_are_named_beside_the_verdict() -> None:
    left = (Unverified("1 of 2 nodes of gpu", "missing"), Unverified("trn", "Neuron devices"))
    words = "Not verified: 1 of 2 nodes of gpu (missing), trn (Neuron devices)"
    assert lines(report({"ml": trained(unverified=left)}))[0] == f"ml: Training works on the verified nodes. {words}"
    assert lines(report({"ml": unshared(), "b": trained()}))[:2] == ["ml: Training does not work as required", "b: Training works"]


def test_a_job_that_did_not_run_is_printed() -> None:
    shown = lines(report({"ml": cluster(job(verdict="not_run", failure="busy", text="The nodes are busy.", **UNKNOWN))}))
    assert (
        "ml       train  -      -     -         -        not proven  not_read" in shown
        and shown[-1] == "ml, train: busy: The nodes are busy."
    )


def test_objects_that_would_be_created_are_listed_by_check() -> None:
    rows = [{"kind": "ConfigMap", "namespace": "ml", "name": "training-*", "node": ""}]
    pod = {"kind": "Pod", "namespace": "ours", "name": "look-*", "node": "n1"}
    of_checks = {"health": [{"kind": "Namespace", "namespace": "", "name": "ours", "node": ""}, pod]}
    planned = {"verdict": "not_run", "failure": "check-mode", **UNKNOWN}
    given = cluster(job(would_create=rows, **planned), job("resume", would_create=rows, **planned), of_checks=of_checks)
    shown = lines(report({"ml": given}))
    assert [each.split() for each in shown[shown.index("cluster  check   would create  name           node") + 1 :]][:4] == [
        ["ml", "health", "Namespace", "ours", "-"],
        ["ml", "health", "Pod", "ours/look-*", "n1"],
        ["ml", "train", "ConfigMap", "ml/training-*", "-"],
        ["ml", "resume", "ConfigMap", "ml/training-*", "-"],
    ]


def test_a_slower_run_is_the_last_line() -> None:
    assert lines(slower())[-1] == "production: Training is 23 % slower than on 2026-11-25 02:30 UTC: 283900 instead of 371000 tokens per second."
    equal = report({"production": trained()}, before=report({"production": trained()}))
    assert equal["clusters"]["production"]["compared"] and not any("slower" in each for each in lines(equal))


def test_untrusted_texts_are_printable() -> None:
    document = report()
    document["clusters"]["research"]["checks"][0]["text"] = "\x1b[31m\u202e"
    assert any("?[31m?" in each for each in lines(document))
