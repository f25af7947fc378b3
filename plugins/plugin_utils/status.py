# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of one cluster from AWS, its records and its login nodes, and findings that need an operator. No I/O."""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.finding import (
    FAILURE,
    PENDING,
    RESULT,
    WARNING,
    WHY,
    Finding,
    failure,
    note,
    pending,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import KNOWN_AFTER_APPLY
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.times import moment_of
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._hyperpod.statuses import CLUSTER
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events import status as of_events
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.collect import findings_of
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.plain import escaped
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.run.state import NAME as RUN

Vars = t.Mapping[str, t.Any]
READ = {
    "__status_cluster": ("cluster", "the cluster"),
    "__status_lock": ("holder", "the lock"),
    "__status_records": ("records", "the records of operators' decisions"),
    "__status_balancer": ("network_load_balancer", "the load balancer"),
    "__status_targets": ("targets", "the login nodes in service"),
    "__status_keys": ("host_keys", "the shared host keys"),
    "__status_scripts": ("lifecycle_scripts", "the lifecycle scripts"),
    "__status_events": ("event_queue", "the events of the account and Region"),
}
"""The parts of the status, keyed by variable: the key of the answer in the variable, and the name of the part in messages."""
IN_SERVICE = ("__status_balancer", "__status_targets")
"""Variables with parts that show whether users can log in."""
SOON_DAYS = 30
VPN_PARTS = {"server": "server certificate", "authority": "CA", "crl": "CRL"}


@dataclasses.dataclass(frozen=True)
class Events:
    """The result of ``event_queue_info`` for the account and Region; None if it was not read."""

    found: Vars | None = None
    minutes: int = 0
    """The age of the oldest message after which it is reported."""


def cluster_status(
    host: Vars, nodes: t.Iterable[Vars], events: Events = Events(), *, now: str, last_run: Vars | None
) -> dict[str, t.Any]:
    """The status of a cluster, from variables that the role sets on the inventory hosts of the cluster and of its login nodes.

    :param events: findings about them are in the status of the cluster whose host has read them.
    :param last_run: the last run on the cluster according to files on the control node.
    """
    answers = {name: host[name].get(key) for name, (key, _words) in READ.items() if name in host and key in host[name]}
    cluster = answers.get("__status_cluster") or {}
    records = answers.get("__status_records") or {}
    targets = answers.get("__status_targets") or []
    found: dict[str, t.Any] = {
        "cluster": host["hyperpod_cluster_key"],
        "arn": host["hyperpod_cluster_arn"],
        "account": host.get("hyperpod_account_id"),
        "region": host.get("hyperpod_region"),
        "state": cluster.get("status") or ("gone" if "__status_cluster" in answers else "unknown"),
        "login_name": (answers.get("__status_balancer") or {}).get("dns_name") or "",
        "login_nodes": [_login_node(target, nodes) for target in _of_nodes(targets)],
        "drained": records.get("drained") or {},
        "offboarded": sorted(records.get("offboarded") or {}),
        "lock": _lock(host.get("__status_lock") or {}),
        "host_keys": _host_keys(host.get("__status_keys") or {}),
        "lifecycle_scripts": answers.get("__status_scripts"),
        "vpn": _vpn((host.get(RUN) or {}).get("vpn_status") or {}),
        "events": events.found,
        "last_run": dict(last_run) if last_run else None,
    }
    found["in_service"] = sum(node["health"] == "healthy" for node in found["login_nodes"])
    not_read = _not_read(host)
    others = (f"{each['part']} ({each['reason']})" for each in host.get("__status_not_read") or ())
    found["not_read"] = [*not_read.values(), *others]
    reported = [
        *findings(found, now=now, knows_service=not set(IN_SERVICE) & set(not_read)),
        *findings_of((host.get("__status_scripts") or {}).get(RESULT)),
        *(_of_events(found, events) if "__status_events" in answers else ()),
    ]
    found["findings"] = [each.to_result() for each in reported]
    unread = [_unread(each, kind=PENDING if answers else FAILURE) for each in not_read.values()]
    found["unknown"] = [each.to_result() for each in [*unread, *_silent(found)]]
    return t.cast("dict[str, t.Any]", escaped(found))


def findings(found: Vars, *, now: str, knows_service: bool) -> list[Finding]:
    """Findings that need an operator. ``knows_service``: whether the load balancer and the targets were read."""
    reported = [_unread(each) for each in found["not_read"]]
    if found["state"] not in CLUSTER.settled:
        reported.append(pending("cluster-not-in-service", f"the cluster is {found['state']}"))
    if knows_service:
        reported += _service(found)
    for node in found["login_nodes"]:
        reported += _of_login_node(node, found["drained"], now)
    reported += _silent(found)
    lock = found["lock"]
    if lock and lock["run"] == "ended":
        text = f"the run of {lock['owner']} ended without releasing the lock; the next run on this control node takes over the lock"
        reported.append(note("lock-left", text))
    vpn = found["vpn"] or {}
    for name, words in VPN_PARTS.items():
        reported += _ending("vpn-certificate-ends", f"the VPN's {words}", vpn.get(name), now, subject=name)
    for each in vpn.get("people") or ():
        what = f"the VPN certificate of {each['name']}"
        reported += _ending("vpn-certificate-ends", what, each["ends"], now, subject=each["name"])
    return reported + _last_run(found["last_run"])


