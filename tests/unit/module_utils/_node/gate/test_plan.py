# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The readiness gate: its options, its plan, and its files."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.plan import Refused
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import system
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import (
    check as gate_check,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import (
    options as gate_options,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import (
    plan as gate,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import (
    result as gate_report,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import (
    units as gate_units,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import (
    watch as gate_watch,
)

ED = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm"
DEFAULTS = {
    "state": "open",
    "port": 223,
    "former_ports": [],
    "people_port": 222,
    "former_people_ports": [],
    "host_keys": [ED + " shared"],
    "host_certificates": [],
    "users": [{"name": "bob", "uid": None}, {"name": "alice", "uid": 20001}],
    "mounts": ["/fsx/"],
    "mount_timeout": 5,
    "silent_mounts": "warn",
    "instance": "i-0123456789abcdef0",
}
OPEN = {"files": "ours", "health": True, "people": (222,)}


OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICAPSL0Skya4hv55isK/lq7KgIVoqLRwBCsfmvLmwAEg"
CLOSING = ["CloseHealth", "ClosePeople 222", "WriteFiles"]


def desired(**options):
    return gate_options.desired_from({**DEFAULTS, **options})


def files_for(wanted):
    return gate_units.rendered(wanted, python="/usr/bin/python3", serving=["ExecStart=-/usr/sbin/sshd -i"], connections=512)


def state(wanted, *, files=None, health=False, people=(), watched=None, half_watched=False, **more):
    """``files``: None, ours, those of a gate that is asked on 2022 (old), or ours but for the one that is named."""
    watched = None if half_watched else health if watched is None else watched
    ours = files_for(wanted)
    found = {
        None: {},
        "ours": ours,
        "old": dict.fromkeys(("config", "check", "socket", "service", "boot"), "old"),
    }.get(files)
    if found is None:
        found = {**ours, files: "other"}
    return gate.State(health, people, watched, found, **more)


def operations(plan):
    return [
        " ".join([step.operation, *map(str, step.arguments.get("ports", ()))]) for step in plan.steps
    ]


@pytest.mark.parametrize(
    "option, value",
    [
        ("port", 0),
        ("port", 22),
        ("port", 512),
        ("port", 2022),
        ("people_port", 0),
        ("people_port", 22),
        ("people_port", 223),
        ("people_port", 512),
        ("former_ports", [65536]),
        ("former_people_ports", [22]),
        ("mount_timeout", 0),
        ("instance", "x\nExecStart=/bin/sh"),
        ("instance", "a b"),
        ("host_keys", ["nonsense"]),
        ("mounts", ["fsx"]),
        ("mounts", ["/fsx\n"]),
    ],
)
def test_refused_options(option, value):
    with pytest.raises(Refused, match=f"^{option}: .* is not allowed; .* allowed"):
        desired(**{option: value})


@pytest.mark.parametrize(
    "wanted_state, found, expected",
    [
        ("open", {}, ["WriteFiles", "OpenPeople 222", "OpenHealth", "Watch"]),
        ("open", OPEN, []),
        ("open", {"files": "ours"}, ["OpenPeople 222", "OpenHealth", "Watch"]),
        ("open", {**OPEN, "watched": False}, ["Watch"]),
        ("open", {**OPEN, "health": False, "watched": True}, ["OpenHealth"]),
        ("open", {**OPEN, "people": ()}, ["OpenPeople 222"]),
        ("open", {**OPEN, "problems": ("bad",)}, ["CloseHealth", "ClosePeople 222"]),
        ("open", {"files": "ours", "problems": ("bad",), "watched": True}, []),
        ("open", {"problems": ("bad",)}, ["WriteFiles", "Watch"]),
        ("closed", {**OPEN, "problems": ("bad",), "kept": True}, ["Unwatch", "CloseHealth", "ClosePeople 222"]),
        ("closing", OPEN, ["Unwatch", "CloseHealth"]),
        ("closing", {**OPEN, "health": False}, []),
        ("closing", {"files": "ours"}, []),
        ("closed", OPEN, ["Unwatch", "CloseHealth", "ClosePeople 222"]),
        ("closed", {"files": "ours", "people": (222,)}, ["ClosePeople 222"]),
        ("closed", {"files": "ours", "watched": True}, ["Unwatch"]),
        ("closed", {"files": "ours", "half_watched": True}, ["Unwatch"]),
        ("closing", {**OPEN, "half_watched": True}, ["Unwatch", "CloseHealth"]),
        ("open", {**OPEN, "half_watched": True}, ["Watch"]),
        ("closed", {"files": "ours", "health": True, "watched": False}, ["CloseHealth"]),
        ("closed", {"files": "ours"}, []),
        ("absent", OPEN, ["Unwatch", "CloseHealth", "ClosePeople 222", "WriteFiles"]),
        ("absent", {}, []),
    ],
)
def test_plan(wanted_state, found, expected):
    wanted = desired(state=wanted_state)
    plan = gate.plan(wanted, state(wanted, **found), files=files_for(wanted))
    assert operations(plan) == expected
    assert bool(plan.changes) == bool(expected)
    goal = "closed" if wanted_state == "open" and found.get("problems") else wanted_state
    goal = "closed" if goal == "closing" and not found.get("people") else goal
    assert gate.describe(wanted, plan.predicted)["state"] == goal
    assert gate.describe(wanted, plan.predicted)["ready"] is (goal == "open")


@pytest.mark.parametrize("file", ["config", "check", "watch", "service", "people socket", "people service", "timer", "watch service"])
def test_what_is_only_expected_anew_closes_nothing(file):
    wanted = desired()
    plan = gate.plan(wanted, state(wanted, **{**OPEN, "files": file}), files=files_for(wanted))
    assert operations(plan) == ["WriteFiles"]


@pytest.mark.parametrize(
    ("known", "people", "bad", "watched", "expected"),
    [
        ({"mounts": ["/fsx"]}, (222,), ["/fxs"], True, []),
        ({"mounts": ["/fsx"]}, (222,), ["/fxs"], False, ["Watch"]),
        ({"mounts": ["/fsx"], "host_keys": [OTHER_KEY]}, (222,), ["/fxs"], True, ["WriteFiles"]),
        ({"mounts": ["/fsx"]}, (222,), ["/fxs", "/fsx"], True, CLOSING),
        ({"mounts": ["/fxs"]}, (222,), ["/fxs"], True, ["CloseHealth", "ClosePeople 222"]),
        ({"mounts": ["/fsx"]}, (), ["/fxs"], True, ["CloseHealth", "WriteFiles"]),
        (None, (222,), ["/fxs"], True, CLOSING),
        ("[]", (222,), ["/fxs"], True, CLOSING),
    ],
)
def test_what_the_node_does_not_meet_closes_nothing_if_it_was_not_expected_before(
    monkeypatch, known, people, bad, watched, expected
):
    """``known``: what the watcher expects, or what stands there instead; ``bad``: mounts that are not there; expected anew is a misspelt one, and perhaps keys
    that were installed just now.
    """
    wanted = desired(mounts=["/fxs"])
    ours = files_for(desired(**(known if isinstance(known, dict) else {})))
    if not isinstance(known, dict):
        ours["config"] = known or '{"users": [], "port": 2022}'
    monkeypatch.setattr(gate, "read_bytes", lambda path: ours.get({v: k for k, v in gate_units.PATHS.items()}[path], "").encode() or None)
    monkeypatch.setattr(gate, "_says", lambda _verb, unit: unit != gate_units.TIMER or watched)
    monkeypatch.setattr(gate, "_people_ports", lambda: people)
    monkeypatch.setattr(gate_watch, "noted", dict)
    looks = []

    def look(config, *, is_open):
        assert config["host_keys"] == wanted.expected["host_keys"]
        looks.append(is_open)
        return {"problems": [f"{path} is not mounted" for path in config["mounts"] if path in bad], "warnings": []}

    monkeypatch.setattr(gate_check, "look", look)
    found = gate.observe(wanted)
    assert looks[0] is (222 in people)
    plan = gate.plan(wanted, found, files=files_for(wanted))
    assert operations(plan) == expected
    if found.kept:
        assert plan.predicted.files["config"] == files_for(desired(mounts=known["mounts"]))["config"]
    expected = [each for each in expected if each.startswith("Close")]
    told = gate.describe(wanted, plan.predicted)
    assert (told["state"], told["ready"], told["problems"]) == ("closed" if expected else "open", False, ["/fxs is not mounted"])
    assert bool(gate_report.sentences(found, now=0).get("notes")) is not bool(expected)


@pytest.mark.parametrize(
    ("script", "ports"),
    [
        ("echo 'mlfleet-login-people@300.socket loaded active listening Port 300'; "
         "echo 'mlfleet-login-people@222.socket loaded active listening Port 222'", (222, 300)),
        ("exit 0", ()),
        ("echo 'Failed to list units: Connection timed out' >&2; exit 1", None),
    ],
)
def test_ports_for_people_that_nobody_can_tell_are_not_closed(monkeypatch, tmp_path, script, ports):
    (tmp_path / "systemctl").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "systemctl").chmod(0o755)
    monkeypatch.setattr(system, "SEARCH_PATH", str(tmp_path))
    if ports is None:
        with pytest.raises(system.CommandFailed, match="Connection timed out"):
            gate._people_ports()
    else:
        assert gate._people_ports() == ports


@pytest.mark.parametrize(
    ("ports", "words"),
    [
        ({"people_port": 223, "port": 222}, "people_port: 223 is not allowed; the load balancer still uses it for its health check"),
        ({"people_port": 333, "port": 222}, "port: 222 is not allowed; the load balancer still uses it for people"),
    ],
)
def test_a_port_is_not_put_to_the_other_use_before_it_is_free(ports, words):
    with pytest.raises(Refused, match=words):
        desired(**ports, former_ports=[223], former_people_ports=[222])


def test_a_gate_of_the_earlier_form_opens_the_new_ports_without_being_closed():
    wanted = desired(former_ports=[2022])
    plan = gate.plan(wanted, state(wanted, files="old", health=True, watched=False), files=files_for(wanted))
    assert operations(plan) == ["WriteFiles", "OpenPeople 222", "OpenHealth", "Watch"]
    written = plan.steps[0].arguments["files"]
    assert written["boot"] is None and "ListenStream=223\nListenStream=2022\n" in written["socket"]


def test_other_ports_open_before_those_of_before_close():
    wanted = desired(people_port=300, former_people_ports=[222])
    moved = gate.plan(wanted, state(wanted, **OPEN), files=files_for(wanted))
    assert operations(moved) == ["OpenPeople 300"]
    wanted = desired(people_port=300)
    dropped = gate.plan(wanted, state(wanted, **{**OPEN, "people": (222, 300)}), files=files_for(wanted))
    assert operations(dropped) == ["ClosePeople 222"]


def test_a_problem_closes_an_open_gate_in_words_and_leaves_it_watched():
    wanted = desired()
    plan = gate.plan(wanted, state(wanted, **OPEN, problems=("/fsx is not mounted",)), files=files_for(wanted))
    assert [(change.field, change.before, change.after) for change in plan.changes] == [
        ("state", "open", "closed"),
        ("ports for people", [222], []),
    ]


def test_units():
    files = files_for(desired())
    assert "ListenStream=223\n" in files["socket"] and "ListenStream=%i\n" in files["people socket"]
    assert "ExecStart=-/usr/sbin/sshd -i\n" in files["people service"]
    assert "KillMode=process\n" in files["people service"], "what people left running would end with their logout"
    assert "RuntimeDirectory=sshd\n" in files["people service"] and "RuntimeDirectoryPreserve=yes\n" in files["people service"]
    assert "ExecStart=-/bin/echo ready i-0123456789abcdef0\n" in files["service"]
    assert "ExecStart=/usr/bin/python3 -I /var/lib/mlfleet-hyperpod/ready-watch\n" in files["watch service"]
    assert "KillMode=process\n" in files["watch service"], "a look that a dead file system keeps would be the last one"
    for name in gate_units.SCRIPTS:
        compile(files[name], name, "exec")
    assert not any("[Install]" in text for name, text in files.items() if "socket" in name), "a socket would listen at boot"
    assert '"mounts": [\n  "/fsx"\n ]' in files["config"]


@pytest.mark.parametrize(
    "noted, told",
    [
        (None, []),
        ({"closed": 0, "opened": None, "problems": ["bad"]}, ["at 1970-01-01T00:00:00Z (bad); it has been closed since."]),
        ({"closed": 0, "opened": 60, "problems": ["bad"]}, ["(bad); it was open again at 1970-01-01T00:01:00Z."]),
    ],
)
def test_what_the_watcher_did_is_told_for_a_day(noted, told):
    found = gate.State(True, (222,), True, {}, noted=noted)
    notes = gate_report.sentences(found, now=86400).get("notes", [])
    assert len(notes) == len(told) and all(part in note for part, note in zip(told, notes))
    assert gate_report.sentences(found, now=86461).get("notes", []) == (notes if noted and noted["opened"] is None else [])


def test_problems_are_pending_and_warnings_are_notes():
    found = gate.State(False, (), True, {}, problems=("/fsx is not mounted",), warnings=("/home: does not answer within 5 s",))
    assert gate_report.sentences(found, now=0) == {
        "pending": ["Not ready for logins: /fsx is not mounted."],
        "notes": ["Open for logins although /home: does not answer within 5 s."],
    }
