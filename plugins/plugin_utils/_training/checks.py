# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The checks before the training jobs of a cluster, from the results of modules."""

from __future__ import annotations

import collections
import dataclasses
import typing as t
from dataclasses import dataclass, field

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import (
    FIT,
    REBOOT,
    UNKNOWN,
    VERDICTS,
    at_least,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.hub import FORBIDDEN, GRANTED, MISSING, UNAUTHORIZED
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.model import FAILED, NOT_RUN, PASSED, Problem
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._training.nodes.model import UNPROVEN as OF_NODES
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.answers import health_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils._accelerators.nccl.model import SLOW, Outcome
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.untrusted import line

ACCESS = "access"
"""The check of the access to a model of Hugging Face. It precedes all other checks, if a model is requested."""
NODES, HEALTH, NCCL = BEFORE = ("nodes", "health", "nccl")
"""The other checks before the jobs, in their order."""
DENIED = (UNAUTHORIZED, FORBIDDEN, MISSING)
SKIPPED = "skipped"
"""The verdict of a check that was not requested or does not apply. It does not affect the cluster's verdict."""
NO_ANSWER, HEALTH_UNKNOWN, INSTANCE_UNKNOWN = "module-failed", "health-unknown", "instance-unknown"
UNANSWERED = frozenset({NO_ANSWER, HEALTH_UNKNOWN, INSTANCE_UNKNOWN, *OF_NODES})
"""Codes for missing evidence. A check that failed for a different reason may also have them."""
BUS = "bus_gb_per_second"
NOT_JUDGED = "the rate is not assessed, because no expected rate is known"
LONGEST = 300
MOST_NODES = 8
STEPS = {
    SLOW: "Check the placement of the nodes and their EFA devices.",
    FAILED: "Check the GPUs, the EFA devices and the security groups.",
}


@dataclass(frozen=True)
class Check:
    name: str
    verdict: str
    text: str
    problems: tuple[Problem, ...] = ()
    figures: t.Mapping[str, float] = field(default_factory=dict)
    """The measured rates, keyed by name. Each name ends with the unit."""

    def to_task(self) -> dict[str, t.Any]:
        problems = [{"code": each.code, "text": each.text} for each in self.problems]
        return {"name": self.name, "verdict": self.verdict, "text": self.text, "problems": problems, "figures": dict(self.figures)}


def check_of(row: t.Mapping[str, t.Any]) -> Check:
    """The check from the result of ``to_task()``, which a fact stores."""
    return Check(row["name"], row["verdict"], row["text"], problems_of(row["problems"]), row.get("figures") or {})


def problems_of(rows: t.Iterable[t.Mapping[str, t.Any]]) -> tuple[Problem, ...]:
    return tuple(Problem(line(each["code"]), line(each["text"])) for each in rows)


def no_answer(name: str, why: str) -> Check:
    """The check for a module that failed."""
    return Check(name, NOT_RUN, line(why), (Problem(NO_ANSWER, line(why)),))


def of_access(found: t.Mapping[str, t.Any]) -> Check:
    """The check of the access to a model.

    :param found: ``hugging_face_model``, as ``hugging_face_model_info`` returned it.
    """
    access, text = line(found["access"]), line(found["text"])
    if access == GRANTED:
        return Check(ACCESS, PASSED, text)
    return Check(ACCESS, FAILED if access in DENIED else NOT_RUN, text, (Problem(f"model-{access}", text),))


def of_nodes(found: t.Mapping[str, t.Any]) -> Check:
    """The check of the nodes.

    :param found: ``training_nodes``, as ``training_node_info`` returned it.
    """
    texts = [found["text"], *(each["text"] for each in found.get("notes") or ())]
    return Check(NODES, found["verdict"], line(" ".join(texts)), problems_of(found["problems"]))


def of_instances(check: Check, differing: t.Sequence[str], unknown: t.Sequence[str]) -> Check:
    """The check of the nodes, with the problems of their EC2 instances.

    :param differing: sentences about nodes whose labels contradict EC2.
    :param unknown: nodes with GPUs whose instances are unknown.
    """
    found = []
    if differing:
        text = f"Nodes contradict EC2: {_some(differing)} Find out why the nodes differ, or replace them."
        found.append(Problem("node-contradicts-ec2", text))
    if unknown:
        step = "Set verify_training_groups or verify_training_nodes to the nodes that train."
        found.append(Problem(INSTANCE_UNKNOWN, f"The instances of nodes with GPUs are unknown: {_some(unknown, ', ')}. {step}"))
    if not found:
        return check
    verdict = FAILED if differing or check.verdict == FAILED else NOT_RUN
    text = check.text if check.verdict == FAILED else found[0].text
    return dataclasses.replace(check, verdict=verdict, text=text, problems=(*check.problems, *found))


def _some(texts: t.Sequence[str], separator: str = " ") -> str:
    more = f"{separator}and {len(texts) - MOST_NODES} more" if len(texts) > MOST_NODES else ""
    return f"{separator.join(texts[:MOST_NODES])}{more}"


@dataclass(frozen=True)
class _Health:
    verdict: str
    why: str
    waived: int


def of_health(rows: t.Sequence[t.Mapping[str, t.Any]]) -> Check:
    """The check of the accelerators' health.

    :param rows: ``nodes``, as ``accelerator_jobs`` returned them. If a node has several rows, the worst row counts.
    """
    nodes: dict[str, _Health] = {}
    for row in rows:
        name, health = str(row["instance_id"]), _health(row)
        if name not in nodes or not at_least(nodes[name].verdict, health.verdict):
            nodes[name] = health
    if not nodes:
        return no_answer(HEALTH, "The health check returned no nodes.")
    ordered = sorted(nodes.items(), key=lambda each: (-VERDICTS.index(each[1].verdict), each[0]))
    problems = [_unhealthy(name, health) for name, health in ordered if at_least(health.verdict, UNKNOWN)]
    found = collections.Counter(each.verdict for each in nodes.values())
    failed = any(at_least(each, REBOOT) for each in found)
    verdict = FAILED if failed else NOT_RUN if found[UNKNOWN] else PASSED
    counts = [f"{found[each]} {each}" for each in VERDICTS if found[each] or each == FIT]
    waived = sum(each.waived for each in nodes.values())
    counts += [f"{waived} {'problem' if waived == 1 else 'problems'} waived"] if waived else []
    nouns = "node" if len(nodes) == 1 else "nodes"
    return Check(HEALTH, verdict, f"{len(nodes)} {nouns}: {', '.join(counts)}.", tuple(problems[:MOST_NODES]))


def _health(row: t.Mapping[str, t.Any]) -> _Health:
    """The health of a node. Its reason is a problem with the same verdict, or what could not be read."""
    health = health_of(row["health"])
    if health is None:
        return _Health(UNKNOWN, line(row["why"])[:LONGEST] or "No verdict was returned", 0)
    verdict = health["verdict"]
    texts = [each["text"] for each in health["problems"] if each["verdict"] == verdict]
    unread = health["not_looked_at"] if verdict == UNKNOWN else []
    texts += [f"{each['what']} could not be checked: {each['why']}" for each in unread]
    return _Health(verdict, texts[0][:LONGEST] if texts else "No reason was returned", len(health["waived"]))


def _unhealthy(name: str, health: _Health) -> Problem:
    why = health.why.rstrip(". ")
    if health.verdict == UNKNOWN:
        return Problem(HEALTH_UNKNOWN, f"The health of {name} is unknown: {why}. Run the playbook verify for details.")
    steps = "Run the playbook verify for details, and the playbook remediate to repair the node."
    return Problem("node-unfit", f"The verdict on {name} is {health.verdict}: {why}. {steps}")


def of_nccl(outcome: Outcome) -> Check:
    rate = outcome.bandwidth
    figures = {} if rate is None else {BUS: rate}
    if outcome.verdict == PASSED and rate is not None:
        judged = NOT_JUDGED if outcome.floor is None else f"{outcome.floor:.4g} GB/s or more is expected"
        carried = f" over {outcome.carried_by}" if outcome.carried_by else ""
        return Check(NCCL, PASSED, f"{rate:.4g} GB/s bus bandwidth{carried}; {judged}.", figures=figures)
    verdict = FAILED if outcome.verdict in (SLOW, FAILED) else NOT_RUN
    cause = outcome.failure or (SLOW if outcome.verdict == SLOW else verdict)
    text = "The test returned no bandwidth." if outcome.verdict == PASSED else outcome.text
    logged = f"The test logged: {outcome.evidence}" if outcome.evidence else ""
    why = " ".join(filter(None, [text, STEPS.get(outcome.verdict), logged]))
    return Check(NCCL, verdict, text, (Problem(f"nccl-{cause}".replace("_", "-"), why),), figures)
