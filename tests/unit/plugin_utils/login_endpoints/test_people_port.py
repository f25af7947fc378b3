# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Host keys are verified on sshd's port and on the users' port, and ssh_config contains that port only behind the listener."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import login_endpoints

TEMPLATES = Path(__file__).resolve().parents[4] / "roles" / "login_nodes" / "templates"


def seen(*verdicts: tuple[str, int, str]) -> list[dict]:
    return [{"name": name, "port": port, "verdict": verdict} for name, port, verdict in verdicts]


@pytest.mark.parametrize(
    ("here", "node", "agree", "differ"),
    [
        ([("a", 22, "agrees")], [], ["a"], []),
        ([("a", 22, "agrees"), ("a", 222, "agrees")], [], ["a"], []),
        ([("a", 22, "agrees"), ("a", 222, "differs")], [], [], [("a", 222)]),
        ([("a", 22, "differs"), ("a", 222, "agrees")], [], [], [("a", 22)]),
        ([("a", 22, "agrees"), ("a", 222, "unverified")], [], [], []),
        ([("a", 22, "agrees"), ("a", 222, "unverified")], [("a", 222, "agrees")], ["a"], []),
        ([("a", 22, "unverified"), ("a", 222, "unverified")], [("a", 22, "agrees"), ("a", 222, "differs")], [], [("a", 222)]),
        ([("a", 22, "differs"), ("a", 222, "unverified")], [("a", 22, "agrees"), ("a", 222, "agrees")], [], [("a", 22)]),
        ([("a", 22, "agrees")], [("b", 22, "agrees"), ("b", 222, "agrees")], ["a"], []),
    ],
)
def test_every_port_must_agree_and_nodes_count_only_for_unseen_ports(here, node, agree, differ):
    found = login_endpoints.endpoint_verdicts(seen(*here), [("w", seen(*node))])
    assert (found.agree, found.differ, found.disputed) == (agree, differ, [])


GOOD, BAD = ("a", 22, "agrees"), ("a", 22, "differs")


@pytest.mark.parametrize(
    ("reports", "agree", "differ", "disputed", "unverified"),
    [
        ({"a": [GOOD]}, [], [], [], [("a", 22)]),  # its own testimony
        ({"a": [BAD]}, [], [], [], [("a", 22)]),
        ({"a": [BAD], "b": [GOOD]}, ["a"], [], [], []),
        ({"a": [GOOD], "b": [BAD], "c": [BAD]}, [], [("a", 22)], [], []),
        ({"b": [GOOD], "c": [GOOD]}, ["a"], [], [], []),
        ({"b": [GOOD], "c": [BAD]}, [], [], [("a", 22, ["b"], ["c"])], []),
        ({"c": [BAD], "b": [GOOD], "d": [GOOD]}, [], [], [("a", 22, ["b", "d"], ["c"])], []),
        ({"b": [GOOD, BAD]}, [], [], [("a", 22, ["b"], ["b"])], []),
        ({"b": []}, [], [], [], [("a", 22)]),
        ({}, [], [], [], [("a", 22)]),
    ],
)
def test_only_reports_of_other_nodes_count_and_contradictions_verify_nothing(reports, agree, differ, disputed, unverified):
    found = login_endpoints.endpoint_verdicts(seen(("a", 22, "unverified")), [(node, seen(*verdicts)) for node, verdicts in reports.items()])
    assert (found.agree, found.differ, found.unverified) == (agree, differ, unverified)
    assert [(each.name, each.port, each.agree, each.differ) for each in found.disputed] == disputed


@pytest.mark.parametrize(
    "answer", ["all", {"name": "a"}, ["a"], [{"name": "a"}], [{"name": ["a"], "port": 22, "verdict": "agrees"}], [{"name": "a", "port": 22, "verdict": "fine"}]]
)
def test_a_malformed_answer_of_a_node_is_ignored(answer):
    found = login_endpoints.endpoint_verdicts(seen(("a", 22, "unverified"), ("b", 22, "agrees")), [("w", answer)])
    assert (found.agree, found.differ, found.disputed) == (["b"], [], [])


def test_a_node_checks_only_unseen_endpoints():
    endpoints = [{"name": "a", "host": "10.1.1.1", "port": port, "host_keys": ["K"]} for port in (22, 222)]
    assert login_endpoints.unseen_endpoints(endpoints, seen(("a", 22, "agrees"), ("a", 222, "unverified"))) == endpoints[1:]


@pytest.mark.parametrize(("listener", "balanced"), [(22, []), ("2222", ["    Port 2222"])])
def test_ssh_config_contains_the_port_behind_the_listener(listener, balanced):
    nodes = [{"node_type": "login", "ip": ip} for ip in ("10.1.1.12", "10.1.1.11")]
    text = jinja2.Template((TEMPLATES / "ssh_config.j2").read_text()).render(
        hyperpod_cluster_key="ml",
        hyperpod_run={"login_name": "lb.example.com", "login_port": listener, "login_addresses": nodes},
        login_nodes_people_port=222,
        __login_nodes={"files": {"names": ["lb.example.com"]}},
    )
    name, *past = text.split("\nHost ")[1:]
    assert [line for line in name.split("\n") if line.startswith("    Port")] == balanced
    assert ["    HostName 10.1.1.11\n    Port 222\n" in past[0], "    HostName 10.1.1.12\n    Port 222\n" in past[1]] == [True, True]
