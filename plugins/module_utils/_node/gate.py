# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The readiness gate of a login node: a port that the balancer's health check asks, open only on a verified node.

Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import datetime
import inspect
import json
import os
import re
import typing as t
from dataclasses import dataclass, replace

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node import gate_check, host_certificates
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.ssh_keys import BadKey, parse_public
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node.system import read_bytes, run, write_atomically
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._plan import Change, Plan, Step, refuse_option

SOCKET = "mlfleet-login-ready.socket"
SERVICE = "mlfleet-login-ready@.service"
BOOT_SERVICE = "mlfleet-login-ready-boot.service"
STATE_FOLDER = "/var/lib/mlfleet-hyperpod"
CHECK_SCRIPT = f"{STATE_FOLDER}/ready-check"
_UNIT_FOLDER = "/etc/systemd/system"
_PATHS = {
    "config": gate_check.CONFIG,
    "check": CHECK_SCRIPT,
    "socket": f"{_UNIT_FOLDER}/{SOCKET}",
    "service": f"{_UNIT_FOLDER}/{SERVICE}",
    "boot": f"{_UNIT_FOLDER}/{BOOT_SERVICE}",
}


@dataclass(frozen=True)
class Desired:
    """The module's options, checked."""

    state: str
    port: int
    instance: str
    expected: t.Mapping[str, t.Any]


@dataclass(frozen=True)
class State:
    """What stands on the node; ``problems`` is empty where nothing has to be verified."""

    listening: bool
    enabled: bool
    files: t.Mapping[str, str]
    problems: tuple[str, ...]

    @property
    def gate(self) -> str:
        if not self.files:
            return "absent"
        return "open" if self.listening else "closed"


def desired_from(params: t.Mapping[str, t.Any]) -> Desired:
    if not 1 <= params["port"] <= 65535:
        refuse_option("port", params["port"], "a port from 1 to 65535 is allowed")
    if not 1 <= params["mount_timeout"] <= 60:
        refuse_option("mount_timeout", params["mount_timeout"], "seconds from 1 to 60 are allowed")
    if not re.fullmatch(r"[A-Za-z0-9._-]{0,64}", params["instance"]):
        refuse_option("instance", params["instance"], "up to 64 letters, digits, '.', '_' and '-' are allowed")
    keys = []
    for line in params["host_keys"]:
        try:
            keys.append(parse_public(line).line)
        except BadKey as error:
            refuse_option("host_keys", line, f"{error}; a public key line is allowed")
    certificates = [_certificate(entry) for entry in params["host_certificates"]]
    for path in params["mounts"]:
        if not path.startswith("/") or "\n" in path:
            refuse_option("mounts", path, "an absolute path is allowed")
    expected = {
        "host_keys": sorted(keys),
        "users": sorted(
            ({"name": user["name"], "uid": user["uid"]} for user in params["users"]), key=lambda u: u["name"]
        ),
        "mounts": sorted(os.path.normpath(path) for path in params["mounts"]),
        "mount_timeout": params["mount_timeout"],
        **({"host_certificates": sorted(certificates, key=lambda each: each["line"])} if certificates else {}),
    }
    return Desired(params["state"], params["port"], params["instance"], expected)


def _certificate(entry: t.Mapping[str, str]) -> dict[str, t.Any]:
    line = host_certificates.parse_certificate("host_certificates", entry["certificate"]).line
    until = entry["valid_until"]
    try:
        moment = datetime.datetime.strptime(until, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=datetime.timezone.utc)
    except ValueError:
        refuse_option("host_certificates.valid_until", until, "a time in UTC as in 2027-11-21T01:02:03Z is allowed")
    return {"line": line, "until": int(moment.timestamp())}


def observe(desired: Desired, *, foreseen: t.Sequence[str] = ()) -> State:
    """``foreseen``: what is expected, and not judged, since it will only be so (``host_keys``, ``users``…)."""
    judged = {**desired.expected, **{name: [] for name in foreseen}}
    found = {name: read_bytes(path) for name, path in _PATHS.items()}
    return State(
        listening=_systemctl_says("is-active", SOCKET),
        enabled=_systemctl_says("is-enabled", BOOT_SERVICE),
        files={name: content.decode("utf-8", "replace") for name, content in found.items() if content is not None},
        problems=tuple(gate_check.problems(judged)) if desired.state == "open" else (),
    )


