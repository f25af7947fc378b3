# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""The accounts that the readiness gate expects. The list must be shortened before an account is removed; otherwise, the watcher
would close the gate.

Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import json
import typing as t

from ..files import read_bytes, replace_file
from .watch import CONFIG

RESOURCE = f"file {CONFIG}"


def expected_users(*, path: str = CONFIG) -> tuple[str, ...]:
    """The names of the expected users. Empty if the file is missing or damaged; a later task of the run then writes it again."""
    found = _config(path)
    return tuple(user["name"] for user in found["users"]) if found else ()


def forget(names: t.Collection[str], *, path: str = CONFIG) -> None:
    config = _config(path)
    if config is None:
        return
    users = [user for user in config["users"] if user["name"] not in names]
    replace_file(path, (json.dumps({**config, "users": users}, indent=1, sort_keys=True) + "\n").encode(), mode=0o600)


def _config(path: str) -> dict[str, t.Any] | None:
    """The content of the file; None if the file is missing or damaged."""
    try:
        found = json.loads(read_bytes(path) or b"{}")
        whole = all(isinstance(user["name"], str) for user in found["users"])
    except (ValueError, LookupError, TypeError):
        return None
    return t.cast("dict[str, t.Any]", found) if whole else None
