# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible's own programs, on a controller that is a folder and knows of nothing else on this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from lab import python
from simulated import COLLECTIONS, PROGRAMS, TESTS

LAB_PYTHON = ":".join(python.path())
"""For PYTHONPATH: modules and plugins are there faster with it. Empty where LAB_PLAIN_PYTHON is set."""


def ansible(
    verb: str, *arguments: str, home: Path, temporary: Path, limit: float, **variables: str
) -> subprocess.CompletedProcess[str]:
    """``ansible-VERB`` in ``home``, with files of its own in ``temporary``, for ``limit`` seconds at most."""
    temporary.mkdir(exist_ok=True)
    return subprocess.run(
        [str(Path(sys.executable).with_name(f"ansible-{verb}")), *arguments],
        cwd=home,
        env={
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
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=limit,
        check=False,
    )
