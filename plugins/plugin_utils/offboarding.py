# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The result of an offboarding for each cluster, and its evidence. Plain data in, plain data out."""

from __future__ import annotations

import dataclasses
import json
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import finding
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import Finding
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import findings_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import changes_of, escaped, plain
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.fleet import REACHABLE
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.state import NAME as RUN

SCHEMA = 1
DONE, PENDING, INCOMPLETE, NOT_REACHED, LEFT_OUT = "done", "pending", "incomplete", "not reached", "left out"
"""States of a cluster or node. Pending: the run did all that it could, but the user's jobs or other parts remain for now."""
_ENDING = "COMPLETING"
Vars = t.Mapping[str, t.Any]


def summary(cluster: Vars, hosts: t.Iterable[Vars]) -> dict[str, t.Any]:
    """The result for one cluster, from the variables that the roles set on its host and on the hosts of its nodes."""
    known = {host["hyperpod_instance_id"]: host for host in hosts if "hyperpod_instance_id" in host}
    run = cluster.get(RUN) or {}
    access = run.get("node_access") or {}
    nodes = [_node(instance, listed, known.get(instance)) for instance, listed in sorted(access.items())]
    reason = _stopped(cluster)
    vpn = run.get("vpn_revoked") or {}
    answers = {node["instance_id"]: _answer(known[node["instance_id"]]) for node in nodes if node["state"] in (DONE, PENDING)}
    results = list(answers.values())
    jobs = _merged(results, "jobs")
    found = _findings(answers, jobs)
    pending = [each.text for each in found if each.kind == finding.PENDING]
    if cluster.get("hyperpod_orchestrator") == "eks":
        state = LEFT_OUT
    elif not access or (reason and not results):
        state = NOT_REACHED
    elif reason or any(node["state"] not in (DONE, PENDING) for node in nodes):
        state = INCOMPLETE
    else:
        state = PENDING if pending else DONE
    return {
        "cluster": cluster.get("hyperpod_cluster_key"),
        "arn": cluster.get("hyperpod_cluster_arn"),
        "state": state,
        "reason": "users have no accounts on the nodes of EKS clusters" if state == LEFT_OUT else reason,
        "refused": bool(cluster.get("__offboarding_refused")),
        "record": cluster.get("__offboarding_recorded"),
        "nodes": nodes,
        "jobs": jobs,
        "authorized_keys": _merged(results, "authorized_keys"),
        "hooks": list(cluster.get("__offboarding_hooks_done") or ()),
        "hook_evidence": list(cluster.get("offboard_hook_evidence") or ()),
        "vpn": _revoked(vpn),
        "vpn_waiting": list(vpn.get("waiting") or ()),
        "pending": pending,
        "notes": [each.text for each in found if each.kind == finding.NOTE],
        "findings": [each.to_result() for each in found],
    }


def failures(found: Vars) -> list[str]:
    """Sentences about why the run could not remove the user from the cluster; empty if it could, or if parts are only pending."""
    if found["state"] in (DONE, PENDING, LEFT_OUT):
        return []
    sentences = [found["reason"]] if found["reason"] else []
    sentences += [f"node {node['instance_id']}: {node['reason']}" for node in found["nodes"] if node["reason"]]
    return sentences or ["the nodes of the cluster were not listed"]


def verdict(found: Vars, name: str) -> list[dict[str, str]]:
    """A finding if the user may still have access to the cluster. If the request was refused, the finding is the refusal."""
    reasons = failures(found)
    if not reasons:
        return []
    if found["refused"]:
        return [finding.failure("option-refused", found["reason"], subject="offboard_name").to_result()]
    why = "; ".join(reason.removesuffix(".") for reason in reasons)
    text = f"{name} may still have access to {found['cluster']}: {why}. Run again."
    return [finding.failure("user-may-have-access", text, subject=name).to_result()]


