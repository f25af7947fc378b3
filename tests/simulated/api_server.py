# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Starts simulated APIs, each in a separate process, and loads moto only once.

Each line on standard input is the state folder of an API; the reply is its process ID. All of them end with this process.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import random
import signal
import sys
import typing as t

from lab.aws import server
from lab.python import loaded
from moto.moto_api._internal import mock_random
from moto.moto_server import werkzeug_app  # pylint: disable=unused-import  # noqa: F401 - loaded for the forks

PR_SET_PDEATHSIG = 1


def child(state: str) -> t.NoReturn:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    log = os.open(f"{state}/server.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for descriptor in (1, 2):
        os.dup2(log, descriptor)
    for numbers in (random, mock_random):
        numbers.seed()  # otherwise all forks would generate the same IDs
    os._exit(loaded.exit_code(lambda: server.main(["--state", state, "--port", "0", "--no-hosts"])))


for backend in server.BACKENDS:
    importlib.import_module(f"lab.aws.{backend}")
loaded.load()
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    process = os.fork()
    if not process:
        child(line.rstrip("\n"))
    print(process, flush=True)
