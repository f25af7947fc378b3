# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulated AWS API without machines, and modules run against it as Ansible runs them: the basis of the unit tests."""

from __future__ import annotations

import collections
import contextlib
import functools
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
import typing as t
import urllib.request
from pathlib import Path

import boto3
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core import plan as _plan
from lab import python

from . import documented

REGION = "us-west-2"
TESTS = Path(__file__).resolve().parents[1]
COLLECTIONS = Path(_plan.__file__).parents[6]
PROGRAMS = TESTS / "lab" / "bin"
"""The folder with a simulated Session Manager plugin, which a controller needs."""
START_SECONDS = 100


@contextlib.contextmanager
def simulator(state: Path) -> t.Iterator[str]:
    """Endpoint URL of a new simulator with its files in ``state``."""
    log, port = state / "server.log", state / "port"
    process = os.pidfd_open(int(_api_server().send(str(state))))
    try:
        deadline = time.monotonic() + START_SECONDS
        while not port.exists() or not port.read_text().endswith("\n"):
            assert not _ended(process, 0.02) and time.monotonic() < deadline, log.read_text()
        yield f"http://127.0.0.1:{int(port.read_text())}"
    finally:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(process, signal.SIGTERM)
        _ended(process, START_SECONDS)
        os.close(process)


def _ended(process: int, seconds: float) -> bool:
    """Whether the process ends within ``seconds``."""
    return bool(select.select([process], [], [], seconds)[0])


class _Server:
    """A program that replies to each line with a line, until this process ends."""

    def __init__(self, *command: str, environment: dict[str, str]) -> None:
        pipe, argv = subprocess.PIPE, [sys.executable, *command]
        self._process = subprocess.Popen(argv, cwd=TESTS, stdin=pipe, stdout=pipe, text=True, env=environment)
        self._turn = threading.Lock()

    def send(self, line: str) -> str:
        assert self._process.stdin and self._process.stdout
        with self._turn:
            self._process.stdin.write(f"{line}\n")
            self._process.stdin.flush()
            return self._process.stdout.readline()


@functools.cache
def _api_server() -> _Server:
    return _Server("-m", "simulated.api_server", environment={**os.environ, "PYTHONPATH": f"{COLLECTIONS}:{TESTS}"})


_idle: collections.defaultdict[Path | None, list[_Server]] = collections.defaultdict(list)
"""Idle module servers, by the folder of their libraries."""


def _module_reply(request: dict[str, t.Any], libraries: Path | None) -> dict[str, str]:
    """Reply of an idle server or a new one, because threads run modules in parallel."""
    idle = _idle[libraries]
    server = idle.pop() if idle else _module_server(libraries)
    reply: dict[str, str] = json.loads(server.send(json.dumps(request)))
    idle.append(server)
    return reply


def _module_server(libraries: Path | None) -> _Server:
    path = ":".join(map(str, filter(None, (libraries, COLLECTIONS, TESTS))))
    program = str(Path(__file__).with_name("module_server.py"))
    plain = ["plain"] if python.is_plain() else []
    return _Server(program, *plain, environment={"PATH": os.environ["PATH"], "PYTHONPATH": path})


class Simulated:
    """The API at ``url``: clients, its control interface, and runs of modules."""

    def __init__(self, url: str, *, libraries: Path | None = None) -> None:
        self.url = url
        self.libraries = libraries
        """A folder of Python packages that modules use instead of the installed ones."""
        self.variables: dict[str, str] = {}
        """Further environment variables of modules."""
        self.printed: list[str] = []
        """Output of all modules, for tests of what it must not contain."""
        self._clients: dict[str, t.Any] = {}

    def client(self, service: str) -> t.Any:
        """A client of an administrator; policies apply to calls of modules and playbooks only."""
        if service not in self._clients:
            self._clients[service] = boto3.client(
                service,
                region_name=REGION,
                endpoint_url=self.url,
                aws_access_key_id="AKIAADMINEXAMPLE",
                aws_secret_access_key="example",
            )
        return self._clients[service]

    def control(self, path: str, body: t.Any = None, *, method: str | None = None) -> t.Any:
        """Reply of the simulator's control interface ``/lab/``; a request with a body is a POST."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/lab/{path}", data=data, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def fault(self, **rule: t.Any) -> None:
        self.control("faults", rule)

    def clear_faults(self) -> None:
        self.control("faults", method="DELETE")

    def calls(self) -> list[str]:
        """Operations of the last run."""
        return [call["operation"] for call in self.control("calls")]

    def changes(self) -> list[str]:
        """Mutating operations of the last run."""
        return [call["operation"] for call in self.control("calls") if call["mutating"]]

    def problems(self) -> list[str]:
        """Faults of the last run's requests that AWS would reject."""
        return [problem for call in self.control("calls") for problem in call["problems"]]

    def run(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        """The module's result; resets ``calls`` and ``changes`` to this run."""
        self.control("reset-calls", {})
        return self.start(module, check=check, **options)

    def start(self, module: str, /, *, check: bool = False, **options: t.Any) -> dict[str, t.Any]:
        """The module's result, without a reset of the calls. Threads may run modules in parallel."""
        arguments = {"region": REGION, "_ansible_check_mode": check, **options}
        environment = {
            "AWS_ENDPOINT_URL": self.url,
            "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE",
            "AWS_SECRET_ACCESS_KEY": "secret-example",
            "AWS_EC2_METADATA_DISABLED": "true",
            **self.variables,
        }
        done = _module_reply({"module": module, "arguments": arguments, "environment": environment}, self.libraries)
        self.printed += [done["stdout"], done["stderr"]]
        assert done["stdout"].strip(), done["stderr"]
        result: dict[str, t.Any] = json.loads(done["stdout"])
        documented.check(module, result)
        return result


@contextlib.contextmanager
def simulated_aws(folder: Path) -> t.Iterator[Simulated]:
    """A new simulator with its files in ``folder``."""
    (folder / "aws").mkdir()
    with simulator(folder / "aws") as url:
        yield Simulated(url)
