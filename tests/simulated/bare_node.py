# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules that run on nodes, as processes on this machine with an /etc of their own. Only root may do that."""

from __future__ import annotations

import json
import subprocess
import sys
import typing as t
from pathlib import Path

from . import documented

MODULES = "ansible_collections.mlfleet.hyperpod.plugins.modules"
OWN_ETC = 'mount --bind "$1" /etc; shift; exec "$@"'


def answer(etc: Path, module: str, arguments: dict[str, t.Any], *, first: str = "") -> dict[str, t.Any]:
    """What the module answers; ``first``: Python that its process runs before."""
    code = f"{first}\nimport runpy\nrunpy.run_module('{MODULES}.{module}', run_name='__main__')"
    command = ["unshare", "--mount", "--propagation", "private", "sh", "-euc", OWN_ETC, "sh", str(etc), sys.executable, "-c", code]
    given = json.dumps({"ANSIBLE_MODULE_ARGS": arguments})
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    result: dict[str, t.Any] = json.loads(done.stdout)
    unknown = documented.undocumented(module, result)
    assert not unknown, f"{module} returns what it does not document: {', '.join(unknown)}"
    return result
