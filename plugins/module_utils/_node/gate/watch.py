# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The readiness gate's watcher: three consecutive failed checks close the gate, two consecutive successful checks open it.

This file has no imports of the collection, because ``readiness_gate`` also installs it on the node, where a timer runs it. The
watcher records its last closing of the gate in ``RECORD``, which the next run reads. Standard library only, Python 3.9 syntax.
"""

# systemd runs this file as a program, without a module object.
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
"""Maximum number of seconds for which a run suspends the watcher. A later end is ignored, because no run wrote it."""
LOCK = "/run/mlfleet-hyperpod.lock"
SOCKET = "mlfleet-login-ready.socket"
PEOPLE_SOCKET = "mlfleet-login-people@{}.socket"
SYSTEMCTL = "/bin/systemctl"
ENVIRONMENT = {"PATH": "/usr/sbin:/sbin:/usr/bin:/bin", "LC_ALL": "C"}
"""The environment of all programs that this file starts."""
PAUSE = 5.0
LOOKS = 4


def verdict(looks: t.Sequence[bool], *, listening: str) -> str:
    """The next action after the checks ``looks``: ``rest`` (stop), ``again`` (check again), ``open`` or ``close``.

    :param listening: ``all``, ``some`` or ``none``: how many of the gate's sockets are active.
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
    """Whether a run has suspended the watcher. ``now``, and the end in the file, are in seconds since boot."""
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
    """The health check's port opens last, so that the load balancer sends no connection to a port without a listener."""
    people = [PEOPLE_SOCKET.format(port) for port in ports]
    return _systemctl("start", *people) or _systemctl("start", SOCKET)


def close_gate() -> int:
    """Close both kinds of ports, even if closing the first one fails."""
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
    """The last closing of the gate: time, reasons, and the time at which the gate was open again. Empty if there was none."""
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
    """Open or close the gate. Does nothing if a run is changing the node, or if the expectations changed after the check."""
    lock = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with open(CONFIG, encoding="utf-8") as file:
            if held(now=time.monotonic()) or file.read() != text:
                return
        if action == "close":
            with contextlib.suppress(OSError):  # the gate must also close if the disk is full
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
    """Run the check; returns codes and sentences. A check that fails or hangs counts as a problem."""
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
        return {"problems": [("gate-check", "the check of this node failed (see the journal)")], "warnings": []}


def _systemctl(*arguments: str) -> int:
    command = [SYSTEMCTL, *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL, env=ENVIRONMENT, cwd="/", timeout=60, check=False).returncode


if __name__ == "__main__":
    watch()
