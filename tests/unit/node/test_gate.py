# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The readiness gate: what speaks against opening it, and the plan."""

from __future__ import annotations

import pytest
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import gate, gate_check
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._plan import Refused

ED = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILasyqoyi7KmpC6pzKvPK49DNOORBt4sb+SRbAAjYkMm"
DEFAULTS = {
    "state": "open",
    "port": 2022,
    "host_keys": [ED + " shared"],
    "host_certificates": [],
    "users": [{"name": "bob", "uid": None}, {"name": "alice", "uid": 20001}],
    "mounts": ["/fsx/"],
    "mount_timeout": 5,
    "instance": "i-0123456789abcdef0",
}


def desired(**options):
    return gate.desired_from({**DEFAULTS, **options})


def files_for(wanted):
    return gate.rendered_files(wanted, python="/usr/bin/python3")


def state(*, listening=False, files=None, problems=(), enabled=None):
    return gate.State(listening, listening if enabled is None else enabled, files or {}, tuple(problems))


def operations(plan):
    return [step.operation for step in plan.steps]


@pytest.mark.parametrize(
    "option, value",
    [
        ("port", 0),
        ("port", 65536),
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
        ("open", {}, ["WriteFiles", "OpenGate"]),
        ("open", {"files": "ours", "listening": True}, []),
        ("open", {"files": "ours", "listening": False}, ["OpenGate"]),
        ("open", {"files": "ours", "listening": True, "enabled": False}, ["OpenGate"]),
        ("open", {"files": "others", "listening": True}, ["CloseGate", "WriteFiles", "OpenGate"]),
        ("open", {"files": "ours", "listening": True, "problems": ["bad"]}, ["CloseGate"]),
        ("open", {"files": "ours", "listening": False, "problems": ["bad"]}, []),
        ("open", {"problems": ["bad"]}, ["WriteFiles"]),
        ("closed", {"files": "ours", "listening": True}, ["CloseGate"]),
        ("closed", {"files": "ours", "listening": False, "enabled": True}, ["CloseGate"]),
        ("closed", {"files": "ours"}, []),
        ("absent", {"files": "ours", "listening": True}, ["CloseGate", "WriteFiles"]),
        ("absent", {}, []),
    ],
)
def test_plan(wanted_state, found, expected):
    wanted = desired(state=wanted_state)
    files = {"ours": files_for(wanted), "others": {**files_for(wanted), "config": "{}"}, None: {}}[found.get("files")]
    plan = gate.plan(wanted, state(**{**found, "files": files}), files=files_for(wanted))
    assert operations(plan) == expected
    assert bool(plan.changes) == bool(expected)
    goal = "closed" if wanted_state == "open" and found.get("problems") else wanted_state
    assert gate.describe(wanted, plan.predicted)["state"] == goal
    assert gate.describe(wanted, plan.predicted)["ready"] is (goal == "open")


def test_a_problem_closes_an_open_gate_in_words():
    wanted = desired()
    plan = gate.plan(
        wanted,
        state(listening=True, files=files_for(wanted), problems=["/fsx is not mounted"]),
        files=files_for(wanted),
    )
    assert [(change.field, change.before, change.after) for change in plan.changes] == [
        ("state", "open", "closed"),
        ("enabled at boot", True, False),
    ]


def test_units():
    files = files_for(desired())
    assert "ListenStream=2022\n" in files["socket"]
    assert "ExecStartPre=/usr/bin/python3 -I /var/lib/mlfleet-hyperpod/ready-check\n" in files["socket"]
    assert "ExecStart=-/bin/echo ready i-0123456789abcdef0\n" in files["service"]
    compile(files["check"], "ready-check", "exec")
    assert '"mounts": [\n  "/fsx"\n ]' in files["config"]


@pytest.mark.parametrize(
    "presented, problems",
    [
        ({"ssh-ed25519": ED.split()[1]}, []),
        (None, ["does not answer"]),
        ({}, ["does not present"]),
        ({"ssh-ed25519": "AAAA"}, ["another ssh-ed25519"]),
        ({"ssh-ed25519": ED.split()[1], "ssh-rsa": "AAAA"}, ["ssh-rsa, which is not among"]),
    ],
)
def test_key_problems(presented, problems):
    found = list(gate_check.key_problems([ED], presented))
    assert len(found) == len(problems)
    assert all(part in text for part, text in zip(problems, found))


@pytest.mark.parametrize(
    "user, problem",
    [
        ({"name": "root", "uid": 0}, ""),
        ({"name": "root", "uid": None}, ""),
        ({"name": "root", "uid": 7}, "has uid 0 instead of 7"),
        ({"name": "no-such-user", "uid": 7}, "does not exist"),
    ],
)
def test_user_problems(user, problem):
    found = list(gate_check.user_problems([user]))
    assert (not found) if not problem else (len(found) == 1 and problem in found[0])


def test_mountinfo():
    text = (
        "22 1 0:21 / / rw - overlay x rw\n"
        "30 22 0:40 / /fsx rw,noatime shared:1 - lustre 10.0.0.1@tcp:/abc rw\n"
        "31 22 0:41 / /home rw - autofs systemd-1 rw\n"
        "32 22 0:42 / /with\\040space rw - nfs4 a:/b rw\n"
    )
    assert gate_check.parse_mountinfo(text) == {"/", "/fsx", "/with space"}


@pytest.mark.parametrize(
    "raw, path",
    [
        (rb"/home/m/\377", "/home/m/\xff"),
        (b"/home/m/\xff", "/home/m/\udcff"),
        (b"/home/m/a\x0cb", "/home/m/a\fb"),
        (b"/home/m/a\rb", "/home/m/a\rb"),
        ("/home/m/\u2028\x85".encode(), "/home/m/\u2028\x85"),
        (rb"/home/m/\011\012\134x41", "/home/m/\t\n\\x41"),
    ],
)
def test_an_odd_mount_name_is_only_a_name(monkeypatch, tmp_path, raw, path):
    table = tmp_path / "mountinfo"
    table.write_bytes(
        b"50 36 0:44 / " + raw + b" rw,nosuid - fuse.sshfs x rw,user_id=20009\n"
        b"36 29 0:30 / /fsx rw,relatime shared:1 - lustre 10.0.0.1@tcp:/x rw\n"
    )
    real = open
    monkeypatch.setattr(gate_check, "open", lambda _path, **how: real(table, **how), raising=False)
    assert gate_check.mounted_paths() == {path, "/fsx"}


@pytest.mark.parametrize(
    "path, part",
    [("/proc", ""), ("/proc/self", "is not mounted"), ("/no/such/folder", "cannot be read")],
)
def test_mount_problems(path, part):
    found = list(gate_check.mount_problems([path], timeout=5))
    assert (not found) if not part else (len(found) == 1 and part in found[0])
