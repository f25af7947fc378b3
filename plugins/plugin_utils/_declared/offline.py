# Copyright: (c) 2026, mlfleet
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Problems of roles' variables that are visible without AWS and nodes: wrong types first, then wrong values and references."""

from __future__ import annotations

import importlib
import pkgutil
import typing as t

from . import __path__ as _path, variables
from .variables import Known

ROLES = frozenset(each.name for each in pkgutil.iter_modules(_path))


def problems(known: Known, roles: t.Sequence[str]) -> list[str]:
    """The problems, one sentence each, with the public names of the variables. A value of the wrong type is not checked further."""
    found = variables.problems(known, roles)
    for role in roles:
        check = getattr(importlib.import_module(f"{__package__}.{role}"), "offline", None) if role in ROLES else None
        if check is not None:
            found += check(variables.right_values(known, role), known)
    return list(dict.fromkeys(found))