def evidence(
    person: Vars,
    clusters: t.Iterable[Vars],
    at: str,
    not_read: t.Sequence[str] = (),
    lost: t.Sequence[str] = (),
    not_in_run: t.Sequence[str] = (),
) -> dict[str, t.Any]:
    """The evidence of the whole run. It is complete if nothing failed and nothing is pending.

    :param at: the end of the run as an ISO time.
    :param not_read: parts that the inventory could not read, so they were not checked.
    :param lost: clusters that failed before their summary.
    :param not_in_run: clusters that the operator excluded by a limit or a selection.
    """
    found = [escaped(each) for each in clusters]
    not_finished = [f"not read: {escaped(sentence)}" for sentence in not_read]
    not_finished += [f"{key}: the run failed before it checked this cluster for the user" for key in sorted(lost)]
    not_finished += [
        f"{each['cluster']}: {sentence}" for each in found for sentence in [*failures(each), *each["pending"], *each["vpn_waiting"]]
    ]
    return {
        "schema": SCHEMA,
        "person": escaped(person),
        "at": at,
        "complete": not not_finished,
        "not_finished": not_finished,
        "inventory_failures": [escaped(sentence) for sentence in not_read],
        "not_in_run": sorted(not_in_run),
        "clusters": sorted(found, key=lambda each: str(each["cluster"])),
    }


def markdown(found: Vars) -> str:
    """The evidence as Markdown, to read or to attach to a ticket."""
    person = found["person"]
    lines = [
        f"# Offboarding of {person['name']}",
        "",
        f"- By: {person['job']}",
        f"- At: {found['at']}",
        f"- UID: {', '.join(str(uid) for uid in person['uids']) or 'unknown'}",
        f"- Reason: {person.get('reason') or 'none given'}",
        f"- Complete: {'yes' if found['complete'] else 'no'}",
    ]
    if found["not_in_run"]:
        lines.append(f"- Not part of this run: {_line(', '.join(found['not_in_run']))}")
    if found["not_finished"]:
        lines += ["", "## Not finished", "", *(f"- {_line(sentence)}" for sentence in found["not_finished"])]
    for cluster in found["clusters"]:
        lines += _section(cluster)
    return "\n".join(lines) + "\n"


def _section(cluster: Vars) -> list[str]:
    lines = ["", f"## Cluster {cluster['cluster']}: {cluster['state']}", "", f"`{cluster['arn']}`"]
    if cluster["reason"]:
        lines += ["", _line(cluster["reason"])]
    record = cluster["record"]
    if record:
        recorded = f"recorded by {record.get('owner')} on {record.get('since')}"
        lines += ["", f"The name and UID {record.get('uid')} must never be reused ({recorded})."]
    removed = [(node, change) for node in cluster["nodes"] for change in node["changes"]]
    if removed:
        lines += ["", "| node | when | what | before |", "|---|---|---|---|"]
        for node, change in removed:
            lines.append(f"| {node['instance_id']} | {node['at']} | {_line(_did(change))} | {_line(_shown(change['before']))} |")
    elif cluster["state"] in (DONE, PENDING):
        lines += ["", "Nothing had to be removed from the nodes in this run."]
    for title, sentences in (
        ("Jobs", [f"{job['id']} {job['state']} in {job['partition']}: {job['name']}" for job in cluster["jobs"]]),
        ("Keys in the home", [_key_line(file) for file in cluster["authorized_keys"]]),
        ("Other access", [*cluster["vpn"], *cluster["hooks"], *cluster["hook_evidence"]]),
        ("Pending", [*cluster["vpn_waiting"], *cluster["pending"]]),
        ("Notes", cluster["notes"]),
    ):
        if sentences:
            lines += ["", f"{title}:", "", *(f"- {_line(sentence)}" for sentence in sentences)]
    return lines


def _node(instance: str, listed: Vars, host: Vars | None) -> dict[str, t.Any]:
    node: dict[str, t.Any] = {"instance_id": instance, "group": listed.get("group"), "state": NOT_REACHED, "at": "", "changes": []}
    if host is None:
        return {**node, "reason": "it is not in the inventory; refresh the inventory"}
    answer = _answer(host)
    node.update(at=answer["at"], changes=answer["changes"])
    if host.get("__offboarding_failed"):
        return {**node, "state": INCOMPLETE, "reason": host["__offboarding_failed"]}
    if host.get("__offboarding_done"):
        if answer["left"]:
            return {**node, "state": INCOMPLETE, "reason": f"the last check still found {', '.join(answer['left'])}"}
        return {**node, "state": PENDING if _waits(answer) else DONE, "reason": ""}
    if listed.get("access") not in REACHABLE:
        return {**node, "reason": listed.get("reason") or f"it is {listed.get('status')}"}
    if not (host.get(RUN) or {}).get("reached"):
        return {**node, "reason": "it does not answer"}
    return {**node, "state": INCOMPLETE, "reason": "the run ended before it checked the node"}


