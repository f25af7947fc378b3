# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The findings that a run reports from the document. ``accelerator_health_result`` determines their severity."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._accelerators.node.health.problem import REBOOT, REPLACE, UNKNOWN
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import WARNING, Finding, failure, note, pending

from .forms import coverage, verdicts

FAIL, WARN, REPORT = "fail", "warn", "report"
RESULTS = (FAIL, WARN, REPORT)
UNSEEN, COMMON, COVERAGE = "accelerators-unseen", "accelerators-common", "accelerators-coverage"
GROUPS, SLURM = "efa-security-groups", "accelerators-slurm"
Document = t.Mapping[str, t.Any]


def findings(document: Document, cluster: str, result: str) -> list[Finding]:
    """The findings of one cluster.

    For an unfit or unknown node, ``result`` selects a failure, a pending finding or a note.
    """
    nodes = document["clusters"][cluster]["nodes"]
    found = [note(COVERAGE, f"{coverage(document)} {verdicts(document)}")]
    if not document["clusters"][cluster]["slurm_asked"]:
        found.append(note(SLURM, "Slurm could not be queried, so the states and jobs of the nodes are unknown.", severity=WARNING))
    found += [note(GROUPS, text, severity=WARNING) for text in document["clusters"][cluster]["set_up"]]
    found += [_as(result, COMMON, each["text"]) for each in document["common"] if each["cluster"] == cluster]
    return found + [each for iid, node in nodes.items() for each in _of_node(iid, node, result)]


def untested(document: Document, cluster: str, requested: t.Mapping[str, str]) -> list[Finding]:
    """One pending finding for each requested test that ran on no node.

    :param requested: codes of findings, keyed by test name. The names are as in ``not_looked_at``.
    """
    nodes = document["clusters"][cluster]["nodes"]
    reasons = {name: _why_none(nodes, name, code) for name, code in requested.items()}
    return [
        pending(requested[name], f"The test {name} ran on no node: {why}.", subject=name) for name, why in reasons.items() if why
    ]


def _why_none(nodes: t.Mapping[str, t.Mapping[str, t.Any]], name: str, code: str) -> str:
    """Why no node was tested, with the number of nodes for each reason. Empty if at least one of the nodes was tested.

    Only the instance types that the test applies to are considered.
    """
    why = {iid: _why_not(node, name, code) for iid, node in nodes.items()}
    types = {nodes[iid]["instance_type"] for iid, reason in why.items() if reason}
    of_types = [why[iid] for iid, node in nodes.items() if node["instance_type"] in types and not node["not_read"]]
    if not all(of_types):
        return ""
    return "; ".join(f"{reason} ({count} of {len(of_types)} nodes)" for reason, count in collections.Counter(of_types).items())


def _why_not(node: t.Mapping[str, t.Any], name: str, code: str) -> str:
    """Why the test did not run on the node, or why the test itself failed; empty if neither applies."""
    held = (each["why"] for each in node["not_looked_at"] if each["what"] == name)
    return str(next(held, "") or next((each["text"] for each in node["problems"] if each["code"] == code), "")).rstrip(".")


def earlier(nodes: t.Mapping[str, t.Mapping[str, t.Any]], now: t.Sequence[Finding], result: str) -> list[Finding]:
    """Notes about findings that an earlier check in this run had and the current check does not have.

    Between the two checks, the run repaired nodes.

    :param nodes: the nodes as the earlier check reported them.
    """
    there = {_about(each) for each in now}
    found = [each for iid, node in nodes.items() for each in _of_node(iid, node, result)]
    return [_as_earlier(each) for each in found if _about(each) not in there]


def _about(found: Finding) -> tuple[str, str, str]:
    return found.code, found.node, found.subject


def _as_earlier(found: Finding) -> Finding:
    text = found.text.removeprefix(f"{found.node}: ")
    return note(found.code, f"{found.node}, earlier in this run: {text}", subject=found.subject, node=found.node)


def _of_node(iid: str, node: t.Mapping[str, t.Any], result: str) -> t.Iterator[Finding]:
    for each in node["problems"]:
        text = f"{iid}: {each['text']}" + (f" ({each['evidence']})" if each["evidence"] else "")
        if each["verdict"] in (REBOOT, REPLACE, UNKNOWN):
            yield _as(result, each["code"], text, subject=each["part"], node=iid)
        else:
            yield note(each["code"], text, subject=each["part"], node=iid)
    if node["not_read"]:
        yield _as(result, UNSEEN, f"{iid}: {node['not_read']}", node=iid)
    elif node["verdict"] in (REBOOT, REPLACE, UNKNOWN) and node["verdict"] not in {each["verdict"] for each in node["problems"]}:
        unseen = "; ".join(f"{each['what']}: {each['why'].rstrip('.')}" for each in node["not_looked_at"])
        yield _as(result, UNSEEN, f"{iid}: The check was incomplete: {unseen or 'no reason was returned'}.", node=iid)
    yield from (note("accelerators-disagree", f"{iid}: {each}", severity=WARNING, node=iid) for each in node["known"]["disagrees"])


def _as(result: str, code: str, text: str, **about: str) -> Finding:
    if result == FAIL:
        return failure(code, text, **about)
    return pending(code, text, **about) if result == WARN else note(code, text, severity=WARNING, **about)
