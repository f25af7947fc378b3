# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan and the files of the readiness gate."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import (
    check as gate_check,
    observe as gate_observe,
    options as gate_options,
    result as gate_result,
    units as gate_units,
    watch as gate_watch,
)
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate.model import State
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate.plan import plan

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
BAD = gate_check.Problem("gate-users", "bad")
OPEN = {"files": "ours", "health": True, "people": (222,)}


OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAICAPSL0Skya4hv55isK/lq7KgIVoqLRwBCsfmvLmwAEg"
CLOSING = ["CloseHealth", "ClosePeople 222", "WriteFiles"]


def desired(**options):
    return gate_options.desired({**DEFAULTS, **options})


def files_for(wanted):
    return gate_units.rendered(wanted, python="/usr/bin/python3", serving=["ExecStart=-/usr/sbin/sshd -i"], connections=512)


def state(wanted, *, files=None, health=False, people=(), watched=None, half_watched=False, **more):
    """:param files: None, "ours", "old" for those of a gate with its health check on port 2022, or the name of the only file that differs."""
    watched = None if half_watched else health if watched is None else watched
    ours = files_for(wanted)
    found = {
        None: {},
        "ours": ours,
        "old": dict.fromkeys(("config", "check", "socket", "service", "boot"), "old"),
    }.get(files)
    if found is None:
        found = {**ours, files: "other"}
    return State(health, people, watched, found, **more)


def operations(made):
    return [
        " ".join([step.operation, *map(str, step.arguments.get("ports", ()))]) for step in made.steps
    ]


@pytest.mark.parametrize(
    "wanted_state, found, expected",
    [
        ("open", {}, ["WriteFiles", "OpenPeople 222", "OpenHealth", "Watch"]),
        ("open", OPEN, []),
        ("open", {"files": "ours"}, ["OpenPeople 222", "OpenHealth", "Watch"]),
        ("open", {**OPEN, "watched": False}, ["Watch"]),
        ("open", {**OPEN, "health": False, "watched": True}, ["OpenHealth"]),
        ("open", {**OPEN, "people": ()}, ["OpenPeople 222"]),
        ("open", {**OPEN, "problems": (BAD,)}, ["CloseHealth", "ClosePeople 222"]),
        ("open", {"files": "ours", "problems": (BAD,), "watched": True}, []),
        ("open", {"problems": (BAD,)}, ["WriteFiles", "Watch"]),
        ("closed", {**OPEN, "problems": (BAD,), "kept": True}, ["CloseHealth", "ClosePeople 222", "Unwatch"]),
        ("closing", OPEN, ["CloseHealth", "Unwatch"]),
        ("closing", {**OPEN, "health": False}, []),
        ("closing", {"files": "ours"}, []),
        ("closed", OPEN, ["CloseHealth", "ClosePeople 222", "Unwatch"]),
        ("closed", {"files": "ours", "people": (222,)}, ["ClosePeople 222"]),
        ("closed", {"files": "ours", "watched": True}, ["Unwatch"]),
        ("closed", {"files": "ours", "half_watched": True}, ["Unwatch"]),
        ("closing", {**OPEN, "half_watched": True}, ["CloseHealth", "Unwatch"]),
        ("open", {**OPEN, "half_watched": True}, ["Watch"]),
        ("closed", {"files": "ours", "health": True, "watched": False}, ["CloseHealth"]),
        ("closed", {"files": "ours"}, []),
        ("absent", OPEN, ["CloseHealth", "ClosePeople 222", "Unwatch", "WriteFiles"]),
        ("absent", {}, []),
    ],
)
def test_steps_depend_on_the_state_of_the_gate(wanted_state, found, expected):
    wanted = desired(state=wanted_state)
    seen = state(wanted, **found)
    made = plan(wanted, seen, files=files_for(wanted))
    assert operations(made) == expected
    assert bool(made.changes) == bool(expected)
    goal = "closed" if wanted_state == "open" and found.get("problems") else wanted_state
    goal = "closed" if goal == "closing" and not found.get("people") else goal
    returned = gate_result.result(wanted, made.after(seen), fail=False)["readiness_gate"]
    assert (returned["state"], returned["ready"]) == (goal, goal == "open")