def _of_events(found: Vars, events: Events) -> list[Finding]:
    place = f"account {found['account']}, Region {found['region']}"
    return of_events.findings(events.found or {}, place=place, minutes=events.minutes)


def _unread(what: str, *, kind: str = PENDING) -> Finding:
    """The finding about a failed read. It is a failure if no part could be read, and otherwise pending."""
    make = failure if kind == FAILURE else pending
    return make("status-not-read", f"this part of the status could not be read: {what}", subject=what)


def _silent(found: Vars) -> list[Finding]:
    return [
        pending("login-node-not-asked", f"login node {node['instance_id']}: {each}", node=node["instance_id"], brief=each)
        for node in found["login_nodes"]
        for each in node["problems"]
    ]


def _service(found: Vars) -> list[Finding]:
    if not found["login_name"]:
        text = "there is no load balancer, so users have no login name; run login_access to create it"
        return [pending("no-such-load-balancer", text)]
    return [] if found["in_service"] else [failure("no-login-service", "no login node is in service, so users can't log in")]


def _of_login_node(node: Vars, drained: Vars, now: str) -> list[Finding]:
    name, reported = node["instance_id"], []
    if node["health"] != "healthy" and name not in drained:
        brief = f"is not in service ({node['health'] or 'not registered'}): {node['reason']}"
        reported.append(pending("target-not-healthy", f"login node {name} {brief}", node=name, brief=brief))
    for each in node["certificates"]:
        what = f"the host certificate ({each['type']}) of {name}"
        reported += _ending("host-certificate-ends", what, each["ends"], now, subject=each["type"], node=name)
    return reported


def _last_run(last: Vars | None) -> list[Finding]:
    if not last or last.get("status") in (None, "unchanged", "changed"):
        return []
    text = f"the last run ({last['playbook']}, {last['ended']}) left the cluster {last['status']}"
    earlier = findings_of(last.get("findings"))
    return [note("last-run", text), *(dataclasses.replace(each, text=f"last run: {each.text}") for each in earlier)]


def _of_nodes(targets: t.Iterable[Vars]) -> list[Vars]:
    """One target for each node. A node that moves to another port has two; the one with the better health is returned."""
    rows: dict[str, Vars] = {}
    for target in sorted(targets, key=lambda each: (each.get("health") != "healthy", each.get("health") is None)):
        if target.get("instance_id"):
            rows.setdefault(target["instance_id"], target)
    return list(rows.values())


def _login_node(target: Vars, nodes: t.Iterable[Vars]) -> dict[str, t.Any]:
    host = next((each for each in nodes if each.get("hyperpod_instance_id") == target["instance_id"]), {})
    keys = host.get("__status_certificates")
    return {
        **{name: target.get(name) for name in ("instance_id", "ip", "health", "decision", "reason")},
        "certificates": [each for each in keys if each["ends"]] if isinstance(keys, list) else [],
        "problems": [str(host["__status_silent"])] if host.get("__status_silent") else [],
    }


def _lock(answer: Vars) -> dict[str, t.Any] | None:
    holder = answer.get("holder")
    if not holder:
        return None
    known = {name: holder[name] for name in ("generation", "owner", "acquired", "expires")}
    return {**known, "run": answer.get("holder_run") or "unknown"}


def _host_keys(answer: Vars) -> dict[str, t.Any]:
    rotation = answer.get("rotation") or {}
    keys = [each for each in answer.get("host_keys") or () if each.get("public_key") != KNOWN_AFTER_APPLY]
    return {
        "public_keys": [each["public_key"] for each in keys],
        "fingerprints": [each["fingerprint"] for each in keys],
        "phase": rotation.get("phase"),
        "announced": (rotation.get("next") or {}).get("created"),
    }


def _vpn(answer: Vars) -> dict[str, t.Any] | None:
    if not answer:
        return None
    pki, endpoint = answer.get("pki") or {}, answer.get("endpoint") or {}
    return {
        "endpoint": endpoint.get("client_vpn_endpoint_id"),
        "state": endpoint.get("status"),
        "server": (pki.get("server") or {}).get("not_after"),
        "authority": (pki.get("authority") or {}).get("not_after"),
        "crl": (pki.get("crl") or {}).get("next_update"),
        "people": [
            {"name": each["name"], "ends": each["not_after"], "state": each["state"]}
            for each in pki.get("people") or ()
            if each["state"] in ("valid", "due")
        ],
    }


def _not_read(host: Vars) -> dict[str, str]:
    """Descriptions of failed reads with the module's message, keyed by variable."""
    return {
        name: f"{words} ({host[name].get('msg') or 'no message'})"
        for name, (key, words) in READ.items()
        if name in host
        and not host[name].get("skipped")
        and key not in host[name]
        and (host[name].get(WHY) or {}).get("code") != "no-such-load-balancer"
    }


def _ending(code: str, what: str, end: t.Any, now: str, *, subject: str, node: str = "") -> list[Finding]:
    """A finding if ``what`` has expired or expires soon. ``end`` and ``now`` are ISO times."""
    if not end:
        return []
    left = moment_of(str(end)) - moment_of(now)
    if left <= datetime.timedelta(0):
        return [failure(code, f"{what} expired at {end}", subject=subject, node=node)]
    if left >= datetime.timedelta(days=SOON_DAYS):
        return []
    return [note(code, f"{what} expires in {left.days} days, at {end}", severity=WARNING, subject=subject, node=node)]