def _answer(host: Vars) -> dict[str, t.Any]:
    """A node's answer in its documented form. Parts with a wrong form are dropped, so that they can't prevent the evidence."""
    outcome = host.get("__offboarding_outcome") or {}
    return {
        "at": outcome.get("at", ""),
        "held": bool(outcome.get("held")),
        "changes": changes_of(outcome.get("changes")),
        "jobs": _formed(outcome.get("jobs"), "id", "state", "partition", "name"),
        "authorized_keys": _formed(outcome.get("authorized_keys"), "path", "keys"),
        "left": [str(each) for each in _listed(outcome.get("left"))],
        "findings": findings_of(outcome.get("findings")),
    }


def _listed(value: t.Any) -> t.Sequence[t.Any]:
    return value if isinstance(value, (list, tuple)) else ()


def _formed(value: t.Any, *fields: str) -> list[t.Any]:
    return [plain(each) for each in _listed(value) if isinstance(each, t.Mapping) and set(fields) <= set(each)]


def _waits(answer: Vars) -> bool:
    waits = any(each.kind == finding.PENDING for each in answer["findings"])
    return bool(waits or answer["held"] or _going_on(answer["jobs"]))


def _findings(answers: t.Mapping[str, Vars], jobs: t.Iterable[Vars]) -> list[Finding]:
    """Findings from the nodes' answers, and about jobs that still run on the nodes."""
    found = [_of_node(instance, each) for instance, answer in answers.items() for each in answer["findings"]]
    held = (instance for instance, answer in answers.items() if answer["held"])
    locked = finding.pending("account-locked", "the account stays locked while the user's jobs run on the node")
    return [*found, *_going_on(jobs), *(_of_node(instance, locked) for instance in held)]


def _of_node(instance: str, found: Finding) -> Finding:
    return dataclasses.replace(found, node=instance, text=f"node {instance}: {found.text}", brief=found.text)


def _going_on(jobs: t.Iterable[Vars]) -> list[Finding]:
    return [
        finding.pending("jobs-go-on", f"job {job['id']} is {str(job['state']).lower()}", subject=str(job["id"]))
        for job in jobs
        if job["state"] != _ENDING
    ]


def _stopped(cluster: Vars) -> str:
    if cluster.get("__offboarding_stopped"):
        return str(cluster["__offboarding_stopped"])
    if (cluster.get(RUN) or {}).get("skipped"):
        return "another run holds the lock of the cluster"
    return ""


def _revoked(vpn: Vars) -> list[str]:
    """Sentences about the user's certificates and connections."""
    if not vpn:
        return []
    knows = "" if vpn["waiting"] else ", and the endpoint has the CRL"
    done = [f"certificate {serial} was revoked{knows}" for serial in vpn["serials"]]
    if vpn["without_certificate"]:
        done.append("the user has no known valid certificate, so none was revoked")
    if vpn["connections"]:
        done.append(f"{vpn['connections']} connections ended")
    return [f"Client VPN of {vpn['vpc']}: {each}" for each in done]


def _merged(results: t.Iterable[Vars], name: str) -> list[t.Any]:
    found: list[t.Any] = []
    for result in results:
        found += [each for each in result[name] if each not in found]
    return found


def _did(change: Vars) -> str:
    what = change["resource"] if change["field"] is None else f"{change['resource']}: {change['field']}"
    return f"{change['action']} {what}"


def _key_line(file: Vars) -> str:
    return f"{file['path']}: {', '.join(str(key['fingerprint']) for key in _formed(file['keys'], 'fingerprint'))}"


def _shown(value: t.Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, sort_keys=True)


def _line(text: t.Any) -> str:
    """The text on one line, escaped so that names of jobs and comments of keys can't contain Markdown."""
    plain = printable(" ".join(str(text).split()))
    return "".join(f"\\{sign}" if sign in "\\`*_[]<>|#" else sign for sign in plain)
