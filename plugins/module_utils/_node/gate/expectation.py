# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# This module util is private to the collection.
"""Accounts that the readiness gate expects, seen by those who remove accounts: the watcher must not miss one that went.

Standard library only, Python 3.9 syntax.
"""

from __future__ import annotations

import json
import typing as t

from ..files import read_bytes, replace_file
from .watch import CONFIG

RESOURCE = f"file {CONFIG}"


def expected_users(*, path: str = CONFIG) -> tuple[str, ...]:
    content = read_bytes(path)
    return tuple(user["name"] for user in json.loads(content)["users"]) if content else ()


def forget(names: t.Collection[str], *, path: str = CONFIG) -> None:
    content = read_bytes(path)
    if content is None:
        return
    config = json.loads(content)
    config["users"] = [user for user in config["users"] if user["name"] not in names]
    replace_file(path, (json.dumps(config, indent=1, sort_keys=True) + "\n").encode(), mode=0o600)
