# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The status of one cluster as one page. No I/O."""

from __future__ import annotations

import typing as t

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.events import status as events

Found = t.Mapping[str, t.Any]
"""The result of ``status.cluster_status``."""
WIDTH = 11
PEOPLE = 5


def page(found: Found) -> list[str]:
    vpn, drained = found["vpn"], found["drained"]
    count = f"{found['in_service']} of {len(found['login_nodes'])} login nodes"
    rows: list[tuple[str, t.Sequence[str]]] = [
        ("cluster", [f"{found['cluster']} ({found['state']}), account {found['account']}, {found['region']}"]),
        ("login name", [found["login_name"] or "none"]),
        ("in service", [count, *(_node(node, drained) for node in found["login_nodes"])]),
        ("drained", [_drained(name, record) for name, record in drained.items()] or ["none"]),
        ("lock", [_lock(found["lock"]) if found["lock"] else "free"]),
        ("host keys", [*_keys(found["host_keys"]), *_certificates(found["login_nodes"])] or ["unknown"]),
        ("scripts", [_scripts(found["lifecycle_scripts"])]),
        ("client VPN", _vpn(vpn) if vpn else ["none"]),
        ("events", [events.line(found["events"])]),
        ("last run", [_run(found["last_run"]) if found["last_run"] else "none on this control node"]),
        ("findings", [each["text"] for each in found["findings"]] or ["none"]),
    ]
    return [
        f"{name if index == 0 else '':<{WIDTH}} {line}" for name, lines in rows for index, line in enumerate(lines)
    ]


def _node(node: Found, drained: Found) -> str:
    state = "drained" if node["instance_id"] in drained else node["health"] or "not registered"
    return f"{node['instance_id']}  {node['ip'] or '-'}  {state}"


def _drained(name: str, record: Found) -> str:
    return f"{name} by {record.get('owner')}, since {record.get('since')}: {record.get('reason') or 'no reason was given'}"


def _lock(lock: Found) -> str:
    return f"number {lock['generation']}, {lock['owner']} since {lock['acquired']}, until {lock['expires']} (run: {lock['run']})"


def _keys(keys: Found) -> list[str]:
    if not keys["fingerprints"]:
        return []
    announced = [f"new host keys announced since {keys['announced']}"] if keys["phase"] == "announced" else []
    return ["shared, without expiry", *keys["fingerprints"], *announced]


def _certificates(nodes: t.Iterable[Found]) -> list[str]:
    return [f"{node['instance_id']} {each['type']} until {each['ends']}" for node in nodes for each in node["certificates"]]


def _scripts(scripts: Found | None) -> str:
    if scripts is None:
        return "not compared: no recorded digests were read"
    changed = f"{len(scripts['changed'])} changed since the upload" if scripts["changed"] else "as uploaded"
    return f"s3://{scripts['bucket']}/{scripts['prefix']}, {changed}"


def _vpn(vpn: Found) -> list[str]:
    people = sorted(vpn["people"], key=lambda each: str(each["ends"]))
    first = ", ".join(f"{each['name']} until {each['ends']}" for each in people[:PEOPLE])
    return [
        f"{vpn['endpoint'] or 'no endpoint'} ({vpn['state'] or 'not created yet'})",
        f"server certificate until {vpn['server']}, CA until {vpn['authority']}, CRL until {vpn['crl']}",
        f"users with a certificate: {len(people)}{'; the first to expire: ' + first if first else ''}",
    ]


def _run(last: Found) -> str:
    ended, controller = last["ended"] or "an unknown time", last["controller"] or "an unknown control node"
    return f"{last['playbook']} at {ended} by {controller}: {last['status']}"
