# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prerequisites on the control node for access to the cluster's nodes, checked before any change."""

from __future__ import annotations

import os

from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.failure import refusal_text
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._core.text import printable
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access import ssm_cli
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._node_access.model import plain_key
from ansible_collections.mlfleet.hyperpod.plugins.module_utils._ssh.public_key import HOST_KEY_ALGORITHMS

from .variables import SET_BY, Known, set_by

KEY = "run_operations_public_key"
FILE = "hyperpod_operations_public_key_file"


def operations_key_problems(text: str, path: str, known: Known) -> list[str]:
    """Problems with the operations account's public key. Each problem names the variable that supplied the key."""
    name = set_by(KEY, known)
    from_file = name not in known
    line = text.strip()
    if from_file and not line:
        full = os.path.expanduser(path)
        problem = "can't be read or is empty" if os.path.exists(full) else "does not exist"
        ways = f"Create the file with ssh-keygen -t ed25519, name a different file, or set {SET_BY[KEY]} to the public key."
        return [f"{FILE}: {full} {problem}. {ways}"]
    if "\n" not in line and plain_key(line):
        return []
    first = printable(line.split()[0][:20]) if line else "an empty text"
    allowed = f"one line with a public key of type {', '.join(HOST_KEY_ALGORITHMS)}"
    if from_file:
        return [refusal_text(FILE, path, allowed, f"it begins with {first}")]
    return [refusal_text(name, f"{first} …" if line else first, allowed)]


def program_problems(connection: str) -> list[str]:
    """Missing or outdated programs for connections through Systems Manager."""
    if connection != "ssm":
        return []
    try:
        ssm_cli.require_programs()
    except ssm_cli.MissingProgram as error:
        return [f"Sessions with nodes need a program on the control node: {error}."]
    return []