def plan(desired: Desired, state: State, *, files: t.Mapping[str, str]) -> Plan:
    """A node with problems gets a closed gate, whatever was asked for."""
    goal = "closed" if desired.state == "open" and state.problems else desired.state
    wanted = {} if goal == "absent" else dict(files)
    differing = tuple(sorted(name for name in _PATHS if state.files.get(name) != wanted.get(name)))
    must_listen = goal == "open"
    restart = must_listen and state.listening and bool(set(differing) - {"boot"})
    steps: list[Step] = []
    if (state.listening or state.enabled) and (not must_listen or restart):
        steps.append(Step("CloseGate", {}, ()))
    if differing:
        changes = tuple(_file_change(name, state.files, wanted) for name in differing)
        steps.append(Step("WriteFiles", {"files": {name: wanted.get(name) for name in differing}}, changes))
    if must_listen and (restart or not state.listening or not state.enabled):
        steps.append(Step("OpenGate", {}, ()))
    if steps:
        steps[-1] = replace(steps[-1], changes=(*steps[-1].changes, *_gate_changes(state, goal)))
    predicted = State(must_listen, must_listen, wanted, state.problems)
    return Plan(steps=tuple(steps), predicted=predicted)


def apply(step: Step) -> None:
    if step.operation == "CloseGate":
        run(["systemctl", "disable", "--now", BOOT_SERVICE], check=False)
        run(["systemctl", "stop", SOCKET])
    elif step.operation == "WriteFiles":
        _write(step.arguments["files"])
    elif step.operation == "OpenGate":
        run(["systemctl", "start", SOCKET], timeout=120)
        run(["systemctl", "enable", BOOT_SERVICE])


def describe(desired: Desired, state: State) -> dict[str, t.Any]:
    return {
        "state": state.gate,
        "ready": state.gate == "open" and not state.problems,
        "port": desired.port,
        "problems": list(state.problems),
    }


def rendered_files(desired: Desired, *, python: str) -> dict[str, str]:
    """All files of the gate. What is expected stands in the configuration file alone."""
    return {
        "config": json.dumps({**desired.expected, "instance": desired.instance}, indent=1, sort_keys=True) + "\n",
        "check": inspect.getsource(gate_check),
        "socket": _socket_unit(desired, python=python),
        "service": _service_unit(desired),
        "boot": _boot_unit(),
    }


def _gate_changes(state: State, goal: str) -> t.Iterator[Change]:
    if state.gate != goal:
        yield Change("update", "readiness gate", "state", state.gate, goal)
    if state.enabled != (goal == "open"):
        yield Change("update", "readiness gate", "enabled at boot", state.enabled, goal == "open")


def _file_change(name: str, found: t.Mapping[str, str], wanted: t.Mapping[str, str]) -> Change:
    action = "delete" if name not in wanted else "create" if name not in found else "update"
    if name == "check":
        return Change(action, f"file {_PATHS[name]}")
    return Change(action, f"file {_PATHS[name]}", "content", found.get(name), wanted.get(name))


def _write(files: t.Mapping[str, str | None]) -> None:
    os.makedirs(STATE_FOLDER, mode=0o700, exist_ok=True)
    for name, text in files.items():
        path = _PATHS[name]
        if text is None:
            os.unlink(path)
        else:
            mode = {"config": 0o600, "check": 0o700}.get(name, 0o644)
            write_atomically(path, text.encode(), mode=mode)
    run(["systemctl", "daemon-reload"], timeout=60)


def _systemctl_says(verb: str, unit: str) -> bool:
    return run(["systemctl", verb, "--quiet", unit], check=False).returncode == 0


def _socket_unit(desired: Desired, *, python: str) -> str:
    # Without TriggerLimitIntervalSec=0 a port scan would make systemd close the gate for good.
    return f"""\
# Written by the Ansible collection mlfleet.hyperpod.
[Unit]
Description=Readiness gate of this login node, asked by the load balancer

[Socket]
ExecStartPre={python} -I {CHECK_SCRIPT}
TimeoutSec=90
ListenStream={desired.port}
Accept=yes
MaxConnections=256
TriggerLimitIntervalSec=0
"""


def _service_unit(desired: Desired) -> str:
    answer = f"ready {desired.instance}".strip()
    return f"""\
# Written by the Ansible collection mlfleet.hyperpod.
[Unit]
Description=Answer of the readiness gate
CollectMode=inactive-or-failed

[Service]
Type=oneshot
ExecStart=-/bin/echo {answer}
User=nobody
StandardInput=null
StandardOutput=socket
StandardError=null
LogLevelMax=warning
"""


def _boot_unit() -> str:
    # At boot a shared file system may come late, so the verification is repeated until it passes.
    return f"""\
# Written by the Ansible collection mlfleet.hyperpod.
[Unit]
Description=Open the readiness gate once this login node is verified
After=network-online.target remote-fs.target ssh.service sshd.service
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart=/bin/systemctl start {SOCKET}
Restart=on-failure
RestartSec=20

[Install]
WantedBy=multi-user.target
"""
