# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible's programs on a controller that is a folder, isolated from the user's files on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
import typing as t
from pathlib import Path

from lab import python
from simulated import COLLECTIONS, PROGRAMS, TESTS

LAB_PYTHON = ":".join(python.path())
"""For PYTHONPATH: modules and plugins start faster with it. Empty if LAB_PLAIN_PYTHON is set."""
LISTENER = "pymp-12345678/listener-12345678"
"""A socket of multiprocessing in TMPDIR. If its path is too long, ansible-playbook only says: Local RPC server did not start."""
SOCKET_PATH_BYTES = 107


def ansible(
    verb: str, *arguments: str, home: Path, temporary: Path, limit: float, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run ``ansible-VERB`` in ``home``, with temporary files in ``temporary`` and a timeout of ``limit`` seconds."""
    return subprocess.run(
        _command(verb, *arguments), **_place(home, temporary, variables), capture_output=True, text=True, timeout=limit, check=False
    )


def started(verb: str, *arguments: str, home: Path, temporary: Path, log: Path, **variables: str) -> subprocess.Popen[bytes]:
    """Start ``ansible-VERB`` in the background, in a new session, with its output in ``log``."""
    with log.open("wb") as out:
        return subprocess.Popen(
            _command(verb, *arguments), **_place(home, temporary, variables), stdout=out, stderr=out, start_new_session=True
        )


def _command(verb: str, *arguments: str) -> list[str]:
    return [str(Path(sys.executable).with_name(f"ansible-{verb}")), *arguments]


def _place(home: Path, temporary: Path, variables: t.Mapping[str, str]) -> dict[str, t.Any]:
    too_long = len(os.fsencode(temporary / LISTENER)) - SOCKET_PATH_BYTES
    assert too_long <= 0, f"{temporary} is {too_long} bytes too long for a socket of ansible-playbook"
    temporary.mkdir(exist_ok=True)
    return {
        "cwd": home,
        "stdin": subprocess.DEVNULL,
        "env": {
            "PATH": f"{Path(sys.executable).parent}:{PROGRAMS}:{os.environ['PATH']}",
            "HOME": str(home),
            "USER": "operator",
            "TMPDIR": str(temporary),
            "ANSIBLE_CONFIG": str(TESTS.parent / "inventories/lab/ansible.cfg"),
            "ANSIBLE_COLLECTIONS_PATH": str(COLLECTIONS),
            "ANSIBLE_HOME": str(temporary / "ansible"),
            "ANSIBLE_REMOTE_TMP": str(temporary / "remote"),
            "AWS_EC2_METADATA_DISABLED": "true",
            "PYTHONPATH": LAB_PYTHON,
            **variables,
        },
    }
