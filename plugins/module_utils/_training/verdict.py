# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The verdict on one training job, from the logs of its Pods. Missing evidence never counts as passed."""

from __future__ import annotations

import math
import typing as t

from .._accelerators.node.nccl.model import SOCKETS
from . import efa
from .completion import completion, logs, places
from .events import PodLog
from .history import History, carried_by, history
from .model import BOUND_SHARE, DIFFERENT, EQUAL, NO_REPLICAS, NOT_READ, WINDOW, Desired, Figures, Problem, Verdict, numbers, status
from .rendezvous import unmet


def judge(desired: Desired, pods: t.Sequence[PodLog]) -> Verdict:
    seen = history(pods, ranks=desired.ranks)
    figures = _figures(desired, seen, pods)
    problems = [*logs(desired, pods), *places(seen, pods), *_weights(seen, figures)]
    unfinished = completion(desired, seen, pods)
    if not seen.starts:
        text = "No process of the job reported its start. Read the events and logs of its Pods."
        problems.append(unmet(pods) or Problem("nothing-reported", text))
    elif not unfinished:
        problems += [*_steps(desired, seen), *_loss(desired, seen, figures), *_unproven(desired, seen, figures)]
    elif not (figures.weights == DIFFERENT and all(each.code == "program-error" for each in unfinished)):
        problems += unfinished
    problems += [*_restarts(desired, seen, pods), *by_sockets(desired, figures), *efa.unused(desired, figures, pods)]
    return Verdict(status(problems), tuple(problems), figures)


def by_sockets(desired: Desired, figures: Figures) -> t.Iterator[Problem]:
    if desired.efa and figures.carrier == SOCKETS:
        text = "Sockets, not EFA, carried the traffic between nodes. Check the EFA devices, the security group and the image."
        yield Problem("carried-by-sockets", text)


def carrier_unproven(desired: Desired, figures: Figures) -> t.Iterator[Problem]:
    if desired.efa and desired.nodes > 1 and not figures.carrier:
        text = "NCCL's log does not prove that EFA carried every node's traffic. Set NCCL_DEBUG=INFO, and read the complete log."
        yield Problem("carrier-unproven", text)


def _restarts(desired: Desired, seen: History, pods: t.Sequence[PodLog]) -> t.Iterator[Problem]:
    """Problems with restarts. If the logs are incomplete, a planned restart that no log shows is not a problem."""
    if seen.restarts > desired.restarts:
        text = f"Processes restarted (restarts: {seen.restarts}, planned: {desired.restarts}). Read the first error in the logs."
        yield Problem("restarted", text)
    elif desired.restarts and seen.starts and not any(logs(desired, pods)):
        if not seen.interrupted:
            text = "Nothing interrupted the training, so its restart is not proven. Read the first error in the logs."
            yield Problem("not-restarted", text)
        elif seen.restarts < desired.restarts:
            text = "The processes did not restart after the planned interruption. Read the launcher's log in each Pod."
            yield Problem("not-restarted", text)


def _weights(seen: History, figures: Figures) -> t.Iterator[Problem]:
    if figures.weights == DIFFERENT:
        step, shard, ranks = _different(seen)[0]
        text = f"After step {step}, ranks {numbers(ranks)} have different values of shard {shard}. Check the health of their GPUs."
        yield Problem("weights-differ", text)


def _different(seen: History) -> list[tuple[int, int, set[int]]]:
    """The step, the shard and the ranks of each failed comparison, in all attempts."""
    hashes: dict[tuple[int, int, int], dict[int, str]] = {}
    for each in seen.weights:
        hashes.setdefault((each.step, each.attempt, each.shard), {})[each.rank] = each.sha256
    different = {place: of_one for place, of_one in hashes.items() if len(set(of_one.values())) > 1}
    return [(step, shard, set(of_one)) for (step, _attempt, shard), of_one in sorted(different.items())]


def _compared(desired: Desired, seen: History) -> str:
    if _different(seen):
        return DIFFERENT
    if desired.nodes == 1:
        return NO_REPLICAS
    compared: dict[int, set[int]] = {}
    for each in seen.weights:
        if each.step == desired.steps:
            compared.setdefault(each.attempt, set()).add(each.rank)
    return EQUAL if set(range(desired.ranks)) in compared.values() else NOT_READ


