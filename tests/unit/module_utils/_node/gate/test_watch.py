# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The watcher of the readiness gate, with stand-ins for systemctl and the check."""

from __future__ import annotations

import fcntl
import json
import os
import time

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.gate import hold as gate_hold, watch as gate_watch
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.sshd import phases

SYSTEMCTL = """#!/bin/sh
cd {folder}
case $1 in
is-active) test -e "active/$3" ;;
start) shift; for unit; do touch "active/$unit"; done ;;
stop) shift; for unit; do rm -f active/$unit; done ;;
esac
"""
# Each line of `results` is the result of one check; its arguments are appended to `calls`.
CHECK = """
import json, sys, time
results = open("{folder}/results").read().split("\\n")
open("{folder}/results", "w").write("\\n".join(results[1:]))
open("{folder}/calls", "a").write(" ".join(sys.argv[1:]) + "\\n")
if results[0] == "changed":
    open("{folder}/config", "a").write(" ")
if results[0] == "held":
    open("{folder}/hold", "w").write(str(time.monotonic() + 60))
if results[0] == "broken":
    sys.exit("a traceback")
problems = [] if results[0] in ("good", "silent") else [["gate-mounts", "no mount"]]
print(json.dumps({{"problems": problems, "warnings": [["gate-mounts", "silent"]] * (results[0] == "silent")}}))
"""
HEALTH, PEOPLE = "mlfleet-login-ready.socket", "mlfleet-login-people@222.socket"


class Node:
    def __init__(self, folder, monkeypatch):
        self.folder = folder
        (folder / "active").mkdir()
        (folder / "systemctl").write_text(SYSTEMCTL.format(folder=folder))
        (folder / "systemctl").chmod(0o755)
        (folder / "check").write_text(CHECK.format(folder=folder))
        (folder / "config").write_text(json.dumps({"people_ports": [222]}))
        paths = {"CONFIG": "config", "CHECK": "check", "RECORD": "record", "HOLD": "hold", "LOCK": "lock", "SYSTEMCTL": "systemctl"}
        for name, file in paths.items():
            monkeypatch.setattr(gate_watch, name, str(folder / file))
        monkeypatch.setattr(gate_watch, "PAUSE", 0)

    def run(self, *results, active=()):
        for unit in active:
            (self.folder / "active" / unit).touch()
        (self.folder / "results").write_text("\n".join(results))
        gate_watch.watch()
        calls = self.folder / "calls"
        self.calls = calls.read_text().split("\n")[:-1] if calls.exists() else []
        return set(os.listdir(self.folder / "active"))


@pytest.fixture
def node(tmp_path, monkeypatch):
    return Node(tmp_path, monkeypatch)


BOTH = {HEALTH, PEOPLE}


@pytest.mark.parametrize(
    ("active", "results", "left", "checks"),
    [
        (BOTH, ["good"], BOTH, 1),
        (BOTH, ["bad", "good"], BOTH, 2),
        (BOTH, ["bad", "bad", "good"], BOTH, 3),
        (BOTH, ["bad", "bad", "bad"], set(), 3),
        (BOTH, ["broken", "broken", "broken"], set(), 3),
        (BOTH, ["silent"], BOTH, 1),
        (set(), ["bad"], set(), 1),
        (set(), ["good", "bad"], set(), 2),
        (set(), ["good", "good"], BOTH, 2),
        ({PEOPLE}, ["good", "good"], BOTH, 2),
        ({HEALTH}, ["bad", "good", "good"], BOTH, 3),
        ({HEALTH}, ["bad", "bad", "bad"], set(), 3),
        (BOTH, ["bad", "bad", "changed"], BOTH, 3),
        (BOTH, ["bad", "bad", "held"], BOTH, 3),
        (set(), ["good", "changed"], set(), 2),
    ],
)
def test_the_gate_follows_the_results_of_checks(node, active, results, left, checks):
    assert node.run(*results, active=active) == left
    assert node.calls == ["open" if active == BOTH else ""] * checks


def test_nothing_is_changed_during_the_hold_of_a_run(node, monkeypatch):
    gate_hold.begin(path=str(node.folder / "hold"), seconds=60)
    assert node.run("bad", "bad", "bad", active=BOTH) == BOTH and node.calls == []
    gate_hold.begin(path=str(node.folder / "hold"), seconds=-1)
    assert node.run("bad", "bad", "bad", active=BOTH) == set()
    gate_hold.end(path=str(node.folder / "hold"))
    gate_hold.end(path=str(node.folder / "hold"))
    assert not (node.folder / "hold").exists()


def test_a_hold_longer_than_the_maximum_is_ignored(node):
    path = node.folder / "hold"
    gate_hold.begin(path=str(path), seconds=phases.LONGEST_CONFIRM_TIMEOUT + gate_hold.SECONDS)
    assert node.run("bad", "bad", "bad", active=BOTH) == BOTH
    path.write_text("99999999999\n")
    assert node.run("bad", "bad", "bad", active=BOTH) == set()


def test_nothing_is_changed_while_a_module_holds_the_lock(node):
    with open(node.folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert node.run("bad", "bad", "bad", active=BOTH) == BOTH
    assert node.run("bad", "bad", "bad", active=BOTH) == set()


def test_users_can_neither_hold_the_lock_nor_read_it(node):
    node.run("bad", "bad", "bad", active=BOTH)
    assert os.stat(node.folder / "lock").st_mode & 0o077 == 0


def test_the_record_has_why_the_gate_closed_and_when_it_opened(node):
    before = int(time.time())
    node.run("bad", "bad", "bad", active=BOTH)
    closed = gate_watch.noted()
    assert closed["problems"] == ["no mount"] and closed["closed"] >= before and closed["opened"] is None
    node.run("good", "good")
    opened = gate_watch.noted()
    assert {**opened, "opened": None} == closed and opened["opened"] >= closed["closed"]
    gate_watch.forget()
    assert gate_watch.noted() == {}


def test_a_service_that_cannot_start_is_no_open_gate(node):
    node.run("bad", "bad", "bad", active=BOTH)
    (node.folder / "systemctl").write_text("#!/bin/sh\nexit 1\n")
    node.run("good", "good")
    assert gate_watch.noted()["opened"] is None


def test_the_gate_closes_even_if_the_record_cannot_be_written(node, monkeypatch):
    monkeypatch.setattr(gate_watch, "RECORD", "/dev/full/record")
    assert node.run("bad", "bad", "bad", active=BOTH) == set()
