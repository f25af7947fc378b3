# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The readiness gate watches itself: three failed checks in a row close it, two successful ones open it.

This file has no imports of the collection: ``readiness_gate`` also installs it on the node, where a timer runs it. Its last
action is in ``RECORD``, which the next run reads. Standard library only, Python 3.9 syntax.
"""

# systemd runs this file as a program, without any module object.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import subprocess
import sys
import time
import typing as t

CONFIG = "/var/lib/mlfleet-hyperpod/ready.json"
CHECK = "/var/lib/mlfleet-hyperpod/ready-check"
RECORD = "/var/lib/mlfleet-hyperpod/ready-watch.json"
HOLD = "/run/mlfleet-hyperpod-hold"
LONGEST_HOLD = 1800.0
"""Seconds that a run holds the gate at most. A later end was written by something else."""
LOCK = "/run/mlfleet-hyperpod.lock"
SOCKET = "mlfleet-login-ready.socket"
PEOPLE_SOCKET = "mlfleet-login-people@{}.socket"
SYSTEMCTL = "/bin/systemctl"
ENVIRONMENT = {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin", "LC_ALL": "C"}
"""Of all that is started here."""
PAUSE = 5.0
LOOKS = 4


def verdict(looks: t.Sequence[bool], *, listening: str) -> str:
    """``rest``, ``again`` (look once more), ``open`` or ``close``, after ``looks`` of this run and what listens now.

    ``listening`` is ``all``, ``some`` or ``none`` of the gate's ports.
    """
    if looks[-1]:
        if listening == "all":
            return "rest"
        wanted, action = 2, "open"
    else:
        if listening == "none":
            return "rest"
        wanted, action = 3, "close"
    if len(looks) >= wanted and len(set(looks[-wanted:])) == 1:
        return action
    return "again" if len(looks) < LOOKS else "rest"


def held(*, now: float) -> bool:
    """Whether a run works on this node. ``now`` and the end of the hold are seconds since the boot."""
    try:
        with open(HOLD, encoding="ascii") as file:
            return now < float(file.read()) <= now + LONGEST_HOLD
    except (FileNotFoundError, ValueError):
        return False


def listening(ports: t.Sequence[int]) -> str:
    units = [SOCKET, *(PEOPLE_SOCKET.format(port) for port in ports)]
    active = [_systemctl("is-active", "--quiet", unit) == 0 for unit in units]
    return "all" if all(active) else "some" if any(active) else "none"


def open_gate(ports: t.Sequence[int]) -> int:
    """The health check's port last, so no connection is sent to a port without a listener."""
    people = [PEOPLE_SOCKET.format(port) for port in ports]
    return _systemctl("start", *people) or _systemctl("start", SOCKET)


def close_gate() -> int:
    """Both, whatever becomes of the first."""
    return max(_systemctl("stop", SOCKET), _systemctl("stop", PEOPLE_SOCKET.format("*")))


def watch() -> None:
    looks: list[bool] = []
    while True:
        if held(now=time.monotonic()):
            return
        with open(CONFIG, encoding="utf-8") as file:
            text = file.read()
        ports = json.loads(text)["people_ports"]
        before = listening(ports)
        found = _look(is_open=before == "all")
        looks.append(not found["problems"])
        for _code, sentence in found["problems"] + found["warnings"]:
            print(f"<4>{sentence}", flush=True)
        action = verdict(looks, listening=before)
        if action == "again":
            time.sleep(PAUSE)
            continue
        if action != "rest":
            _act(action, text=text, ports=ports, problems=[sentence for _code, sentence in found["problems"]])
        return


def noted() -> dict[str, t.Any]:
    """When the watcher closed the gate, why, and when it was open again; empty if it never did."""
    try:
        with open(RECORD, encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, ValueError):
        return {}


def note(record: t.Mapping[str, t.Any]) -> None:
    with open(f"{RECORD}.new", "w", encoding="utf-8") as file:
        json.dump(record, file)
    os.replace(f"{RECORD}.new", RECORD)


def forget() -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(RECORD)


def note_opened() -> None:
    record = noted()
    if record and record["opened"] is None:
        note({**record, "opened": int(time.time())})


def _act(action: str, *, text: str, ports: t.Sequence[int], problems: t.Sequence[str]) -> None:
    """Unless a run holds the node, or has changed the expectation: then this check is outdated."""
    lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with open(CONFIG, encoding="utf-8") as file:
            if held(now=time.monotonic()) or file.read() != text:
                return
        if action == "close":
            with contextlib.suppress(OSError):  # a full disk keeps no gate open
                note({"closed": int(time.time()), "problems": list(problems), "opened": None})
            close_gate()
            print("<4>The readiness gate was closed.", flush=True)
        elif open_gate(ports) == 0:
            note_opened()
            print("<5>The readiness gate was opened.", flush=True)
    except BlockingIOError:
        return
    finally:
        os.close(lock)


def _look(*, is_open: bool) -> dict[str, list[tuple[str, str]]]:
    """Codes and sentences. A check that fails or hangs is a bad look."""
    try:
        done = subprocess.run(
            [sys.executable, "-I", CHECK, *(["open"] if is_open else [])],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            env=ENVIRONMENT,
            cwd="/",
            timeout=90,
            check=False,
        )
        return json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError):
        return {"problems": [("gate-check", "the check of this node failed; see the journal")], "warnings": []}


def _systemctl(*arguments: str) -> int:
    command = [SYSTEMCTL, *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, env=ENVIRONMENT, cwd="/", timeout=60, check=False).returncode


if __name__ == "__main__":
    watch()
