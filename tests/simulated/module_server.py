# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs modules, each in a separate process, and loads boto3 and Ansible only once; with argument `plain` each module starts its own
Python.

Each line on standard input is a JSON object with module, arguments and environment; the reply is a line of JSON with stdout and stderr.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import sys
import tempfile
import typing as t
from pathlib import Path

from ansible_collections.mlfleet.hyperpod.plugins import modules
from lab.python import loaded

MODULES = "ansible_collections.mlfleet.hyperpod.plugins.modules"
PLAIN = sys.argv[1:] == ["plain"]
LIMIT = 180
"""Seconds after which a module is killed."""


def load() -> None:
    """Import the modules for their dependencies; each run still starts from the module's file."""
    for file in Path(modules.__path__[0]).glob("[a-z]*.py"):
        importlib.import_module(f"{MODULES}.{file.stem}")
        del sys.modules[f"{MODULES}.{file.stem}"]
    loaded.load()


def child(module: str, environment: dict[str, str], files: list[t.Any]) -> t.NoReturn:
    for descriptor, file in enumerate(files):
        os.dup2(file.fileno(), descriptor)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115  # end with the process
    sys.argv = [module]
    os.environ.update(environment)
    signal.alarm(LIMIT)
    if PLAIN:
        os.execv(sys.executable, [sys.executable, "-m", f"{MODULES}.{module}"])
    os._exit(loaded.exit_code(lambda: runpy.run_module(f"{MODULES}.{module}", run_name="__main__")))


def answer(request: dict[str, t.Any]) -> dict[str, str]:
    with tempfile.TemporaryFile("w+") as stdin, tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile(
        "w+"
    ) as err:
        json.dump({"ANSIBLE_MODULE_ARGS": request["arguments"]}, stdin)
        stdin.flush()
        os.lseek(stdin.fileno(), 0, os.SEEK_SET)
        process = os.fork()
        if not process:
            child(request["module"], request["environment"], [stdin, out, err])
        os.waitpid(process, 0)
        out.seek(0)
        err.seek(0)
        return {"stdout": out.read(), "stderr": err.read()}


if not PLAIN:
    load()
for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
