# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks before the jobs, from results of modules."""

from __future__ import annotations

import typing as t

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import Outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training import checks
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._training.checks import Check

LONG = "x" * 10_000


def problem(verdict: str, text: str) -> dict[str, t.Any]:
    return {"code": "gpu-xid", "verdict": verdict, "cause": "hardware", "text": text}


def row(name: str, verdict: str, *problems: dict[str, t.Any], **health: t.Any) -> dict[str, t.Any]:
    return {"instance_id": name, "health": {"verdict": verdict, "problems": list(problems), **health}, "why": ""}


UNREAD = {"instance_id": "i-9", "health": None, "why": "No Pod started."}
UNSEEN = row("i-1", "unknown", not_looked_at=[{"what": "nvidia-smi", "why": "no answer"}])
WATCHED = row("i-1", "watch", problem("watch", "GPU 6 is hot."))
BROKEN = row("i-2", "unfit-replace", problem("watch", "GPU 6 is hot."), problem("unfit-replace", "GPU 3 fell off the bus."))


@pytest.mark.parametrize(
    ("rows", "verdict", "text", "codes"),
    [
        ([], "not_run", "The health check returned no nodes.", ["module-failed"]),
        ([row("i-1", "fit")], "passed", "1 node: 1 fit.", []),
        ([row("i-1", "fit"), WATCHED | {"instance_id": "i-2"}], "passed", "2 nodes: 1 fit, 1 watch.", []),
        ([row("i-1", "fit"), UNREAD], "not_run", "2 nodes: 1 fit, 1 unknown.", ["health-unknown"]),
        ([UNSEEN], "not_run", "1 node: 0 fit, 1 unknown.", ["health-unknown"]),
        ([row("i-1", "good")], "not_run", "1 node: 0 fit, 1 unknown.", ["health-unknown"]),
        ([UNREAD, BROKEN], "failed", "2 nodes: 0 fit, 1 unknown, 1 unfit-replace.", ["node-unfit", "health-unknown"]),
        ([row("i-1", "fit", problem("unfit-reboot", "No."))], "failed", "1 node: 0 fit, 1 unfit-reboot.", ["node-unfit"]),
        ([BROKEN, row("i-2", "fit")], "failed", "1 node: 0 fit, 1 unfit-replace.", ["node-unfit"]),
        ([row("i-2", "fit"), BROKEN], "failed", "1 node: 0 fit, 1 unfit-replace.", ["node-unfit"]),
        ([row("i-1", "fit", waived=[problem("unfit-reboot", "No.")])], "passed", "1 node: 1 fit, 1 problem waived.", []),
    ],
)
def test_the_health_of_nodes_becomes_a_check(rows: t.Any, verdict: str, text: str, codes: list[str]) -> None:
    made = checks.of_health(rows)
    assert (made.name, made.verdict, made.text, [each.code for each in made.problems]) == ("health", verdict, text, codes)


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (
            BROKEN,
            "The verdict on i-2 is unfit-replace: GPU 3 fell off the bus. Run the playbook verify for details, and the playbook remediate to "
            "repair the node.",
        ),
        (UNREAD, "The health of i-9 is unknown: No Pod started. Run the playbook verify for details."),
        (UNSEEN, "The health of i-1 is unknown: nvidia-smi could not be checked: no answer. Run the playbook verify for details."),
        (
            row("i-1", "unfit-reboot"),
            "The verdict on i-1 is unfit-reboot: No reason was returned. Run the playbook verify for details, and the playbook remediate to repair the node.",
        ),
        (UNREAD | {"why": ""}, "The health of i-9 is unknown: No verdict was returned. Run the playbook verify for details."),
    ],
)
def test_the_reason_matches_the_verdict(given: t.Any, text: str) -> None:
    assert [each.text for each in checks.of_health([given]).problems] == [text]


def test_the_worst_of_many_nodes_are_named() -> None:
    rows = [*(UNREAD | {"instance_id": f"i-{number:02}"} for number in range(20)), BROKEN]
    made = checks.of_health(rows)
    assert made.text == "21 nodes: 0 fit, 20 unknown, 1 unfit-replace." and len(made.problems) == checks.MOST_NODES
    assert made.problems[0].text.startswith("The verdict on i-2 is unfit-replace")


