# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Assesses the node of the Pod, and prints the verdict. Standard library only, Python 3.9 syntax.

The node's file system is mounted read-only, except the folder with the records of hanging tools.
"""

# Kubernetes starts this file as a program, without any module object.
# pylint: disable=ansible-bad-function

from __future__ import annotations

import json
import sys
import time
import typing as t

from ...._core.text import printable
from ..health import options
from ..health.judge import judge
from ..health.look import Look
from ..health.memory import Memory
from ..health.profile import profile
from ..health.result import result
from ..load import Asked
from ..observe import Observer
from ..options import Places
from ..tools import Tools
from .answer import ERROR, HEALTH, text_of

HOST = "/host"
"""The mount point of the node's root file system."""
OF_NODE = Places(root=HOST, sysfs=f"{HOST}/sys", proc=f"{HOST}/proc")


def check(settings: t.Mapping[str, t.Any], where: Places) -> dict[str, t.Any]:
    """
    :param settings: the options of ``accelerator_health``.
    """
    tools = Tools(seconds=settings["timeout"], root=where.root, proc=where.proc)
    wanted, limits = options.wanted(settings, where.sysfs), profile(settings)
    state = Observer(where, tools, dcgm_asked=Asked(1 if settings["dcgm"] else 0)).observe()
    inputs = Look(state, wanted, limits, Memory(settings["instance_id"]), time.time())
    return {HEALTH: result(judge(inputs), inputs)["health"]}


def document(arguments: t.Sequence[str], where: Places = OF_NODE) -> dict[str, t.Any]:
    """
    :param arguments: the file with the settings of all nodes, and the settings of this node as JSON.
    """
    try:
        path, own = arguments
        with open(path, encoding="utf-8") as stream:
            settings = {**json.load(stream), **json.loads(own)}
        return check(settings, where)
    except Exception as error:  # the log must contain every error
        return {ERROR: printable(f"{type(error).__name__}: {error}")}


def answer(arguments: t.Sequence[str], where: Places = OF_NODE) -> str:
    return text_of(document(arguments, where))


def main() -> None:
    sys.stdout.write(answer(sys.argv[1:]))
    sys.stdout.flush()
