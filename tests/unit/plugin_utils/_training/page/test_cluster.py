# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section of a cluster."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import Check
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.page.cluster import cluster as section
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.report import Cluster
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.unverified import Unverified
from simulated.read_html import Element, read
from simulated.training_report import NOT_SHARED, checks, cluster, job, report, trained, unshared


def of(given: Cluster, **changes: t.Any) -> Element:
    return read(section(3, "ml", {**report({"ml": given})["clusters"]["ml"], **changes}).markup)


def rows(found: Element, class_: str) -> list[list[str]]:
    (table,) = (each for each in found.named("table") if each.attributes.get("class") == class_)
    return [[cell.text for cell in row.named("th", "td")] for row in table.named("tr")]


def test_all_checks_are_shown_in_order_with_verdict_and_result() -> None:
    assert rows(of(unshared()), "checks") == [
        ["Checked", "Verdict", "Result"],
        ["Nodes and device plugins", "\u2713 passed", "2 nodes of ml.p5.48xlarge: 8 GPUs and 32 EFA devices each."],
        ["Health of the accelerators", "? not verified", "2 nodes: 1 fit, 1 unknown."],
        ["Bandwidth between nodes (NCCL)", "\u2713 passed", "466 GB/s bus bandwidth over EFA; 302.9 GB/s or more is expected."],
        ["Shared storage", "\u2717 failed", NOT_SHARED],
        ["Training", "\u2717 failed", NOT_SHARED],
        ["Resume from the checkpoint", "? not verified", "An earlier check did not pass."],
        ["Restart after a killed process", "\u2013 skipped", "Not requested by verify_training_kill."],
        ["Restart after a deleted Pod", "\u2013 skipped", "Not requested by verify_training_kill."],
    ]


def test_the_program_of_the_user_has_its_own_rows() -> None:
    access = Check("access", "passed", "The Hub serves the files of a/b.")
    last = job("tune", weights="not_assessed", text="The image's program ended.", losses=[], checkpoints=[], pods=[], first_loss=None)
    found = of(cluster(job(), last, resumes=False, model="a/b", before=(access, *checks())))
    shown = rows(found, "checks")
    assert shown[1] == ["Access to the model", "\u2713 passed", "The Hub serves the files of a/b."]
    assert shown[-1] == ["Fine-tuning of the model", "\u2713 passed", "The image's program ended."]
    (weights,) = [row for row in rows(found, "jobs") if row[0] == "Weights"]
    assert rows(found, "jobs")[0] == ["", "train", "fine-tune"] and weights == ["Weights", "equal on all nodes", "not assessed"]


def test_chapters_are_in_reading_order() -> None:
    found = of(trained())
    chapters = [
        "Checks",
        "Jobs",
        "Loss",
        "Placement",
        "Versions",
        "Price",
        "Compared with the previous run",
        "Skipped or not verified",
    ]
    assert [each.text for each in found.named("h2", "h3")] == ["ml: Training works", *chapters] and found.at("c3")


def test_skipped_and_unverified_checks_have_a_reason() -> None:
    assert [each.text for each in of(unshared()).named("li")][-4:] == [
        "Health of the accelerators, not verified: 2 nodes: 1 fit, 1 unknown.",
        "Resume from the checkpoint, not verified: An earlier check did not pass.",
        "Restart after a killed process, skipped: Not requested by verify_training_kill.",
        "Restart after a deleted Pod, skipped: Not requested by verify_training_kill.",
    ]
    assert of(trained()).text.endswith("Skipped or not verifiedNothing.")
    left = of(trained(unverified=(Unverified("spare", "no nodes"),)))
    assert left.named("h2")[0].text == "ml: Training works on the verified nodes" and left.named("li")[-1].text == "Not verified: spare (no nodes)"


def test_a_cluster_that_failed_early_shows_only_its_reason() -> None:
    found = of(cluster(why="It failed before that."))
    assert (
        found.named("h2")[0].text == "ml: Training was not verified"
        and "It failed before that." in found.text
        and not found.named("table", "svg")
    )


def test_the_price_is_shown() -> None:
    assert "Priceabout 132.10 USD an hour" in of(trained()).text
    assert "The price of the nodes is not known." in of(trained(price="")).text