@pytest.mark.parametrize("file", ["config", "check", "watch", "service", "people socket", "people service", "timer", "watch service"])
def test_changed_files_close_nothing(file):
    wanted = desired()
    made = plan(wanted, state(wanted, **{**OPEN, "files": file}), files=files_for(wanted))
    assert operations(made) == ["WriteFiles"]


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
def test_new_expectations_that_the_node_does_not_meet_close_nothing(
    monkeypatch, known, people, bad, watched, expected
):
    """The new expectation is a misspelt mount.

    :param known: The earlier expectation, or other contents of its file.
    :param bad: Mounts that are missing.
    """
    wanted = desired(mounts=["/fxs"])
    ours = files_for(desired(**(known if isinstance(known, dict) else {})))
    if not isinstance(known, dict):
        ours["config"] = known or '{"users": [], "port": 2022}'
    monkeypatch.setattr(gate_observe, "read_bytes", lambda path: ours.get({v: k for k, v in gate_units.PATHS.items()}[path], "").encode() or None)
    monkeypatch.setattr(gate_observe, "_says", lambda _verb, unit: unit != gate_units.TIMER or watched)
    monkeypatch.setattr(gate_observe, "_people_ports", lambda: people)
    monkeypatch.setattr(gate_watch, "noted", dict)
    monkeypatch.setattr(gate_check, "listeners", lambda port: [(0, str(port))])
    open_states = []

    def look(config, *, is_open):
        assert config["host_keys"] == wanted.expected["host_keys"]
        open_states.append(is_open)
        return {"problems": [gate_check.Problem("gate-mounts", f"{path} is not mounted") for path in config["mounts"] if path in bad], "warnings": []}

    monkeypatch.setattr(gate_check, "look", look)
    found = gate_observe.observe(wanted, files=files_for(wanted))
    assert open_states[0] is (222 in people)
    made = plan(wanted, found, files=files_for(wanted))
    assert operations(made) == expected
    if found.kept:
        assert made.after(found).files["config"] == files_for(desired(mounts=known["mounts"]))["config"]
    expected = [each for each in expected if each.startswith("Close")]
    returned = gate_result.result(wanted, made.after(found), fail=False)["readiness_gate"]
    assert (returned["state"], returned["ready"], returned["problems"]) == ("closed" if expected else "open", False, ["/fxs is not mounted"])
    assert any(each.kind == "note" for each in gate_result.findings(found, now=0)) is not bool(expected)


@pytest.mark.parametrize("damaged", ["people socket", "people service"])
def test_a_port_of_damaged_unit_files_closes_nothing(monkeypatch, damaged):
    """The same run repairs the files."""
    wanted = desired()
    ours = {**files_for(wanted), damaged: "[No\n"}
    monkeypatch.setattr(gate_observe, "read_bytes", lambda path: ours.get({v: k for k, v in gate_units.PATHS.items()}[path], "").encode() or None)
    monkeypatch.setattr(gate_observe, "_says", lambda _verb, _unit: True)
    monkeypatch.setattr(gate_observe, "_people_ports", lambda: (222,))
    monkeypatch.setattr(gate_watch, "noted", dict)
    monkeypatch.setattr(gate_check, "listeners", lambda port: [(0, str(port))])
    closed = [gate_check.Problem("gate-host-keys", "nothing answers on port 222")]
    monkeypatch.setattr(gate_check, "look", lambda _config, *, is_open: {"problems": closed if is_open else [], "warnings": []})
    found = gate_observe.observe(wanted, files=files_for(wanted))
    assert operations(plan(wanted, found, files=files_for(wanted))) == ["WriteFiles"]
    ours = files_for(wanted)
    assert gate_observe.observe(wanted, files=files_for(wanted)).problems == tuple(closed)


