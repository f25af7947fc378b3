# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How one cluster stands: what AWS, its records and its login nodes told, and what of that needs somebody. Pure."""

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._text import printable

Vars = t.Mapping[str, t.Any]
READ = {
    "__status_cluster": ("cluster", "the cluster"),
    "__status_lock": ("holder", "its lock"),
    "__status_records": ("records", "decisions on record"),
    "__status_balancer": ("network_load_balancer", "the load balancer"),
    "__status_targets": ("targets", "who is in service"),
    "__status_keys": ("host_keys", "the shared host keys"),
}
"""By variable, the key of an answer, and the words for it."""
NO_BALANCER = "does not exist yet"
SOON_DAYS = 30


def cluster_status(host: Vars, nodes: t.Iterable[Vars], *, now: str, last_run: Vars | None) -> dict[str, t.Any]:
    """From the variables of the cluster's host and of its login nodes' hosts, as the role leaves them.

    ``last_run``: what the controller's own files tell of the last run on the cluster.
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
        "login_nodes": [_login_node(target, nodes) for target in targets if target.get("instance_id")],
        "drained": records.get("drained") or {},
        "offboarded": sorted(records.get("offboarded") or {}),
        "lock": _lock(host.get("__status_lock") or {}),
        "host_keys": _host_keys(host.get("__status_keys") or {}),
        "vpn": _vpn(host.get("client_vpn_status") or {}),
        "last_run": dict(last_run) if last_run else None,
    }
    found["in_service"] = sum(node["health"] == "healthy" for node in found["login_nodes"])
    found["not_read"] = [*_not_read(host), *(str(each) for each in host.get("status_not_read") or ())]
    found["findings"] = findings(found, now=now)
    return t.cast("dict[str, t.Any]", _plain(found))


def findings(found: Vars, *, now: str) -> list[str]:
    """What needs somebody, as sentences."""
    sentences = [f"could not be read: {each}" for each in found["not_read"]]
    if found["state"] != "InService":
        sentences.append(f"the cluster is {found['state']}")
    if not any("load balancer" in each or "in service" in each for each in found["not_read"]):
        if not found["login_name"]:
            sentences.append("there is no load balancer, so people have no login name; login_access makes it")
        elif not found["in_service"]:
            sentences.append("no login node is in service: nobody can log in")
    for node in found["login_nodes"]:
        name = node["instance_id"]
        if node["health"] != "healthy" and name not in found["drained"]:
            sentences.append(f"login node {name} is not in service ({node['health'] or 'not registered'}): {node['reason']}")
        sentences += [f"login node {name}: {each}" for each in node["problems"]]
        for each in node["certificates"]:
            sentences += _ending(f"the host certificate ({each['type']}) of {name}", each["ends"], now)
    lock = found["lock"]
    if lock and lock["run"] == "ended":
        sentences.append(f"the run of {lock['owner']} that holds the lock has ended; the next run on this machine takes it over")
    vpn = found["vpn"] or {}
    for name, words in (("server", "the VPN's server certificate"), ("authority", "the VPN's authority"), ("crl", "the VPN's list of revoked certificates")):
        sentences += _ending(words, vpn.get(name) or "", now)
    for each in vpn.get("people") or ():
        sentences += _ending(f"the VPN certificate of {each['name']}", each["ends"], now)
    last = found["last_run"]
    if last and last.get("status") not in (None, "unchanged", "changed"):
        sentences.append(f"the last run ({last.get('playbook')}, {last.get('ended')}) left the cluster {last['status']}")
        sentences += [f"last run: {each}" for kind in ("failures", "pending") for each in last.get(kind) or ()]
    return sentences


def page(found: Vars) -> list[str]:
    """One page for people."""
    lock, vpn, last = found["lock"], found["vpn"], found["last_run"]
    nodes = [
        f"{node['instance_id']}  {node['ip'] or '-'}  {'drained' if node['instance_id'] in found['drained'] else node['health'] or 'not registered'}"
        for node in found["login_nodes"]
    ]
    drained = [f"{name} by {each.get('owner')}, since {each.get('since')}: {each.get('reason') or 'no reason'}" for name, each in found["drained"].items()]
    host_certificates = [f"{node['instance_id']} {each['type']} until {each['ends']}" for node in found["login_nodes"] for each in node["certificates"]]
    people = sorted((vpn or {}).get("people") or (), key=lambda each: each["ends"])
    rows: list[tuple[str, t.Sequence[str]]] = [
        ("cluster", [f"{found['cluster']} ({found['state']}), account {found['account']}, {found['region']}"]),
        ("login name", [found["login_name"] or "none"]),
        ("in service", [f"{found['in_service']} of {len(found['login_nodes'])} login nodes", *nodes]),
        ("drained", drained or ["none"]),
        ("lock", [f"number {lock['generation']}, {lock['owner']} since {lock['acquired']}, until {lock['expires']} (run: {lock['run']})"] if lock else ["free"]),
        ("host keys", _key_lines(found["host_keys"]) + host_certificates or ["unknown"]),
        ("client VPN", _vpn_lines(vpn, people) if vpn else ["none"]),
        ("last run", [f"{last.get('playbook')} at {last.get('ended')} by {last.get('controller')}: {last.get('status')}"] if last else ["none that this controller knows"]),
        ("findings", found["findings"] or ["none"]),
    ]
    return [f"{name if first else '':<11} {line}" for name, lines in rows for first, line in zip([True] + [False] * len(lines), lines)]


def _login_node(target: Vars, nodes: t.Iterable[Vars]) -> dict[str, t.Any]:
    host = next((each for each in nodes if each.get("hyperpod_instance_id") == target["instance_id"]), {})
    keys = host.get("status_certificates")
    return {
        **{name: target.get(name) for name in ("instance_id", "ip", "health", "decision", "reason")},
        "certificates": [each for each in keys if each["ends"]] if isinstance(keys, list) else [],
        "problems": [str(host["status_silent"])] if host.get("status_silent") else [],
    }


def _lock(answer: Vars) -> dict[str, t.Any] | None:
    holder = answer.get("holder")
    if not holder:
        return None
    return {**{name: holder[name] for name in ("generation", "owner", "acquired", "expires")}, "run": answer.get("holder_run") or "unknown"}


def _host_keys(answer: Vars) -> dict[str, t.Any]:
    rotation = answer.get("rotation") or {}
    return {
        "fingerprints": [each["fingerprint"] for each in answer.get("host_keys") or () if each.get("fingerprint")],
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


def _key_lines(keys: Vars) -> list[str]:
    if not keys["fingerprints"]:
        return []
    announced = [f"new ones are announced since {keys['announced']}"] if keys["phase"] == "announced" else []
    return ["shared, without an end", *keys["fingerprints"], *announced]


def _vpn_lines(vpn: Vars, people: t.Sequence[Vars]) -> list[str]:
    first = [f"{each['name']} until {each['ends']}" for each in people[:5]]
    return [
        f"{vpn['endpoint'] or 'no endpoint'} ({vpn['state'] or 'not made yet'})",
        f"server certificate until {vpn['server']}, authority until {vpn['authority']}, revocation list until {vpn['crl']}",
        f"{len(people)} people with a certificate{'; the first to end: ' + ', '.join(first) if first else ''}",
    ]


def _not_read(host: Vars) -> list[str]:
    """What failed, with the words of the module."""
    return [
        f"{words} ({host[name].get('msg') or 'no message'})"
        for name, (key, words) in READ.items()
        if name in host
        and not host[name].get("skipped")
        and key not in host[name]
        and not (name == "__status_balancer" and NO_BALANCER in str(host[name].get("msg")))
    ]


def _ending(what: str, end: t.Any, now: str) -> list[str]:
    """``end`` and ``now`` are ISO times."""
    if not end:
        return []
    left = _moment(str(end)) - _moment(now)
    if left <= datetime.timedelta(0):
        return [f"{what} has ended at {end}"]
    return [f"{what} ends in {left.days} days, at {end}"] if left < datetime.timedelta(days=SOON_DAYS) else []


def _moment(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))


def _plain(value: t.Any) -> t.Any:
    if isinstance(value, t.Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return printable(value) if isinstance(value, str) else value