def _steps(desired: Desired, seen: History) -> t.Iterator[Problem]:
    updates = {end.updates for end in seen.ends.values()}
    ends = {end.step for end in seen.ends.values()}
    if seen.repeated or any(each > desired.steps for each in updates):
        text = f"Steps were counted twice: {numbers(seen.repeated) or f'{max(updates)} updates in {desired.steps} steps'}."
        yield Problem("steps-counted-twice", f"{text} Check that only one job writes to the checkpoint directory.")
    if any(each < desired.steps for each in (*updates, *ends)):
        text = f"The training ended at step {min(ends)} of {desired.steps}, with {min(updates)} updates of the weights."
        text = f"{text} Check which checkpoint the job resumed."
        yield Problem("steps-missing", text)
    if seen.first_step is not None and seen.first_step < desired.first_step:
        text = f"The job started at step {seen.first_step}, not at the checkpoint of step {desired.first_step}."
        yield Problem("checkpoint-not-loaded", f"{text} Check that all nodes mount the checkpoint directory of the first job.")
    for loaded, newest in seen.older[:1]:
        text = f"After a restart the job loaded step {loaded}, although the checkpoint of step {newest} was complete."
        yield Problem("checkpoint-not-loaded", f"{text} Check that all nodes see the same checkpoint directory.")
    missing = set(range(desired.first_step + 1, desired.steps + 1)) - {each.step for each in seen.steps}
    if missing:
        text = f"The log has no loss for these steps: {numbers(missing)}. Read the complete log of the Pod with rank 0."
        yield Problem("steps-unproven", text)
    if desired.checkpoints and desired.steps not in {each.step for each in seen.saved}:
        text = f"No complete checkpoint of step {desired.steps} was reported. Check the free space of the shared storage."
        yield Problem("checkpoint-missing", text)


def _loss(desired: Desired, seen: History, figures: Figures) -> t.Iterator[Problem]:
    bound = desired.loss_bound
    if bound is None:
        sizes = {ready.vocabulary for ready in seen.ready.values()}
        bound = BOUND_SHARE * math.log(max(sizes)) if len(sizes) == 1 and max(sizes) > 1 else None
    if figures.first_loss is None or figures.last_loss is None or bound is None:
        text = "The log has fewer than two losses, or no common vocabulary size, so it proves no learning. Read the complete logs."
        yield Problem("loss-unproven", text)
        return
    change = f"from {figures.first_loss:.3g} to {figures.last_loss:.3g}"
    if figures.last_loss >= figures.first_loss and figures.first_loss > bound:
        yield Problem("loss-not-falling", f"The loss did not fall: {change}. Compare the loss of each step, and check the GPUs.")
    if figures.last_loss > bound:
        text = f"The final loss is above its bound of {bound:.3g}: {change}. Train more steps, or check the GPUs."
        yield Problem("loss-above-bound", text)


def _unproven(desired: Desired, seen: History, figures: Figures) -> t.Iterator[Problem]:
    if figures.weights == NOT_READ:
        text = f"Not every rank reported the hash of its weights after step {desired.steps}. Read the logs of all Pods."
        yield Problem("weights-unproven", text)
    if seen.first_step and seen.first_validation is None:
        text = "The log has no validation loss for the loaded checkpoint. Read the log of the Pod with rank 0."
        yield Problem("validation-unproven", text)
    yield from carrier_unproven(desired, figures)


def _figures(desired: Desired, seen: History, pods: t.Sequence[PodLog]) -> Figures:
    losses = tuple((each.step, each.loss) for each in seen.steps)
    end, ready = seen.ends.get(0), next(iter(seen.ready.values()), None)
    starts = [start for _rank, start in sorted(seen.starts.items())]
    window, carrier = min(WINDOW, len(losses) // 2), carried_by(pods, nodes=desired.nodes)
    return Figures(
        first_step=seen.first_step,
        losses=losses,
        first_loss=_mean(losses[:window]),
        last_loss=_mean(losses[-window:]) if window else None,
        validation=seen.first_validation,
        checkpoints=tuple((each.step, each.validation) for each in seen.saved),
        write_rate=_rate(sum(each.bytes for each in seen.saved), math.fsum(each.seconds for each in seen.saved)),
        read_rate=_rate(seen.loaded.load_bytes, seen.loaded.load_seconds) if seen.loaded else None,
        removed=seen.removed,
        tokens_per_second=end.tokens_per_second if end else None,
        tflops=end.flops_per_second / 1e12 if end and end.flops_per_second is not None else None,
        parameters=ready.parameters if ready else None,
        size=ready.size if ready else "",
        dtypes=tuple(sorted({each.dtype for each in starts})),
        devices=tuple(sorted({each.device for each in starts})),
        torch=tuple(sorted({each.torch for each in starts})),
        cuda=tuple(sorted({each.cuda for each in starts} - {""})),
        nccl=tuple(sorted({each.nccl for each in starts} - {""})),
        weights=_compared(desired, seen),
        carrier=carrier,
        carrier_evidence=tuple(dict.fromkeys(each for pod in pods for each in pod.network.evidence)),
        efa=efa.traffic(desired, seen, carrier),
        restarts=seen.restarts,
        pods=tuple((each.rank, seen.pods[each.rank], each.host) for each in starts),
    )


def _rate(size: int | None, seconds: float | None) -> float | None:
    """The rate in MiB/s; None if it was not measured, or in less than a millisecond, because times are measured in milliseconds."""
    return size / seconds / 2**20 if size and seconds and seconds >= 0.001 else None


def _mean(losses: t.Sequence[tuple[int, float]]) -> float | None:
    return math.fsum(loss for _step, loss in losses) / len(losses) if losses else None
