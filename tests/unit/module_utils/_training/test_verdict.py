# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on one job: each code with a case that yields it, and a near miss that does not."""

from __future__ import annotations

import ast
import dataclasses
import typing as t
from pathlib import Path

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.events import pod_log
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import (
    UNPROVEN,
    Desired,
    Figures,
    Place,
    Verdict,
    numbers,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.rendezvous import UNMET
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.verdict import judge

from .logged import ATTEMPT, EFA, SOCKETS, Job, line, trained

AGAIN = ATTEMPT + 5000
SOURCES = Path(__file__).resolve().parents[4] / "plugins/module_utils/_training"
TWO = Desired(nodes=2, processes=1, steps=20, deadline=60, efa=True)
ERROR = {"type": "ValueError", "message": "No. Not even. This.", "phase": "train", "step": 3}
LATE, SIGNAL = {"seconds": 60.0, "phase": "train", "step": 3}, {"signal": 15, "phase": "train", "step": 3}
OTHER = "b" * 64
UNREACHED = "The client socket has timed out after 60000ms while trying to connect to (train-0, 29500)."


def codes(found: Verdict) -> list[str]:
    for problem in found.problems:
        assert problem.text.endswith(".") and problem.text.count(". ") <= 1 and problem.text.isprintable(), problem.text
    return [problem.code for problem in found.problems]


def judged(job: Job, *, unread: t.Collection[int] = (), **desired: t.Any) -> Verdict:
    return judge(dataclasses.replace(TWO, **{"nodes": job.nodes, "processes": job.processes, **desired}), job.logs(unread=unread))


def of(change: t.Callable[[Job], t.Any], **options: t.Any) -> Job:
    """A successful job with a change."""
    job = trained(**options)
    change(job)
    return job


def started(*then: tuple[str, int, dict[str, t.Any]]) -> Job:
    """A job that started and did not end."""
    job = Job()
    job.begin()
    job.train(1, 3)
    for event, rank, fields in then:
        job.add(event, rank, **fields)
    return job


def built(**options: t.Any) -> Job:
    """``options``: ``hashes``, ``loss``, ``end``, ``interrupted`` (name of an event), ``again`` (step after which the job restarts)."""
    job = Job(**options.get("job", {}))
    job.begin()
    job.train(1, 20, loss=options.get("loss", lambda step: 9.0 / step))
    job.save(20, hashes=options.get("hashes"))
    if "interrupted" in options:
        job.add(options["interrupted"], 1, step=20)
    if "again" in options:
        job.begin(options["again"], AGAIN)
    job.end(**{"attempt": AGAIN if "again" in options else ATTEMPT, **options.get("end", {})})
    return job


def flat(value: float) -> dict[str, t.Any]:
    return {"loss": lambda step: value}


HSDP = {"nodes": 2, "processes": 2}
CASES: list[tuple[str, Job, dict[str, t.Any], list[str]]] = [
    ("all well", trained(), {}, []),
    ("all well, two processes per node", trained(**HSDP), {}, []),
    ("all well, one process", trained(nodes=1, network=()), {}, []),
    ("all well after a resume", trained(first=20, steps=40), {"steps": 40, "first_step": 20}, []),
    ("no output", Job(), {}, ["nothing-reported"]),
    ("an error before the start", of(lambda job: job.without('"')), {}, ["nothing-reported"]),
    ("a launcher cannot connect", of(lambda job: job.pods.__setitem__(slice(None), [[], [UNREACHED]])), {}, ["rendezvous-failed"]),
    ("a launcher waits in vain", of(lambda job: job.pods.__setitem__(slice(None), [["api.RendezvousTimeoutError"], []])), {},
     ["rendezvous-failed"]),
    ("a launcher waits in vain, and a log is unread", of(lambda job: job.pods.__setitem__(slice(None), [["RendezvousTimeoutError"], []])),
     {"unread": [1]}, ["log-not-read", "nothing-reported"]),
    ("a launcher that connected later", of(lambda job: job.pods[1].append(UNREACHED)), {}, []),
    ("a log unread", trained(), {"unread": [1]}, ["log-not-read", "weights-unproven", "carrier-unproven"]),
    ("all logs unread", trained(), {"unread": [0, 1]}, ["log-not-read", "nothing-reported"]),
    ("rank 0 unread", trained(), {"unread": [0], "efa": False},
     ["log-not-read", "steps-unproven", "checkpoint-missing", "loss-unproven", "weights-unproven"]),
    ("an invalid event", of(lambda job: job.add("step", 0, step=1)), {}, ["log-incomplete"]),
    ("an unknown event", of(lambda job: job.add("later", 0, step=1)), {}, []),
    ("a foreign rank", of(lambda job: job.pods[0].append(line("end", 1))), {}, ["log-incomplete"]),
    ("a rank of another node", of(lambda job: job.pods[0].append(line("error", 1, **ERROR))), {}, ["rank-on-another-node"]),
    ("an error of the own rank, and all ended", of(lambda job: job.add("error", 1, **ERROR)), {}, []),
    ("a program error", started(("error", 1, ERROR)), {}, ["program-error"]),
    ("a program error, then SIGTERM", started(("ended", 0, SIGNAL), ("error", 1, ERROR)), {}, ["program-error"]),
    ("storage is not shared", started(("error", 1, {**ERROR, "type": "FileNotFoundError", "phase": "share"})), {}, ["storage-not-shared"]),
    ("another error in that phase", started(("error", 1, {**ERROR, "phase": "share"})), {}, ["program-error"]),
    ("that error in another phase", started(("error", 1, {**ERROR, "type": "FileNotFoundError"})), {}, ["program-error"]),
    ("an error before training", of(lambda job: job.without('"ready"') and job.without('"step"').add("error", 0, **ERROR)),
     {}, ["program-error"]),
    ("a deadline", started(("deadline", 0, LATE), ("deadline", 1, LATE)), {}, ["deadline"]),
    ("a deadline, and all ended", of(lambda job: job.add("deadline", 0, **LATE)), {}, []),
    ("SIGTERM for all", started(("ended", 0, SIGNAL), ("ended", 1, SIGNAL)), {}, ["ended"]),
    ("SIGTERM for one, the other is silent", started(("ended", 0, SIGNAL)), {}, ["rank-missing"]),
    ("all silent", started(), {}, ["rank-missing"]),
    ("one rank has no end", of(lambda job: job.without('"end"', 1)), {}, ["rank-missing"]),
    ("one rank did not start", of(lambda job: job.pods.__setitem__(1, [])), {}, ["rank-missing"]),
    ("one rank did not start, but its log is unread", of(lambda job: job.pods.__setitem__(1, [])), {"unread": [1], "efa": False},
     ["log-not-read", "weights-unproven"]),
    ("weights differ", built(hashes={1: OTHER}), {}, ["weights-differ"]),
    ("weights differ, which stopped the program", started(
        ("weights", 0, {"step": 3, "shard": 0, "replica": 0, "sha256": "a" * 64}),
        ("weights", 1, {"step": 3, "shard": 0, "replica": 1, "sha256": OTHER}),
        ("error", 0, {**ERROR, "phase": "compare"})), {}, ["weights-differ"]),
    ("shards differ", built(job=HSDP, hashes={0: OTHER, 2: OTHER}), HSDP, []),
    ("one replica of a shard differs", built(job=HSDP, hashes={3: OTHER}), HSDP, ["weights-differ"]),
    ("one hash is missing", of(lambda job: job.without('"weights"', 1)), {}, ["weights-unproven"]),
    ("no hashes on one node", of(lambda job: job.without('"weights"'), nodes=1, network=()), {}, []),
    ("a step twice", of(lambda job: job.train(7, 7)), {}, ["steps-counted-twice"]),
    ("a step twice after a planned restart", built(again=10, end={}), {"restarts": 1},
     ["checkpoint-not-loaded", "steps-unproven", "not-restarted"]),
    ("too many updates", built(end={"updates": 21}), {}, ["steps-counted-twice"]),
    ("an early end that the updates contradict", built(end={"step": 19, "updates": 20}), {}, ["steps-missing"]),
    ("too many updates in one rank", of(lambda job: job.pods.__setitem__(1, [
        each.replace('"updates": 20', '"updates": 21') for each in job.pods[1]])), {}, ["steps-counted-twice"]),
    *((f"a vocabulary of {number}", of(lambda job, number=number: job.pods.__setitem__(slice(None), [
        [each.replace('"vocabulary": 8192', f'"vocabulary": {number}') for each in pod] for pod in job.pods])), {}, ["loss-unproven"])
      for number in (0, 1)),
    ("too few updates", built(end={"updates": 19}), {}, ["steps-missing"]),
    ("an early end", built(end={"step": 19, "updates": 19}), {}, ["steps-missing"]),
    *((f"step {step} without a line", of(lambda job, step=step: job.without(f'"step": {step}, "loss"')), {}, ["steps-unproven"])
      for step in (1, 7, 19, 20)),
    ("not resumed", trained(steps=40), {"steps": 40, "first_step": 20}, ["checkpoint-not-loaded"]),
    ("resumed, but not planned", trained(first=20, steps=40), {"steps": 40}, ["steps-unproven"]),
    ("no checkpoint", of(lambda job: job.without('"saved"')), {}, ["checkpoint-missing"]),
    ("no checkpoint, and none is required", of(lambda job: job.without('"saved"')), {"checkpoints": False}, []),
    ("no validation loss", of(lambda job: job.pods.__setitem__(slice(None), [
        [each.replace('"validation": 2.0, "load', '"validation": null, "load') for each in pod] for pod in job.pods]), first=20, steps=40),
     {"steps": 40, "first_step": 20}, ["validation-unproven"]),
    ("the loss does not fall", built(**flat(9.0)), {"loss_bound": 8.9}, ["loss-not-falling", "loss-above-bound"]),
    ("the loss does not fall to its bound", built(loss=lambda step: 9.0 - step / 100), {"loss_bound": 8.0}, ["loss-above-bound"]),
    ("the loss rises to its bound", built(loss=lambda step: 7.0 + step / 100), {"loss_bound": 7.0}, ["loss-not-falling", "loss-above-bound"]),
    ("the loss was below its bound before", built(**flat(5.0)), {"loss_bound": 5.1}, []),
    ("the loss was at its bound before", built(**flat(5.0)), {"loss_bound": 5.0}, []),
    ("the loss ends at its bound", built(loss=lambda step: 5.0 if step > 15 else 9.0), {"loss_bound": 5.0}, []),
    ("above the default bound of 6.76", built(loss=lambda step: 6.8 if step > 15 else 9.0), {}, ["loss-above-bound"]),
    ("below the default bound of 6.76", built(loss=lambda step: 6.7 if step > 15 else 9.0), {}, []),
    ("one step proves no learning", trained(first=19), {"first_step": 19}, ["loss-unproven"]),
    ("sockets", trained(network=SOCKETS), {}, ["carried-by-sockets"]),
    ("sockets where EFA is not required", trained(network=SOCKETS), {"efa": False}, []),
    ("sockets on one node", trained(nodes=1, network=SOCKETS), {}, []),
    ("sockets in one Pod", of(lambda job: job.pods[1].extend(SOCKETS)), {}, ["carried-by-sockets"]),
    ("no proof of EFA", trained(network=()), {}, ["carrier-unproven"]),
    ("no proof of EFA in one Pod", of(lambda job: job.without("NCCL", 1)), {}, ["carrier-unproven"]),
    ("no proof where EFA is not required", trained(network=()), {"efa": False}, []),
    ("EFA devices that sent nothing", trained(efa=(4, 0)), {}, ["efa-unused"]),
    ("sockets in a job that failed", of(lambda job: job.pods[0].extend(SOCKETS) or job.without('"end"', 1)), {},
     ["rank-missing", "carried-by-sockets"]),
    ("a restart", built(again=20), {}, ["restarted"]),
    ("a planned restart", built(interrupted="killed", again=20), {"restarts": 1}, []),
    ("a planned restart of a Pod", built(interrupted="held", again=20), {"restarts": 1}, []),
    ("an older checkpoint after it", built(interrupted="killed", again=19), {"restarts": 1}, ["checkpoint-not-loaded", "steps-unproven"]),
    ("a killed process without a restart", built(interrupted="killed"), {"restarts": 1}, ["not-restarted"]),
    ("a deleted Pod without a restart", built(interrupted="held"), {"restarts": 1}, ["not-restarted"]),
    ("a restart without a killed process", built(again=20), {"restarts": 1}, ["not-restarted"]),
    ("no killed process", trained(), {"restarts": 1}, ["not-restarted"]),
    ("no killed process, but a log is unread", trained(), {"restarts": 1, "unread": [1], "efa": False}, ["log-not-read", "weights-unproven"]),
    ("no killed process, but an event is invalid", of(lambda job: job.add("step", 0, step=1)), {"restarts": 1}, ["log-incomplete"]),
    ("no killed process, and no output", Job(), {"restarts": 1}, ["nothing-reported"]),
    ("a killed process that was not planned", built(interrupted="killed"), {}, []),
    ("two restarts after a killed process", of(lambda job: job.begin(20, AGAIN) or job.begin(20, AGAIN + 1) or job.end(attempt=AGAIN + 1)),
     {"restarts": 1}, ["restarted"]),
]  # fmt: skip


@pytest.mark.parametrize(("job", "desired", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_job_has_the_expected_problems(job: Job, desired: dict[str, t.Any], expected: list[str]) -> None:
    found = judged(job, **desired)
    assert codes(found) == expected
    proven = set(expected) - UNPROVEN
    assert found.status == ("failed" if proven else "not_run" if expected else "passed")


def test_each_code_has_a_case() -> None:
    """Codes that only ``resumed`` and ``image_program`` yield are in their own tests."""
    calls = [node for path in SOURCES.glob("*.py") for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    problems = [call for call in calls if getattr(call.func, "id", "") == "Problem"]
    written = {call.args[0].value for call in problems if isinstance(call.args[0], ast.Constant)} | {"rank-on-another-node", UNMET}
    assert written - {"validation-differs", "resume-unproven"} == {code for case in CASES for code in case[3]}
    unproven = {code for code in written if code.endswith("-unproven") or code.startswith("log-") or code == "nothing-reported"}
    assert unproven == UNPROVEN - {"exit-unproven"}


def test_two_pods_with_one_rank_are_reported() -> None:
    job = trained(nodes=2)
    job.pods[1] = list(job.pods[0])
    assert codes(judged(job))[0] == "rank-on-another-node"


def test_nodes_may_be_numbered_by_the_launcher() -> None:
    job = trained()
    texts = ["\n".join(pod) for pod in job.pods]
    right = [pod_log(Place(f"train-{node}", 2, 1, node), text) for node, text in enumerate(texts)]
    wrong = [pod_log(Place(f"train-{node}", 2, 1, 1 - node), text) for node, text in enumerate(texts)]
    assert codes(judge(TWO, right)) == [] and codes(judge(TWO, wrong)) == ["rank-on-another-node"] * 2 + ["nothing-reported"]
    assert judge(TWO, wrong).status == "failed"


def test_figures_are_computed() -> None:
    found = judged(trained()).figures
    assert found.losses == tuple((step, 9.0 / step) for step in range(1, 21))
    assert found.first_loss == pytest.approx(sum(9.0 / step for step in range(1, 6)) / 5)
    assert found.last_loss == pytest.approx(sum(9.0 / step for step in range(16, 21)) / 5)
    assert (found.first_step, found.validation, found.checkpoints) == (0, None, ((20, 2.0),))
    assert (found.write_rate, found.read_rate, found.removed, found.images) == (2048.0, None, False, ())
    assert (found.tokens_per_second, found.tflops, found.parameters, found.size) == (200.0, 2.0, 1000, "large")
    assert (found.dtypes, found.devices) == (("bfloat16",), ("NVIDIA H200",))
    assert (found.torch, found.cuda, found.nccl) == (("2.9.1",), ("13.0",), ("2.27.7",))
    assert (found.weights, found.carrier, found.restarts) == ("equal", "EFA", 0)
    assert found.pods == ((0, "train-0", "train-0"), (1, "train-1", "train-0"))
    assert found.carrier_evidence == tuple(each.partition("NCCL INFO ")[2] for each in EFA)


@pytest.mark.parametrize(
    ("job", "weights"),
    [
        (trained(), "equal"),
        (trained(nodes=1), "no_replicas"),
        (built(hashes={1: OTHER}), "different"),
        (of(lambda job: job.without('"weights"', 1)), "not_read"),
        (of(lambda job: job.without('"weights"', 1) and job.save(10)), "not_read"),
        (Job(), "not_read"),
    ],
)
def test_the_comparison_of_weights_is_reported(job: Job, weights: str) -> None:
    assert judged(job).figures.weights == weights


def test_the_throughput_is_the_one_of_rank_0() -> None:
    job = Job()
    job.begin()
    job.end()
    job.pods[1] = [each.replace("200.0", "300.0") for each in job.pods[1]]
    assert judged(job).figures.tokens_per_second == 200.0


def test_figures_without_evidence_are_empty() -> None:
    assert judged(Job(network=())).figures == Figures()


def test_a_short_job_compares_half_of_its_steps() -> None:
    figures = judged(trained(steps=4), steps=4).figures
    assert figures.first_loss == pytest.approx(6.75) and figures.last_loss == pytest.approx(2.625)


def test_many_numbers_are_cut() -> None:
    assert (numbers([3, 1]), numbers(range(10)), numbers(range(8))) == (
        "1, 3",
        "0, 1, 2, 3, 4, 5, 6, 7 and 2 more",
        "0, 1, 2, 3, 4, 5, 6, 7",
    )


@pytest.mark.parametrize("ranks", [64 * 8])
def test_long_lists_of_ranks_are_cut(ranks: int) -> None:
    assert judged(trained(nodes=ranks // 8, processes=8)).status == "passed"


def test_weights_of_another_attempt_do_not_count() -> None:
    job = trained().without('"weights"', 1)
    job.add("weights", 1, attempt=1, step=20, shard=0, replica=1, sha256="b" * 64)
    assert "weights-unproven" in [each.code for each in judge(Desired(2, 1, 20, 600.0), job.logs()).problems]


def test_ranks_that_disagree_about_the_vocabulary_prove_no_bound() -> None:
    job = trained()
    job.pods[0] = [each.replace('"vocabulary": 8192', f'"vocabulary": {2**53}') for each in job.pods[0]]
    assert "loss-unproven" in [each.code for each in judge(Desired(2, 1, 20, 600.0), job.logs()).problems]