def test_texts_of_nodes_are_short_and_printable() -> None:
    given = [row("i-1", "unfit-reboot", problem("unfit-reboot", f"\x1b[31m\u202e{LONG}"))]
    (found,) = checks.of_health(given).problems
    assert len(found.text) < 500 and found.text.isprintable()


def nccl(verdict: str, **changes: t.Any) -> Outcome:
    return Outcome(("i-1", "i-2"), verdict, **{"text": "It was so.", **changes})


@pytest.mark.parametrize(
    ("outcome", "verdict", "text", "codes"),
    [
        (nccl("passed", bandwidth=466.04, floor=302.9, carried_by="EFA"), "passed",
         "466 GB/s bus bandwidth over EFA; 302.9 GB/s or more is expected.", []),
        (nccl("passed", bandwidth=12.0), "passed", "12 GB/s bus bandwidth; the rate is not assessed, because no expected rate is known.", []),
        (nccl("passed"), "not_run", "The test returned no bandwidth.", ["nccl-not-run"]),
        (nccl("slow", bandwidth=46.0, floor=302.9), "failed", "It was so.", ["nccl-slow"]),
        (nccl("failed", failure="no_efa", bandwidth=12.0), "failed", "It was so.", ["nccl-no-efa"]),
        (nccl("failed"), "failed", "It was so.", ["nccl-failed"]),
        (nccl("not_run", failure="image"), "not_run", "It was so.", ["nccl-image"]),
        (nccl("not_run"), "not_run", "It was so.", ["nccl-not-run"]),
    ],
)  # fmt: skip
def test_the_bandwidth_between_nodes_becomes_a_check(outcome: Outcome, verdict: str, text: str, codes: list[str]) -> None:
    made = checks.of_nccl(outcome)
    assert (made.name, made.verdict, made.text, [each.code for each in made.problems]) == ("nccl", verdict, text, codes)
    assert made.figures == ({} if outcome.bandwidth is None else {"bus_gb_per_second": outcome.bandwidth})


def test_a_bandwidth_problem_has_a_next_step_and_log_lines() -> None:
    (found,) = checks.of_nccl(nccl("slow", bandwidth=46.0, evidence="NET/Socket")).problems
    assert found.text == "It was so. Check the placement of the nodes and their EFA devices. The test logged: NET/Socket"


@pytest.mark.parametrize("verdict", ["passed", "failed", "not_run"])
def test_nodes_have_the_verdict_of_the_module_with_its_notes(verdict: str) -> None:
    notes = [{"code": "huge-pages-missing", "text": "EFA works without them."}]
    given = {
        "verdict": verdict,
        "text": "2 nodes.",
        "problems": [{"code": "gpus-differ", "text": f"7 of 8.\n{LONG}"}],
        "notes": notes,
    }
    made = checks.of_nodes(given)
    assert (made.name, made.verdict, made.text) == ("nodes", verdict, "2 nodes. EFA works without them.")
    assert made.problems[0].code == "gpus-differ" and len(made.problems[0].text) <= 2000 and "\n" not in made.problems[0].text


def test_a_module_that_failed_proves_nothing() -> None:
    made = checks.no_answer("health", LONG)
    assert (made.verdict, made.problems[0].code) == ("not_run", "module-failed") and len(made.text) <= 2000


@pytest.mark.parametrize(
    "check", [checks.of_health([BROKEN]), checks.of_nccl(nccl("passed", bandwidth=466.0)), Check("nodes", "passed", "Good.")]
)
def test_a_check_survives_the_round_trip_through_a_fact(check: Check) -> None:
    assert checks.check_of(check.to_task()) == check


def test_a_fact_may_have_no_figures() -> None:
    given = Check("nodes", "passed", "Good.").to_task()
    del given["figures"]
    assert checks.check_of(given) == Check("nodes", "passed", "Good.")
