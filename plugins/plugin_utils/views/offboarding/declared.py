# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values from the role's variables only."""

from __future__ import annotations

import os
import re

from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils import declared_people
from ansible_collections.mlfleet.hyperpod.plugins.plugin_utils.findings.made import Findings, finding, refused

from .. import Variables, view

NAME = re.compile(r"[a-z_][a-z0-9_-]{0,31}")
PROTECTED = ("root", "ubuntu", "ec2-user")
FIRST_UID, LAST_UID = 1000, 4294967294
NOBODY = (65534, 65535)


@view
def refusals(variables: Variables) -> Findings:
    users, files = variables["offboarding_users"], variables["offboarding_users_files"]
    missing = [path for path in hook_paths(variables) if not os.path.exists(path)]
    return [
        *_of_name(variables),
        *_of_uid(number(variables["offboarding_uid"])),
        *refused(declared_people.problems(users, files, {})),
        *(finding("offboard-hooks", missing=missing) if missing else []),
    ]


@view
def hook_paths(variables: Variables) -> list[str]:
    given = variables["offboarding_hooks"]
    return [os.path.expanduser(path) for path in ([given] if isinstance(given, str) else given)]


def number(value: object) -> int:
    """The value as a number; 0 if it is not a number."""
    text = str(value).strip()
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else 0


def _of_name(variables: Variables) -> Findings:
    name = str(variables["offboarding_name"])
    protected = list(dict.fromkeys([*PROTECTED, variables["offboarding_operations_user"]]))
    right = NAME.fullmatch(name) and name not in protected
    return [] if right else finding("offboard-name", name=name, protected=protected)


def _of_uid(uid: int) -> Findings:
    right = uid == 0 or (FIRST_UID <= uid <= LAST_UID and uid not in NOBODY)
    return [] if right else finding("offboard-uid", uid=uid)