@pytest.mark.parametrize(
    ("lost", "expected", "before"),
    [
        ((222,), ["OpenPeople 222"], [222]),
        ((223,), ["OpenHealth"], [223]),
        ((222, 223), ["OpenPeople 222", "OpenHealth"], [222, 223]),
        ((), [], None),
    ],
)
def test_ports_without_a_listener_are_opened_again(monkeypatch, lost, expected, before):
    """After a reload with an unreadable unit, systemd reports a socket as active although nothing listens."""
    wanted = desired()
    ours, paths = files_for(wanted), {path: name for name, path in gate_units.PATHS.items()}
    monkeypatch.setattr(gate_observe, "read_bytes", lambda path: ours.get(paths[path], "").encode() or None)
    monkeypatch.setattr(gate_observe, "_says", lambda _verb, _unit: True)
    monkeypatch.setattr(gate_observe, "_people_ports", lambda: (222,))
    monkeypatch.setattr(gate_watch, "noted", dict)
    monkeypatch.setattr(gate_check, "listeners", lambda port: () if port in lost else [(0, str(port))])
    unanswered = [gate_check.Problem("gate-host-keys", "sshd does not answer on this node")]
    monkeypatch.setattr(gate_check, "look", lambda _config, *, is_open: {"problems": unanswered if is_open and 222 in lost else [], "warnings": []})
    found = gate_observe.observe(wanted, files=files_for(wanted))
    made = plan(wanted, found, files=files_for(wanted))
    assert operations(made) == expected
    changes = [(change.field, change.before, change.after) for change in made.changes]
    assert changes == ([("ports without a listener", before, [])] if lost else [])
    after = made.after(found)
    assert (after.without_listener, sorted(after.people), after.health, after.gate) == ((), [222], True, "open")


def test_an_older_gate_gets_the_new_ports_without_closing():
    wanted = desired(former_ports=[2022])
    made = plan(wanted, state(wanted, files="old", health=True, watched=False), files=files_for(wanted))
    assert operations(made) == ["WriteFiles", "OpenPeople 222", "OpenHealth", "Watch"]
    written = made.steps[0].arguments["files"]
    assert written["boot"] is None and "ListenStream=223\nListenStream=2022\n" in written["socket"]


def test_new_ports_open_before_old_ones_close():
    wanted = desired(people_port=300, former_people_ports=[222])
    moved = plan(wanted, state(wanted, **OPEN), files=files_for(wanted))
    assert operations(moved) == ["OpenPeople 300"]
    wanted = desired(people_port=300)
    dropped = plan(wanted, state(wanted, **{**OPEN, "people": (222, 300)}), files=files_for(wanted))
    assert operations(dropped) == ["ClosePeople 222"]


def test_a_problem_closes_an_open_gate_with_changes_of_state_and_ports():
    wanted = desired()
    made = plan(wanted, state(wanted, **OPEN, problems=(gate_check.Problem("gate-mounts", "/fsx is not mounted"),)), files=files_for(wanted))
    assert [(change.field, change.before, change.after) for change in made.changes] == [
        ("state", "open", "closed"),
        ("login ports", [222], []),
    ]


def test_units_have_their_settings():
    files = files_for(desired())
    assert "ListenStream=223\n" in files["socket"] and "ListenStream=%i\n" in files["people socket"]
    assert "ExecStart=-/usr/sbin/sshd -i\n" in files["people service"]
    assert "KillMode=process\n" in files["people service"], "processes must survive the logout"
    assert "RuntimeDirectory=sshd\n" in files["people service"] and "RuntimeDirectoryPreserve=yes\n" in files["people service"]
    assert "ExecStart=-/bin/echo ready i-0123456789abcdef0\n" in files["service"]
    assert "ExecStart=/usr/bin/python3 -I /var/lib/mlfleet-hyperpod/ready-watch\n" in files["watch service"]
    assert "KillMode=process\n" in files["watch service"], "a check that hangs must not stop the watcher"
    for name in gate_units.SCRIPTS:
        compile(files[name], name, "exec")
    assert not any("[Install]" in text for name, text in files.items() if "socket" in name), "a socket must not listen at boot"
    assert '"mounts": [\n  "/fsx"\n ]' in files["config"]


def test_each_file_is_created_updated_or_deleted_once():
    def actions(found, **options):
        wanted = desired(**options)
        made = plan(wanted, state(wanted, **found), files=files_for(wanted))
        return {change.resource.rpartition("/")[2]: change.action for change in made.changes if change.resource.startswith("file ")}

    assert set(actions({}).values()) == {"create"}
    assert len(actions({})) == len(files_for(desired()))
    assert list(actions({"files": "check"}).values()) == ["update"]
    assert set(actions(OPEN, state="absent").values()) == {"delete"}
